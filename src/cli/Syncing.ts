/**
 * A sync and a drift of a real home, as `mem sync`, `mem drift` and `mem ref sync` run them.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Live from "../../layers/Live.ts"
import { Connectors } from "../../services/Connectors.ts"
import { DriftReport } from "../domain/Drift.ts"
import { SyncReport } from "../domain/SyncReport.ts"
import { policyOf, scrubOf } from "../sync/PolicyOf.ts"
import { defaults, sync } from "../sync/sync.ts"
import { Verify } from "../sync/Verify.ts"
import { answer } from "./Answer.ts"
import { chosen, configuration } from "./Configuration.ts"
import * as DriftText from "./DriftText.ts"
import { ofDrift, ofSync } from "./Exit.ts"
import { global } from "./Global.ts"
import { Output } from "./Output.ts"
import * as Progress from "./Progress.ts"
import { embeddingMemory, foreseeing, type ModelLimits, remembering, roomForSessions } from "./Remembering.ts"
import * as SyncText from "./SyncText.ts"
import { UsageError } from "./UsageError.ts"

/**
 * `command` is how the answer calls itself; `verify` has sources look at what seems unchanged, too; `documentsOnly`
 * leaves session connectors out.
 *
 * @since 0.1.0
 * @category options
 */
export interface SyncGiven extends ModelLimits {
  readonly command: string
  readonly name: Option.Option<string>
  readonly allowMassRemoval: boolean
  readonly verify: boolean
  readonly documentsOnly: boolean
}

/**
 * @since 0.1.0
 * @category options
 */
export interface DriftGiven {
  readonly command: string
  readonly name: Option.Option<string>
  readonly estimate: boolean
  readonly exitCode: boolean
}

const goesOn = Console.error(
  "mem: stopped before the end; what was stored is kept, and the next sync goes on from there"
)

const encodeSync = Schema.encodeSync(SyncReport)
const encodeDrift = Schema.encodeSync(DriftReport)

/**
 * Mistakes of the configuration come before the lock, and the lock before all else. `looksOnly`: the key of the model is
 * not needed.
 */
const prepared = (command: string, name: Option.Option<string>, documentsOnly: boolean, looksOnly = false) =>
  Effect.gen(function*() {
    const { file, home } = yield* configuration
    if (file.model !== undefined) {
      yield* Live.checkModel(file, looksOnly ? Live.withoutKey(file.model) : file.model)
    }
    const layer = Layer.merge(Live.connectors(file), Live.embedder(file))
    const wanted = Effect.flatMap(Connectors, ({ configured }) =>
      chosen(
        command,
        name,
        configured.filter(({ source_type }) => !documentsOnly || source_type === "document").map(({ name }) => name)
      ).pipe(Effect.tap((only) =>
        configured.some(({ name, source_type }) => source_type === "session" && only.includes(name))
          ? roomForSessions(file)
          : Effect.void
      )))
    return { file, home, layer, wanted }
  })

/**
 * Syncs, under the lock, and answers with the report.
 *
 * @since 0.1.0
 * @category programs
 */
export const syncing = (given: SyncGiven) =>
  Effect.gen(function*() {
    const { allowMassRemoval, command, documentsOnly, name, verify } = given
    const { file, home, layer, wanted } = yield* prepared(`mem ${command}`, name, documentsOnly)
    const report = yield* Effect.flatMap(
      wanted,
      (only) =>
        sync({
          ...defaults,
          only,
          policyOf: policyOf(file),
          scrubOf: scrubOf(file),
          guards: file.guards,
          allowMassRemoval
        }).pipe(
          Effect.provideService(Verify, verify),
          Progress.watched,
          Effect.flatMap((report) => remembering(file, report, given)),
          Effect.flatMap(embeddingMemory),
          Effect.timed,
          Effect.map(([took, report]) =>
            new SyncReport({ ...report, duration_ms: Math.round(Duration.toMillis(took)) })
          ),
          Effect.provide(Cached.layerIndexed),
          Effect.provide(Live.write(home)),
          Effect.onInterrupt(() => goesOn)
        )
    ).pipe(Effect.provide(layer))
    yield* answer({
      document: { ...encodeSync(report), command },
      lines: SyncText.lines(report),
      code: ofSync(report)
    })
  })

/** How long a session that is still growing is left alone. */
const pause = "2 seconds"

/** What came in, in a line a connector; nothing where nothing did. */
const arrived = (report: SyncReport): ReadonlyArray<string> =>
  report.connectors.flatMap((connector) =>
    connector.status === "ok" && connector.new + connector.changed === 0
      ? []
      : SyncText.lines({ ...report, connectors: [connector] }).slice(0, -1)
  )

/**
 * Syncs, and then goes on with the sessions for as long as it may: what agents write while it runs is archived a moment
 * later. The lock is held all that time.
 *
 * @since 0.1.0
 * @category programs
 */
export const following = ({ allowMassRemoval, name, verify }: Omit<SyncGiven, "command" | "documentsOnly">) =>
  Effect.gen(function*() {
    const { json } = yield* global
    if (json) {
      const detail = "--follow goes on until it is stopped, so there is no one report: leave out --json"
      return yield* new UsageError({ command: "mem sync", detail })
    }
    const { file, home, layer, wanted } = yield* prepared("mem sync", name, false)
    yield* Effect.gen(function*() {
      const only = yield* wanted
      const { configured } = yield* Connectors
      const sessions = configured.flatMap((connector) =>
        connector.source_type === "session" && only.includes(connector.name)
          ? [connector.name]
          : []
      )
      if (sessions.length === 0) {
        const detail =
          "--follow reads sessions while they grow, and connectors.yaml names no connector of sessions here"
        return yield* new UsageError({ command: "mem sync", detail })
      }
      const { write } = yield* Output
      const print = (lines: ReadonlyArray<string>) => write(lines.map((line) => `${line}\n`).join(""))
      const options = {
        ...defaults,
        policyOf: policyOf(file),
        scrubOf: scrubOf(file),
        guards: file.guards,
        allowMassRemoval
      }
      const first = sync({ ...options, only }).pipe(Effect.provideService(Verify, verify), Progress.watched)
      const more = Effect.flatMap(sync({ ...options, only: sessions }), (report) => print(arrived(report)))
      yield* Effect.gen(function*() {
        yield* print(SyncText.lines(yield* first))
        yield* Console.error(`mem: following ${sessions.join(", ")}; stop it with Ctrl-C`)
        yield* Effect.repeat(Effect.delay(more, pause), Schedule.forever)
      }).pipe(
        Effect.provide(Cached.layerIndexed),
        Effect.provide(Live.write(home)),
        Effect.onInterrupt(() => goesOn)
      )
    }).pipe(Effect.provide(layer))
  })

/**
 * Looks what a sync would do, by readers alone, and answers with the report.
 *
 * @since 0.1.0
 * @category programs
 */
export const drifting = ({ command, estimate, exitCode, name }: DriftGiven) =>
  Effect.gen(function*() {
    const { file, home, layer, wanted } = yield* prepared(`mem ${command}`, name, false, true)
    const report = yield* Effect.flatMap(wanted, (only) =>
      foreseeing(file, {
        ...defaults,
        only,
        policyOf: policyOf(file),
        scrubOf: scrubOf(file),
        guards: file.guards,
        estimate
      }).pipe(
        Effect.provide(Cached.layerIndexed),
        Effect.provide(Live.readIndex(home)),
        Effect.provide(Live.read(home))
      )).pipe(Effect.provide(layer))
    yield* answer({
      document: encodeDrift(report),
      lines: DriftText.lines(report),
      code: ofDrift(report, exitCode)
    })
  })
