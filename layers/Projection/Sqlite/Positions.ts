/**
 * Where lines of the log stand, by the tables: of the log only what lies behind the index is read.
 *
 * An index that does not belong to this log, or that goes back to an earlier state (it is being folded anew), is left
 * aside: then the whole log is read, as without it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { type LocatedRecord, type LogPosition, LogReader, type LogReadError } from "../../../services/LogReader.ts"
import type { FoldedLine } from "../../../services/Projection.ts"
import { follow } from "../../../src/log/Follow.ts"
import { behind } from "../../../src/log/Live.ts"
import { stillThere } from "../../../src/sync/CatchUp.ts"
import type { Database } from "./Database.ts"
import * as Folded from "./Folded.ts"
import type { Store } from "./Store.ts"

/**
 * What is looked up, in lines that `take` was handed, and in the tables, which hold all that is in front of them (and
 * maybe more).
 *
 * @since 0.1.0
 * @category models
 */
export interface Places<Of, Key> {
  readonly take: (line: LocatedRecord) => void
  readonly inLines: (of: Of, key: Key) => LogPosition | undefined
  readonly inTables: (database: Database, of: Of, key: Key) => LogPosition | undefined
}

interface Started<Of, Key, E> {
  readonly places: Places<Of, Key>
  readonly catchUp: Effect.Effect<void, E>
  /** The tables may be asked as long as they have folded this line; none where they may not. */
  readonly from: Option.Option<FoldedLine>
}

type Found<Key> = ReadonlyArray<readonly [Key, LogPosition]>

const lookUp = <Key>(keys: ReadonlyArray<Key>, positionOf: (key: Key) => LogPosition | undefined): Found<Key> =>
  keys.flatMap((key) => {
    const position = positionOf(key)
    return position === undefined ? [] : [[key, position] as const]
  })

/**
 * The place of the last line of each key; those without one are left out. `bear` says what becomes of a log that cannot
 * be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Of, Key, E>(
  { read }: Pick<Store, "read">,
  log: LogReader["Type"],
  begin: () => Places<Of, Key>,
  bear: (catchUp: Effect.Effect<void, LogReadError>) => Effect.Effect<void, E>
): Effect.Effect<(of: Of, keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, LogPosition>, E>> =>
  Effect.gen(function*() {
    const state = yield* SynchronizedRef.make(Option.none<Started<Of, Key, E>>())

    const startAt = (from: Option.Option<FoldedLine>) =>
      Effect.suspend(() => {
        const places = begin()
        return Effect.map(
          follow(log, Option.map(from, behind), places.take),
          (catchUp): Started<Of, Key, E> => ({ places, catchUp: bear(catchUp), from })
        )
      })

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

    /** None where the tables are no longer those that the lines go on from. */
    const inTables = (
      { places }: Started<Of, Key, E>,
      of: Of,
      keys: ReadonlyArray<Key>,
      from: FoldedLine
    ): Effect.Effect<Option.Option<Found<Key>>> =>
      read((database) => {
        const holds = Option.exists(Folded.get(database), ({ seq }) => seq >= from.seq)
        return holds ? Option.some(lookUp(keys, (key) => places.inTables(database, of, key))) : Option.none()
      }).pipe(Effect.orElseSucceed(() => Option.none()))

    const inLines = ({ places }: Started<Of, Key, E>, of: Of, keys: ReadonlyArray<Key>): Found<Key> =>
      lookUp(keys, (key) => places.inLines(of, key))

    return (of, keys) =>
      Effect.gen(function*() {
        const now = yield* started
        yield* now.catchUp
        const stored = Option.isNone(now.from) ? Option.some([]) : yield* inTables(now, of, keys, now.from.value)
        if (Option.isSome(stored)) return new Map([...stored.value, ...inLines(now, of, keys)])
        const whole = yield* startAt(Option.none())
        yield* SynchronizedRef.set(state, Option.some(whole))
        yield* whole.catchUp
        return new Map(inLines(whole, of, keys))
      })
  })
