/**
 * What the tables know of the log's lines, such as where they stand: of the log only what lies behind the index is read.
 *
 * An index that does not belong to this log, or that goes back to an earlier state (it is being folded anew), is left
 * aside: then the whole log is read, as without it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { type LocatedRecord, LogReader, type LogReadError } from "../../../services/LogReader.ts"
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
export interface Lookup<Of, Key, Value> {
  readonly take: (line: LocatedRecord) => void
  readonly inLines: (of: Of, key: Key) => Value | undefined
  readonly inTables: (database: Database, of: Of, key: Key) => Value | undefined
}

interface Started<Of, Key, Value, E> {
  readonly lookup: Lookup<Of, Key, Value>
  readonly catchUp: Effect.Effect<void, E>
  /** The tables may be asked as long as they have folded this line; none where they may not. */
  readonly from: Option.Option<FoldedLine>
}

type Found<Key, Value> = ReadonlyArray<readonly [Key, Value]>

const each = <Key, Value>(
  keys: ReadonlyArray<Key>,
  valueOf: (key: Key) => Value | undefined
): Found<Key, Value> =>
  keys.flatMap((key) => {
    const value = valueOf(key)
    return value === undefined ? [] : [[key, value] as const]
  })

/**
 * What is known of each key; those of which nothing is are left out. `bear` says what becomes of a log that cannot
 * be read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Of, Key, Value, E>(
  { read }: Pick<Store, "read">,
  log: LogReader["Type"],
  begin: () => Lookup<Of, Key, Value>,
  bear: (catchUp: Effect.Effect<void, LogReadError>) => Effect.Effect<void, E>
): Effect.Effect<(of: Of, keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, Value>, E>> =>
  Effect.gen(function*() {
    const state = yield* SynchronizedRef.make(Option.none<Started<Of, Key, Value, E>>())

    const startAt = (from: Option.Option<FoldedLine>) =>
      Effect.suspend(() => {
        const lookup = begin()
        return Effect.map(
          follow(log, Option.map(from, behind), lookup.take),
          (catchUp): Started<Of, Key, Value, E> => ({ lookup, catchUp: bear(catchUp), from })
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
      { lookup }: Started<Of, Key, Value, E>,
      of: Of,
      keys: ReadonlyArray<Key>,
      from: FoldedLine
    ): Effect.Effect<Option.Option<Found<Key, Value>>> =>
      read((database) => {
        const holds = Option.exists(Folded.get(database), ({ seq }) => seq >= from.seq)
        return holds ? Option.some(each(keys, (key) => lookup.inTables(database, of, key))) : Option.none()
      }).pipe(Effect.orElseSucceed(() => Option.none()))

    const inLines = ({ lookup }: Started<Of, Key, Value, E>, of: Of, keys: ReadonlyArray<Key>): Found<Key, Value> =>
      each(keys, (key) => lookup.inLines(of, key))

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
