/**
 * The options that all connectors of transcripts have, and what they mean.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { OptionsFile } from "../../../src/config/Origin.ts"
import { memoryTags } from "../../../src/transcript/Spans.ts"
import { folderOf } from "../Folder/Config.ts"

const text = (expected: string, isIt: (text: string) => boolean) =>
  Schema.String.annotations({ message: () => expected }).pipe(Schema.filter(isIt, { message: () => expected }))

const units = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const ago = (since: string): number | undefined => {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(since) ?? []
  return unit === "h" || unit === "d" || unit === "w" ? Number(amount) * units[unit] : undefined
}

const dateOf = (since: string): number | undefined => {
  const millis = /^\d{4}-\d\d-\d\d(?:T.*)?$/.test(since) ? Date.parse(since) : Number.NaN
  return Number.isNaN(millis) ? undefined : millis
}

/**
 * The moment before which a session was last written to that is not listed, in milliseconds.
 *
 * @since 0.1.0
 * @category getters
 */
export const momentOf = (since: string, now: number): number => {
  const duration = ago(since)
  return duration === undefined ? dateOf(since) ?? 0 : now - duration
}

const maxGlob = 4096

const Path = text("expected the path of a folder", (path) => path.trim() !== "" && !path.includes("\0"))

const Since = text(
  "expected a date like \"2026-05-01\" or a time like \"30d\", \"12h\" or \"4w\"",
  (since) => ago(since) !== undefined || dateOf(since) !== undefined
)

const Glob = text(
  "expected a glob over the folder that a session worked in, like \"~/code/**\"",
  (glob) => glob.trim() !== "" && glob.length <= maxGlob
)

const Tag = text(
  "expected the name of a tag, like \"relevant-memories\"",
  (tag) => /^[A-Za-z][\w.:-]{0,63}$/.test(tag)
)

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * `path` is relative to the file that holds it; `~/` is the home folder. Without it, the agent's own folder is read.
 * `memory_tags` are those between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category schemas
 */
export const fields = {
  path: optional(Path),
  since: optional(Since),
  project: optional(Schema.Union(Glob, Schema.Array(Glob))),
  memory_tags: Schema.optionalWith(Schema.Array(Tag), { exact: true, default: () => memoryTags })
}

const Options = Schema.Struct(fields)
/**
 * @since 0.1.0
 * @category models
 */
export type Options = typeof Options.Type

/**
 * Where an agent keeps its transcripts: below the folder that a variable of the environment names, or else below one in
 * the home folder.
 *
 * @since 0.1.0
 * @category models
 */
export interface AgentFolder {
  readonly variable: string
  readonly home: string
  readonly below: string
}

/**
 * The folder that is meant, as an absolute path.
 *
 * @since 0.1.0
 * @category getters
 */
export const rootOf = (
  path: string | undefined,
  origin: OptionsFile | undefined,
  { below, home, variable }: AgentFolder
): Effect.Effect<string> =>
  path === undefined
    ? Config.nonEmptyString(variable).pipe(
      Config.option,
      Effect.orElseSucceed(() => Option.none<string>()),
      Effect.map(Option.match({
        onNone: () => resolve(homedir(), home, below),
        onSome: (folder) => resolve(folderOf(folder, undefined), below)
      }))
    )
    : Effect.succeed(folderOf(path, origin))

/**
 * The globs of `project`, with `~/` resolved.
 *
 * @since 0.1.0
 * @category getters
 */
export const globsOf = (project: Options["project"]): ReadonlyArray<string> | undefined =>
  project === undefined
    ? undefined
    : (typeof project === "string" ? [project] : project).map((glob) =>
      glob.replace(/^~(?=\/|$)/, homedir()).replace(/(?<=.)\/+$/, "")
    )
