/**
 * Turns a fault inside a batch into a failure at its place: what came before it is delivered first.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * The Rights, batch by batch, until the first Left, with which the stream fails.
 *
 * @since 0.1.0
 * @category combinators
 */
export const untilLeft = <A, E, E2, R>(
  self: Stream.Stream<Either.Either<A, E>, E2, R>
): Stream.Stream<A, E | E2, R> =>
  Stream.flatMap(Stream.chunks(self), (batch): Stream.Stream<A, E> => {
    const [good, rest] = Chunk.splitWhere(batch, Either.isLeft)
    const rights = Stream.fromChunk(Chunk.filterMap(good, Either.getRight))
    return Option.match(Option.flatMap(Chunk.head(rest), Either.getLeft), {
      onNone: () => rights,
      onSome: (left) => Stream.concat(rights, Stream.fail(left))
    })
  })
