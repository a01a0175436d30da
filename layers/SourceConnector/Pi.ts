/**
 * The sessions of pi, each a file: in a folder of its project, or, with `--session-dir`, in one folder for all.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ConnectorKind } from "../../services/ConnectorKinds.ts"
import type { SessionConnector } from "../../services/SourceConnector.ts"
import { Origin } from "../../src/config/Origin.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"
import { textIn } from "../../src/transcript/Json.ts"
import { sessionId } from "../../src/transcript/Pi/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { read } from "../RecordSource/Pi.ts"
import type { DiskError, DiskOperations, Entry } from "./Folder/Disk.ts"
import { fields, type Options, rootOf } from "./Transcripts/Config.ts"
import { connectorOf } from "./Transcripts/connector.ts"
import { all, fileIn, type Found, inFolder, openFolders } from "./Transcripts/Found.ts"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct(fields)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Config = typeof Config.Type

const agentFolder = { variable: "PI_CODING_AGENT_DIR", home: ".pi/agent", below: "sessions" }

type Walk = Effect.Effect<Found, DiskError>

const sessionIn = (folder: string, group: string, entry: Entry): Found =>
  fileIn(folder, entry, (stem) => ({ key: sessionId(stem), group }))

const inProject = (disk: DiskOperations, folder: string, group: string): Walk =>
  inFolder(disk, folder, (entries) => Effect.succeed(all(entries.map((entry) => sessionIn(folder, group, entry)))))

const walk = (root: string) => (disk: DiskOperations): Walk =>
  inFolder(disk, root, (entries) =>
    Effect.map(
      Effect.forEach(entries, (entry): Walk =>
        entry.kind === "folder" && typeof entry.name === "string"
          ? inProject(disk, `${root}/${entry.name}`, entry.name)
          : Effect.succeed(sessionIn(root, "", entry)), { concurrency: openFolders }),
      all
    ))

/**
 * The connector.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (name: ConnectorName, options: Partial<Options>): Effect.Effect<SessionConnector> =>
  Effect.gen(function*() {
    const root = yield* rootOf(options.path, yield* Origin, agentFolder)
    const memory_tags = options.memory_tags ?? memoryTags
    return yield* connectorOf(name, {
      kind: "pi",
      root,
      walk: walk(root),
      cwdOf: ({ cwd, type }) => type === "session" ? textIn(cwd) : undefined,
      read: (path, session_key, cursor) => read({ path, session_key, memory_tags }, cursor)
    }, options)
  })

/**
 * `kind: pi` of `connectors.yaml`.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: ConnectorKind<Config, Schema.Schema.Encoded<typeof Config>> = {
  kind: "pi",
  source_type: "session",
  config: Config,
  make
}
