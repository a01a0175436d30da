/**
 * Shows what a command does not do: a folder as it was before and after, byte by byte, and what the process opened,
 * changed and loaded. A file that was made and removed in between shows in the folder's own time.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema, type Scope } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type Ended, folder, type Given, mem, node } from "./Mem.ts"

const hook = fileURLToPath(new URL("./trace.cjs", import.meta.url))

const typeOf = (stat: fs.BigIntStats): string =>
  stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other"

/** Each path below the folder, and the folder itself, with type, size, time of change and sha256. */
export const snapshot = (root: string): { readonly [path: string]: string } =>
  Object.fromEntries(
    ["", ...fs.readdirSync(root, { recursive: true, encoding: "utf8" }).sort()].map((name) => {
      const at = path.join(root, name)
      const stat = fs.lstatSync(at, { bigint: true })
      const type = typeOf(stat)
      const content = type === "file" ? fs.readFileSync(at) : type === "link" ? fs.readlinkSync(at) : ""
      const sha256 = createHash("sha256").update(content).digest("hex")
      return [name, `${type} ${stat.size} ${stat.mtimeNs} ${sha256}`]
    })
  )

/** The effect, and the assertion that it left the folder as it was. */
export const unchanged = (root: string) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const before = snapshot(root)
    return Effect.tap(self, () => assert.deepStrictEqual(snapshot(root), before))
  })

const Note = Schema.parseJson(Schema.Struct({
  did: Schema.Literal("read", "change", "native"),
  by: Schema.String,
  path: Schema.String
}))

const decodeNote = Schema.decodeUnknownSync(Note)

export interface Trace {
  /** Files that were opened to be read, each once. */
  readonly read: ReadonlyArray<string>
  /** Whatever was to change the disk, as `mkdirSync /path`: files opened for writing, made, moved, removed. */
  readonly change: ReadonlyArray<string>
  /** Native modules that were loaded. */
  readonly native: ReadonlyArray<string>
}

const traced = (run: typeof node) =>
(
  args: ReadonlyArray<string>,
  given: Given = {}
): Effect.Effect<Ended & { readonly trace: Trace }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const file = path.join(yield* folder(), "trace.jsonl")
    const env = { ...given.env, NODE_OPTIONS: `--require ${JSON.stringify(hook)}`, MEM_TRACE: file }
    const ended = yield* run(args, { ...given, env })
    const notes = fs.readFileSync(file, "utf8").trimEnd().split("\n").filter((line) => line !== "")
      .map((line) => decodeNote(line))
    const of = (did: string) => notes.filter((note) => note.did === did)
    return {
      ...ended,
      trace: {
        read: [...new Set(of("read").map((note) => note.path))],
        change: of("change").map((note) => `${note.by} ${note.path}`),
        native: of("native").map((note) => note.path)
      }
    }
  })

/** Runs node to its end and says what it opened, changed and loaded. */
export const tracedNode = traced(node)

/** Runs `mem` to its end and says what it opened, changed and loaded. */
export const tracedMem = traced(mem)
