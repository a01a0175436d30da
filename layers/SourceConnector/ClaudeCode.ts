/**
 * The sessions of Claude Code: every transcript below its folder of projects is one, and so is that of every sub-agent.
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
import { memoryTags } from "../../src/transcript/Spans.ts"
import { read } from "../RecordSource/ClaudeCode.ts"
import type { DiskError, DiskOperations, Entry } from "./Folder/Disk.ts"
import { shown } from "./Folder/Names.ts"
import { fields, type Options, rootOf } from "./Transcripts/Config.ts"
import { connectorOf } from "./Transcripts/connector.ts"
import { all, fileIn, type Found, inFolder, nothing, openFolders } from "./Transcripts/Found.ts"

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

const agentFolder = { variable: "CLAUDE_CONFIG_DIR", home: ".claude", below: "projects" }

type Walk = Effect.Effect<Found, DiskError>

/** The sub-agents of one session. */
const subagents = (disk: DiskOperations, project: string, group: string, session: string): Walk => {
  const folder = `${project}/${session}/subagents`
  return inFolder(
    disk,
    folder,
    (entries) =>
      Effect.succeed(
        all(entries.map((entry) =>
          fileIn(folder, entry, (stem) => stem.startsWith("agent-") ? { key: `${session}/${stem}`, group } : undefined)
        ))
      )
  )
}

const inProject = (disk: DiskOperations, project: string, group: string): Walk =>
  inFolder(disk, project, (entries) =>
    Effect.map(
      Effect.forEach(entries, (entry): Walk =>
        entry.kind === "folder" && typeof entry.name === "string"
          ? subagents(disk, project, group, entry.name)
          : Effect.succeed(fileIn(project, entry, (key) => ({ key, group }))), { concurrency: openFolders }),
      all
    ))

/** Links are followed at this level, since people keep projects elsewhere; one to another project here adds nothing. */
const projectsIn = (disk: DiskOperations, root: string, entries: ReadonlyArray<Entry>) =>
  Effect.gen(function*() {
    const names = entries.filter(({ kind }) => kind === "folder").map(({ name }) => shown(name))
    const links = entries.filter(({ kind }) => kind === "link").map(({ name }) => shown(name)).sort()
    if (links.length === 0) return names
    const real = (path: string) => Effect.map(disk.realPath(path), (found) => found.toString("utf8"))
    const realRoot = yield* real(root)
    const seen = new Set(names.map((name) => `${realRoot}/${name}`))
    const followed: Array<string> = []
    for (const name of links) {
      const path = `${root}/${name}`
      const at = yield* Effect.all([disk.statFollowing(path), real(path)]).pipe(
        Effect.map(([stat, at]) => stat.kind === "folder" ? at : undefined),
        Effect.orElseSucceed(() => undefined)
      )
      if (at === undefined || seen.has(at)) continue
      seen.add(at)
      followed.push(name)
    }
    return [...names, ...followed]
  })

const walk = (root: string) => (disk: DiskOperations): Walk =>
  inFolder(disk, root, (entries) =>
    Effect.gen(function*() {
      const projects = yield* projectsIn(disk, root, entries)
      const found = yield* Effect.forEach(projects, (name) => inProject(disk, `${root}/${name}`, name), {
        concurrency: openFolders
      })
      return all([nothing, ...found])
    }))

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
      kind: "claude-code",
      root,
      walk: walk(root),
      cwdOf: ({ cwd }) => textIn(cwd),
      read: (path, session_key, cursor) => read({ path, session_key, memory_tags }, cursor)
    }, options)
  })

/**
 * `kind: claude-code` of `connectors.yaml`.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: ConnectorKind<Config, Schema.Schema.Encoded<typeof Config>> = {
  kind: "claude-code",
  source_type: "session",
  config: Config,
  make
}
