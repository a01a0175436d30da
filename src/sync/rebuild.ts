/**
 * Throws the projection away and folds it again from the log: identical state, and not one call to an embedder.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { Projection } from "../../services/Projection.ts"
import { Sha256 } from "../domain/Ids.ts"
import { DumpLine, RebuildReport } from "../domain/RebuildReport.ts"
import type { ProjectionError } from "../domain/StoreErrors.ts"
import { catchUp } from "./CatchUp.ts"

const encode = Schema.encodeSync(Schema.parseJson(DumpLine))

const printed = (line: DumpLine): string => `${encode(line)}\n`

/**
 * The live state as sorted JSON lines, line feeds included: what `mem dump` prints.
 *
 * @since 0.1.0
 * @category dumping
 */
export const dump = (options: {
  readonly embeddings: boolean
}): Stream.Stream<string, ProjectionError, Projection> =>
  Stream.unwrap(
    Effect.map(Projection, (projection) => Stream.map(projection.dump(options), printed))
  )

/**
 * How many lines of each kind the dump has.
 *
 * @since 0.1.0
 * @category models
 */
export type LiveCounts = Pick<RebuildReport, "live_chunks" | "live_records" | "live_memory">

const members = { reference: "live_chunks", record: "live_records", memory: "live_memory" } as const

/**
 * The sha256 of the dump with embeddings, and how many passages, Records and pieces of memory it has. It is taken from the projection, not from the
 * log, so a projection that differs by a byte differs here.
 *
 * @since 0.1.0
 * @category dumping
 */
export const digest: Effect.Effect<
  LiveCounts & { readonly state_sha256: Sha256 },
  ProjectionError,
  Projection
> = Effect.suspend(() => {
  const hash = createHash("sha256")
  const counts = { live_chunks: 0, live_records: 0, live_memory: 0 }
  return Stream.unwrap(Effect.map(Projection, (projection) => projection.dump({ embeddings: true }))).pipe(
    Stream.runForEach((line) =>
      Effect.sync(() => {
        hash.update(printed(line))
        counts[members[line.kind]] += 1
      })
    ),
    Effect.map(() => ({ ...counts, state_sha256: Sha256.make(hash.digest("hex")) }))
  )
})

/**
 * @since 0.1.0
 * @category programs
 */
export const rebuild: Effect.Effect<RebuildReport, LogReadError | ProjectionError, LogReader | Projection> = Effect.gen(
  function*() {
    const projection = yield* Projection
    // What is wrong with the log is found before the index that there is has been given up.
    yield* Effect.flatMap(LogReader, ({ records }) => Stream.runDrain(records()))
    yield* projection.clear
    const records = yield* catchUp
    return new RebuildReport({ command: "rebuild", ok: true, records, embed_calls: 0, ...yield* digest })
  }
)
