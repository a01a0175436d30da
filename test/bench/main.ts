/**
 * `npm run bench -- NAME`: measures speed as ratios within one run, both sides warmed up and alternated, so that they
 * hold on a machine whose own speed drifts. One measures no time: `needle` counts the calls of a model.
 */

/** Each is loaded alone: what one prepares would be in the other's way. */
const benches: ReadonlyMap<string, () => Promise<void>> = new Map([
  ["chunk", async () => (await import("./chunk.ts")).chunk()],
  ["folder", async () => (await import("./folder.ts")).folder()],
  ["embed", async () => (await import("./embed.ts")).embed()],
  ["log", async () => (await import("./log.ts")).log()],
  ["index", async () => (await import("./index.ts")).index()],
  ["needle", async () => (await import("./needle.ts")).needle()],
  ["scrub", async () => (await import("./scrub.ts")).scrubbing()],
  ["tokens", async () => (await import("./tokens.ts")).tokens()],
  ["sync", async () => (await import("./sync.ts")).sync()]
])

const [name = ""] = process.argv.slice(2)
const bench = benches.get(name)

if (bench === undefined) {
  console.error(`which bench? One of: ${[...benches.keys()].join(", ")}`)
  process.exitCode = 2
} else {
  await bench()
}
