/**
 * The sessions of Codex: the rollouts of each day, and those that were archived.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ConnectorKind } from "../../services/ConnectorKinds.ts"
import type { SessionConnector } from "../../services/SourceConnector.ts"
import { Origin } from "../../src/config/Origin.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"
import { sessionId } from "../../src/transcript/Codex/SessionPath.ts"
import { isObject, textIn } from "../../src/transcript/Json.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { read } from "../RecordSource/Codex.ts"
import { Disk, type DiskError, type DiskOperations } from "./Folder/Disk.ts"
import { fields, type Options, rootOf } from "./Transcripts/Config.ts"
import { connectorOf } from "./Transcripts/connector.ts"
import { all, fileIn, type Found, inFolder, openFolders } from "./Transcripts/Found.ts"

/**
 * `path` is the folder that holds `sessions`, or such a folder itself. `archived: false` leaves out what Codex has
 * archived.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct({
  ...fields,
  archived: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => true })
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Config = typeof Config.Type

/**
 * What an app says of Codex; the options of `connectors.yaml`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodexOptions extends Partial<Options> {
  readonly archived?: boolean
}

const agentFolder = { variable: "CODEX_HOME", home: ".codex", below: "" }

/** `sessions/2026/05/01`. */
const deepest = 4

type Walk = Effect.Effect<Found, DiskError>

/** One of which the plain file is still there is only about to be compressed. */
const preferPlain = (found: Found): Found => {
  const plain = new Set(found.candidates.map(({ path }) => path))
  return { ...found, left: found.left.filter(({ path }) => !plain.has(path.replace(/\.zst$/, ""))) }
}

const rolloutsIn = (disk: DiskOperations, root: string, group: string, depth: number): Walk => {
  const folder = group === "" ? root : `${root}/${group}`
  return inFolder(disk, folder, (entries) =>
    Effect.map(
      Effect.forEach(entries, (entry): Walk => {
        if (entry.kind !== "folder" || typeof entry.name !== "string") {
          return Effect.succeed(
            fileIn(folder, entry, (stem) => stem.startsWith("rollout-") ? { key: sessionId(stem), group } : undefined)
          )
        }
        return depth === 0
          ? Effect.succeed(all([]))
          : rolloutsIn(disk, root, group === "" ? entry.name : `${group}/${entry.name}`, depth - 1)
      }, { concurrency: openFolders }),
      (found) => preferPlain(all(found))
    ))
}

const walk = (root: string, archived: boolean) => (disk: DiskOperations): Walk =>
  inFolder(disk, root, (entries) => {
    const folders = entries.filter(({ kind }) => kind === "folder").map(({ name }) => name)
    const own = ["sessions", "archived_sessions"].filter((name) => folders.includes(name))
    if (own.length === 0) return rolloutsIn(disk, root, "", deepest - 1)
    const taken = own.filter((name) => archived || name === "sessions")
    return Effect.map(Effect.forEach(taken, (name) => rolloutsIn(disk, root, name, deepest)), all)
  })

/**
 * The connector.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (name: ConnectorName, options: CodexOptions): Effect.Effect<SessionConnector> =>
  Effect.gen(function*() {
    const root = yield* rootOf(options.path, yield* Origin, agentFolder)
    const disk = yield* Disk
    const memory_tags = options.memory_tags ?? memoryTags
    // Whatever is listed, a fork's parent may be any session.
    const parentOf = (session: string) =>
      walk(root, true)(disk).pipe(
        Effect.map(({ candidates }) => candidates.find(({ key }) => key === session)?.path),
        Effect.orElseSucceed(() => undefined)
      )
    return yield* connectorOf(name, {
      kind: "codex",
      root,
      walk: walk(root, options.archived ?? true),
      cwdOf: ({ payload, type }) => type === "session_meta" && isObject(payload) ? textIn(payload["cwd"]) : undefined,
      read: (path, session_key, cursor) => read({ path, session_key, memory_tags, parentOf }, cursor)
    }, options)
  })

/**
 * `kind: codex` of `connectors.yaml`.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: ConnectorKind<Config, Schema.Schema.Encoded<typeof Config>> = {
  kind: "codex",
  source_type: "session",
  config: Config,
  make
}
