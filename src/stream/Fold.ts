/**
 * Runs a pure step over a stream, batch by batch, with one signal more when the stream is over, so that a tail is
 * never lost. The chunker and the line splitter are both such steps.
 *
 * It works on the batches that the upstream makes: the cost is one step a batch, and memory is the step's own state.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"

/**
 * What a step is told: some items (an upstream may send an empty batch), or to give out what it still
 * holds.
 *
 * @since 0.1.0
 * @category models
 */
export type Signal<A> = Data.TaggedEnum<{
  Batch: { readonly items: ReadonlyArray<A> }
  Flush: {}
}>
interface SignalDefinition extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: Signal<this["A"]>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const Signal = Data.taggedEnum<SignalDefinition>()

/**
 * A pure step: the next state, and what came out.
 *
 * @since 0.1.0
 * @category models
 */
export type Step<S, A, B> = (state: S, signal: Signal<A>) => readonly [S, ReadonlyArray<B>]

/**
 * The stream of what the step gives out. The last signal is a `Flush`, unless the stream fails: then the failure comes
 * after all that was given out before it, and what the step still held is not.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fold =
  <S, A, B>(initial: S, step: Step<S, A, B>) => <E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<B, E, R> =>
    self.pipe(
      Stream.mapChunks((batch) => Chunk.of(Signal.Batch({ items: Chunk.toReadonlyArray(batch) }))),
      Stream.concat(Stream.succeed(Signal.Flush())),
      Stream.mapAccum(initial, step),
      Stream.flattenIterables
    )
