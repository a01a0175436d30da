/**
 * A sync and a drift of a real home, as `mem sync`, `mem drift` and `mem ref sync` run them.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Live from "../../layers/Live.ts"
import { Connectors } from "../../services/Connectors.ts"
import { DriftReport } from "../domain/Drift.ts"
import { SyncReport } from "../domain/SyncReport.ts"
import { drift } from "../sync/drift.ts"
import { policyOf } from "../sync/PolicyOf.ts"
import { defaults, sync } from "../sync/sync.ts"
import { Verify } from "../sync/Verify.ts"
import { answer } from "./Answer.ts"
import { chosen, configuration } from "./Configuration.ts"
import * as DriftText from "./DriftText.ts"
import { ofDrift, ofSync } from "./Exit.ts"
import * as Progress from "./Progress.ts"
import * as SyncText from "./SyncText.ts"

/**
 * `command` is how the answer calls itself; `verify` has sources look at what seems unchanged, too; `documentsOnly`
 * leaves session connectors out.
 *
 * @since 0.1.0
 * @category options
 */
export interface SyncGiven {
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

/** Mistakes of the configuration come before the lock, and the lock before all else. */
const prepared = (command: string, name: Option.Option<string>, documentsOnly: boolean) =>
  Effect.gen(function*() {
    const { file, home } = yield* configuration
    const layer = Layer.merge(Live.connectors(file), Live.embedder(file))
    const wanted = Effect.flatMap(Connectors, ({ configured }) =>
      chosen(
        command,
        name,
        configured.filter(({ source_type }) => !documentsOnly || source_type === "document").map(({ name }) => name)
      ))
    return { file, home, layer, wanted }
  })

/**
 * Syncs, under the lock, and answers with the report.
 *
 * @since 0.1.0
 * @category programs
 */
export const syncing = ({ allowMassRemoval, command, documentsOnly, name, verify }: SyncGiven) =>
  Effect.gen(function*() {
    const { file, home, layer, wanted } = yield* prepared(`mem ${command}`, name, documentsOnly)
    const report = yield* Effect.flatMap(
      wanted,
      (only) =>
        sync({ ...defaults, only, policyOf: policyOf(file), guards: file.guards, allowMassRemoval }).pipe(
          Effect.provideService(Verify, verify),
          Progress.watched,
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

/**
 * Looks what a sync would do, by readers alone, and answers with the report.
 *
 * @since 0.1.0
 * @category programs
 */
export const drifting = ({ command, estimate, exitCode, name }: DriftGiven) =>
  Effect.gen(function*() {
    const { file, home, layer, wanted } = yield* prepared(`mem ${command}`, name, false)
    const report = yield* Effect.flatMap(wanted, (only) =>
      drift({ ...defaults, only, policyOf: policyOf(file), guards: file.guards, estimate }).pipe(
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
