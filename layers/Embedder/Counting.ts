/**
 * Counts what reaches the embedder inside. Around the real one and inside the cache, its numbers are what a sync costs.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { Embedder } from "../../services/Embedder.ts"

/**
 * Calls of `embed` and `embedQueries`, and the texts of all of them. A call that fails counts too: it was made.
 *
 * @since 0.1.0
 * @category models
 */
export interface EmbedCounts {
  readonly calls: number
  readonly texts: number
}

/**
 * @since 0.1.0
 * @category tags
 */
export class CountingEmbedder extends Context.Tag("mem/CountingEmbedder")<CountingEmbedder, {
  /** What has reached the embedder inside, so far. */
  readonly counts: Effect.Effect<EmbedCounts>
}>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Context.Context<Embedder | CountingEmbedder>, never, Embedder> = Effect.gen(
  function*() {
    const inner = yield* Embedder
    const counts = yield* Ref.make<EmbedCounts>({ calls: 0, texts: 0 })
    const add = (n: number) => Ref.update(counts, ({ calls, texts }) => ({ calls: calls + 1, texts: texts + n }))
    const counted = (embed: Embedder["Type"]["embed"]): Embedder["Type"]["embed"] => (texts) =>
      Effect.zipRight(add(texts.length), embed(texts))
    return Context.make(CountingEmbedder, { counts: Ref.get(counts) }).pipe(Context.add(Embedder, {
      ...inner,
      embed: counted(inner.embed),
      ...(inner.embedQueries === undefined ? {} : { embedQueries: counted(inner.embedQueries) })
    }))
  }
)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Embedder | CountingEmbedder, never, Embedder> = Layer.effectContext(make)
