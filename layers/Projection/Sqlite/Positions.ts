/**
 * The index of vectors in the tables: of the log only what lies behind the index is read.
 *
 * An index that does not belong to this log, or that goes back to an earlier state (it is being folded anew), is left
 * aside: then the whole log is read, as without it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { type LogPosition, LogReader } from "../../../services/LogReader.ts"
import type { FoldedLine } from "../../../services/Projection.ts"
import type { VectorIndex, VectorKind } from "../../../services/VectorIndex.ts"
import type { Sha256 } from "../../../src/domain/Ids.ts"
import { behind } from "../../../src/log/Live.ts"
import { stillThere } from "../../../src/sync/CatchUp.ts"
import * as Tail from "../../VectorIndex/Tail.ts"
import type { Database } from "./Database.ts"
import * as Folded from "./Folded.ts"
import { hashBytes, utf8 } from "./Row.ts"
import type { Store } from "./Store.ts"

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ segment: Schema.Int, offset: Schema.Int })))

const positionOf = (database: Database, { dims, model }: VectorKind, text: Sha256): LogPosition | undefined =>
  rows(database.all(
    `select v.segment, v.offset from model m join vector v on v.model = m.id and v.embed_sha256 = ?
    where m.fingerprint = ? and m.dims = ?`,
    hashBytes(text),
    utf8(model),
    dims
  ))[0]

interface Started {
  readonly tail: Tail.Tail
  /** The tables may be asked as long as they have folded this line; none where they may not. */
  readonly from: Option.Option<FoldedLine>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { read }: Pick<Store, "read">,
  log: LogReader["Type"]
): Effect.Effect<VectorIndex["Type"]> =>
  Effect.gen(function*() {
    const state = yield* SynchronizedRef.make(Option.none<Started>())

    const startAt = (from: Option.Option<FoldedLine>) =>
      Effect.map(Tail.make(log, Option.map(from, behind)), (tail): Started => ({ tail, from }))

    /** Where the tables stand, if this is the log that they were folded from. */
    const trusted = Effect.gen(function*() {
      const last = yield* read(Folded.get)
      const holds = Option.isSome(last) && (yield* stillThere(last.value))
      return Option.filter(last, () => holds)
    }).pipe(
      Effect.provideService(LogReader, log),
      Effect.orElseSucceed(() => Option.none<FoldedLine>())
    )

    const started = SynchronizedRef.updateAndGetEffect(state, (before) =>
      Effect.asSome(Option.match(before, {
        onNone: () => Effect.flatMap(trusted, startAt),
        onSome: Effect.succeed
      }))).pipe(Effect.flatMap(Effect.orDie))

    /** None where the tables are no longer those that the tail goes on from. */
    const inTables = (
      kind: VectorKind,
      texts: ReadonlyArray<Sha256>,
      from: FoldedLine
    ): Effect.Effect<Option.Option<ReadonlyArray<readonly [Sha256, LogPosition]>>> =>
      read((database) => {
        const holds = Option.exists(Folded.get(database), ({ seq }) => seq >= from.seq)
        return holds
          ? Option.some(texts.flatMap((text) => {
            const position = positionOf(database, kind, text)
            return position === undefined ? [] : [[text, position] as const]
          }))
          : Option.none()
      }).pipe(Effect.orElseSucceed(() => Option.none()))

    const inTail = (
      { tail }: Started,
      kind: VectorKind,
      texts: ReadonlyArray<Sha256>
    ): Effect.Effect<ReadonlyArray<readonly [Sha256, LogPosition]>> =>
      Effect.map(tail.catchUp, () =>
        texts.flatMap((text) => {
          const position = tail.positionOf(kind, text)
          return position === undefined ? [] : [[text, position] as const]
        }))

    return {
      positions: (kind, texts) =>
        Effect.gen(function*() {
          const now = yield* started
          const stored = Option.isNone(now.from) ? Option.some([]) : yield* inTables(kind, texts, now.from.value)
          if (Option.isSome(stored)) return new Map([...stored.value, ...yield* inTail(now, kind, texts)])
          const whole = yield* startAt(Option.none())
          yield* SynchronizedRef.set(state, Option.some(whole))
          return new Map(yield* inTail(whole, kind, texts))
        })
    }
  })
