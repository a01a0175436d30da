/**
 * Progress as files: `<home>/log/connectors/<name>.progress.jsonl`. Lines are appended without a sync; that the file
 * is there at all is durable before the first of them.
 *
 * A file stays open from its first line until it is cleared. A line that a crash or a full disk cut short is written
 * over by the next one, and is passed over when read.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { dirname } from "node:path"
import { type LogFile, LogFs } from "../../services/LogFs.ts"
import { ProgressStore } from "../../services/ProgressStore.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"
import type { LogFsError } from "../../src/domain/LogErrors.ts"
import { ProgressLine } from "../../src/domain/Manifest.ts"
import { writeAll } from "../LogFs/WriteAll.ts"
import { connectorFile, create, ifNotFound, orManifestError } from "../ManifestStore/AtomicFile.ts"
import { read } from "../ManifestStore/JsonLines.ts"

/**
 * `home` is the memory home, the folder that holds `log`.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly home: string
}

/** `end` is where the next line goes. */
interface Open {
  readonly file: LogFile
  readonly scope: Scope.CloseableScope
  end: number
}

const lineFeed = 0x0a
const pieceBytes = 64 * 1024

/** Where the last whole line before `to` ends, found from behind: the file may be large. */
const wholeLines = (file: LogFile, to: number): Effect.Effect<number, LogFsError> => {
  const from = Math.max(0, to - pieceBytes)
  return to === 0 ? Effect.succeed(0) : Effect.flatMap(file.read(from, to - from), (piece) => {
    const last = piece.lastIndexOf(lineFeed)
    return last < 0 ? wholeLines(file, from) : Effect.succeed(from + last + 1)
  })
}

/** The file of a sync that was cut short, without what is behind its last whole line. */
const takeUp = (fs: LogFs["Type"], path: string) =>
  Effect.gen(function*() {
    const file = yield* fs.open(path, "write")
    const end = yield* wholeLines(file, yield* file.size)
    yield* file.truncate(end)
    return { file, end }
  })

const encode = Schema.encodeSync(Schema.parseJson(ProgressLine))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ home }: Options): Effect.Effect<ProgressStore["Type"], never, LogFs | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* LogFs
    const all = yield* Effect.scope
    const turn = yield* Effect.makeSemaphore(1)
    const opened = new Map<ConnectorName, Open>()

    const pathOf = (connector: ConnectorName) => connectorFile(home, connector, "progress")

    /** One at a time, and to its end: a write that was interrupted would go on behind the next one's back. */
    const alone = <A>(connector: ConnectorName, effect: Effect.Effect<A, LogFsError>) =>
      effect.pipe(turn.withPermits(1), Effect.uninterruptible, orManifestError(pathOf(connector), "write"))

    const open = (connector: ConnectorName): Effect.Effect<Open, LogFsError> =>
      Effect.gen(function*() {
        const known = opened.get(connector)
        if (known !== undefined) return known
        const path = pathOf(connector)
        const scope = yield* Scope.fork(all, ExecutionStrategy.sequential)
        const { end, file } = yield* create(fs, path).pipe(
          Effect.map((file) => ({ file, end: 0 })),
          Effect.catchIf(({ reason }) => reason === "AlreadyExists", () => takeUp(fs, path)),
          Effect.tap(({ file }) => file.sync),
          Effect.zipLeft(fs.syncDir(dirname(path))),
          Scope.extend(scope),
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        const now: Open = { file, scope, end }
        opened.set(connector, now)
        return now
      })

    return ProgressStore.of({
      load: (connector) =>
        read(fs, pathOf(connector), ProgressLine).pipe(
          Stream.filterMap(identity),
          Stream.runCollect,
          Effect.map(Chunk.toReadonlyArray),
          ifNotFound(() => Effect.succeed([])),
          orManifestError(pathOf(connector), "read")
        ),
      exists: (connector) =>
        Effect.scoped(fs.open(pathOf(connector), "read")).pipe(
          Effect.as(true),
          ifNotFound(() => Effect.succeed(false)),
          orManifestError(pathOf(connector), "read")
        ),
      begin: (connector) => alone(connector, Effect.asVoid(open(connector))),
      append: (connector, line) =>
        alone(
          connector,
          Effect.gen(function*() {
            const to = yield* open(connector)
            const bytes = Buffer.from(`${encode(line)}\n`)
            yield* writeAll(to.file, pathOf(connector), to.end, bytes)
            to.end += bytes.length
          })
        ),
      clear: (connector) =>
        alone(
          connector,
          Effect.gen(function*() {
            const now = opened.get(connector)
            opened.delete(connector)
            if (now !== undefined) yield* Scope.close(now.scope, Exit.void)
            yield* fs.unlink(pathOf(connector)).pipe(
              Effect.zipRight(fs.syncDir(dirname(pathOf(connector)))),
              ifNotFound(() => Effect.void)
            )
          })
        )
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ProgressStore, never, LogFs> =>
  Layer.scoped(ProgressStore, make(options))
