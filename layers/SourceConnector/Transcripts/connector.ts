/**
 * A connector of transcripts: what is common to those of all agents. Its coverage is a window: agents delete what is
 * old, and what is gone stays in memory.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import type { SessionConnector } from "../../../services/SourceConnector.ts"
import { ConnectorError, RecordSourceError } from "../../../src/domain/ConnectorErrors.ts"
import { defaultLimits } from "../../../src/domain/ConnectorsFile.ts"
import type { Cursor } from "../../../src/domain/Cursor.ts"
import { type ConnectorName, SessionKey } from "../../../src/domain/Ids.ts"
import { ListingRoot } from "../../../src/domain/Listing.ts"
import type { SessionItem } from "../../../src/domain/SessionRead.ts"
import { matcher } from "../../../src/text/Glob.ts"
import type { JsonObject } from "../../../src/transcript/Json.ts"
import { Disk, type DiskError, type DiskOperations } from "../Folder/Disk.ts"
import { rootUri } from "../Folder/Names.ts"
import { globsOf, momentOf, type Options } from "./Config.ts"
import { type Candidate, type Found, isMissing, isOurs } from "./Found.ts"
import { itemsOf } from "./Listing.ts"
import { cwdIn } from "./Project.ts"

/**
 * What an agent's transcripts are: where they stand, what a line says of its project, how one is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Agent {
  readonly kind: string
  /** An absolute path. */
  readonly root: string
  readonly walk: (disk: DiskOperations) => Effect.Effect<Found, DiskError>
  readonly cwdOf: (line: JsonObject) => string | undefined
  readonly read: (
    path: string,
    session_key: SessionKey,
    cursor: Cursor | undefined
  ) => Stream.Stream<SessionItem, RecordSourceError>
}

/** Of its project a session says the same each time, so a file is asked only once. */
const isWantedBy = (globs: ReadonlyArray<string>, cwdOf: Agent["cwdOf"]) => {
  const matches = matcher(globs)
  const answers = new Map<string, boolean>()
  return ({ group, path }: Candidate): Effect.Effect<boolean> => {
    const known = matches(group) || answers.get(path)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(cwdIn(path, cwdOf), (cwd) => {
      const answer = cwd !== undefined && matches(cwd)
      if (cwd !== undefined) answers.set(path, answer)
      return answer
    })
  }
}

/**
 * The connector. Whether its folder is there is asked by each listing, not here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectorOf = (
  name: ConnectorName,
  { cwdOf, kind, read, root, walk }: Agent,
  { project, since }: Pick<Options, "project" | "since">
): Effect.Effect<SessionConnector> =>
  Effect.gen(function*() {
    const disk = yield* Disk
    const globs = globsOf(project)
    const isWanted = globs === undefined ? () => Effect.succeed(true) : isWantedBy(globs, cwdOf)
    const uri = rootUri(root)

    const listed = (known: Parameters<SessionConnector["list"]>[0]) =>
      Effect.gen(function*() {
        const cutOff = since === undefined ? 0 : momentOf(since, yield* Clock.currentTimeMillis)
        const found = yield* walk(disk)
        const { items, ...remark } = yield* itemsOf({ disk, known, since: cutOff, isWanted }, found)
        const isRootBroken = found.broken.some(({ path }) => path === root)
        return {
          coverage: "window" as const,
          roots: [
            ...(isRootBroken ? [] : [new ListingRoot({ uri, status: "readable" })]),
            ...found.broken.map(({ path, status }) => new ListingRoot({ uri: rootUri(path), status }))
          ],
          documents: Stream.fromIterable(items),
          ...remark
        }
      })

    return {
      source_type: "session",
      name,
      kind,
      limits: defaultLimits,
      list: (known) =>
        Effect.flatMap(
          Effect.either(disk.statFollowing(root)),
          (stat) => {
            const broken = stat._tag === "Left"
              ? isOurs(stat.left) ? undefined : isMissing(stat.left) ? "missing" as const : "unreadable" as const
              : stat.right.kind === "folder"
              ? undefined
              : "unreadable" as const
            return broken === undefined ? listed(known) : Effect.succeed({
              coverage: "window" as const,
              roots: [new ListingRoot({ uri, status: broken })],
              documents: Stream.empty
            })
          }
        ).pipe(
          Effect.mapError(({ cause, code }) =>
            new ConnectorError({
              connector: name,
              operation: "list",
              detail: `the system gives no more files or memory (${code})`,
              advice: "close other programs, or raise the limit (ulimit -n), and run the command again",
              retryable: true,
              cause
            })
          ),
          Effect.withSpan("Transcripts.list", { attributes: { connector: name } })
        ),
      records: ({ doc_id, source_uri }, cursor) =>
        Stream.unwrap(Effect.try({
          try: () => read(fileURLToPath(source_uri), SessionKey.make(doc_id), cursor),
          catch: (cause) =>
            new RecordSourceError({
              source: doc_id,
              detail: `${source_uri} is no file`,
              advice: "list the connector again",
              cause
            })
        }))
    }
  })
