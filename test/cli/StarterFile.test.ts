import { assert, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Redacted } from "effect"
import { starterFile } from "../../src/cli/StarterFile.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import * as Secrets from "../../src/config/Secrets.ts"

const understood = (text: string) => Either.getOrThrow(parse(text))

/** The file with every option in it in use, which must be good too. */
const allInUse = (text: string): string =>
  text.split("\n").flatMap((line) => {
    const option = /^( *)# ((?:[a-z_]+|  [a-z_]+|    [a-z_]+): .*|[a-z]+:)$/.exec(line)
    return option === null ? [line] : [`${option[1]}${option[2]}`]
  }).join("\n")

it.effect.prop(
  "names the folder, whatever its name is",
  {
    path: FastCheck.oneof(
      FastCheck.fullUnicodeString({ minLength: 1 }),
      FastCheck.array(FastCheck.constantFrom("$", "{", "HOME", "}", "\\", "\""), { minLength: 1 }).map((parts) =>
        parts.join("")
      )
    )
  },
  ({ path }) =>
    Effect.gen(function*() {
      const { connectors } = understood(starterFile(path.toWellFormed()))
      assert.deepStrictEqual(connectors.map(({ kind, name }) => [String(name), kind]), [["notes", "folder"]])
      const { options } = yield* Secrets.resolve(connectors[0]?.options)
      assert.deepStrictEqual(Redacted.value(options), { path: path.toWellFormed() })
    })
)

it("is good in the parts that are comments, once they are none", () => {
  const { chunking, connectors: [notes], embedder, guards } = understood(allInUse(starterFile("./notes")))
  assert.deepStrictEqual(notes?.chunking, { markdown: "heading", text: "paragraph", max_tokens: 240 })
  assert.deepInclude(notes?.limits, { max_concurrent_fetches: 8, starts_per_second: 100 })
  assert.deepStrictEqual(notes?.options, {
    path: "./notes",
    include: ["**/*.md", "**/*.markdown", "**/*.txt"],
    exclude: ["archive/**"],
    read_evicted: false
  })
  assert.deepStrictEqual([...chunking.keys()], ["folder"])
  assert.strictEqual(embedder.kind, "minilm")
  assert.strictEqual(guards.max_removed_min, 10)
})

it("without a folder it names no connector, and shows how", () => {
  const text = starterFile(undefined)
  assert.deepStrictEqual(understood(text).connectors, [])
  const [connector] = understood(allInUse(text)).connectors
  assert.deepStrictEqual([connector?.kind, connector?.options], ["folder", {
    path: "~/notes",
    include: ["**/*.md", "**/*.markdown", "**/*.txt"],
    exclude: ["archive/**"],
    read_evicted: false
  }])
})

it("fits a terminal", () => {
  for (const path of [undefined, "./notes"]) {
    assert.isTrue(starterFile(path).split("\n").every((line) => line.length <= 80))
  }
})
