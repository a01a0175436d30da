/**
 * A cache around any embedder: what the log has a vector for is not embedded again. The log's `vector` lines are the
 * cache; an index says where each of them stands.
 *
 * It only reads. Whoever embeds writes the vectors to the log, and the next call finds them there. A log that cannot be
 * read costs embedding, never a wrong or missing answer: a line that is not the wanted vector is a miss, and from then
 * on `missing` names its text again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createHash } from "node:crypto"
import { Embedder } from "../../services/Embedder.ts"
import { type LogPosition, LogReader } from "../../services/LogReader.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { EmbedderError, type EmbedderUnavailable, type EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import { Sha256 } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import type { Vector } from "../../src/domain/Reference.ts"
import { decode } from "../../src/log/Float32.ts"
import * as FromLog from "../VectorIndex/FromLog.ts"

/** How many lines of the log are read at the same time. */
const readsInFlight = 8

type Answer = Either.Either<Float32Array, EmbedRefused>

const sha256 = (text: string): Sha256 => Sha256.make(createHash("sha256").update(text).digest("hex"))

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

/** The line's vector, if it is one that this embedder made. */
const vectorOf = (embedder: Embedder["Type"], record: LogRecord): Option.Option<Vector> =>
  record.kind === "vector" && record.body.model === embedder.fingerprint && record.body.dims === embedder.dims
    ? Option.some(record.body)
    : Option.none()

const samePlace = (a: LogPosition, b: LogPosition | undefined): boolean =>
  a.segment === b?.segment && a.offset === b.offset

/** The vectors that the log has of texts. */
const makeLookUp = (embedder: Embedder["Type"], log: LogReader["Type"], index: VectorIndex["Type"]) => {
  const kind = { model: embedder.fingerprint, dims: embedder.dims }
  /** Places that the index named for a text, and that did not hold its vector. */
  const bad = new Map<Sha256, LogPosition>()

  /** Where the vector of each text should be; texts without one are left out. */
  const placesOf = (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, LogPosition>> => {
    const hashed = texts.map((text) => [text, sha256(text)] as const)
    return Effect.map(
      index.positions(kind, hashed.map(([, hash]) => hash)),
      (positions) =>
        new Map(hashed.flatMap(([text, hash]) => {
          const position = positions.get(hash)
          return position === undefined || samePlace(position, bad.get(hash)) ? [] : [[text, position] as const]
        }))
    )
  }

  /** The text's vector, read from the log. */
  const read = (text: string, position: LogPosition): Effect.Effect<Option.Option<Float32Array>> => {
    const embed_sha256 = sha256(text)
    const miss = (detail: string) =>
      Effect.logWarning(`a vector is made anew, for its line in the log cannot be used: ${detail}`).pipe(
        Effect.annotateLogs({ ...position, embed_sha256 }),
        Effect.as(Option.none<Float32Array>())
      )
    const unusable = (detail: string) => {
      bad.set(embed_sha256, position)
      return miss(detail)
    }
    return log.at(position).pipe(
      Effect.matchEffect({
        // The disk may answer the next time; a bad line stays bad.
        onFailure: (error) => error._tag === "LogFsError" ? miss(error.message) : unusable(error.message),
        onSuccess: (record) =>
          Option.filter(vectorOf(embedder, record), (vector) => vector.embed_sha256 === embed_sha256).pipe(
            Either.fromOption(() => "it is another record now"),
            Either.flatMap(({ data, dims }) => decode(data, dims)),
            Either.match({ onLeft: unusable, onRight: Effect.succeedSome })
          )
      })
    )
  }

  return { placesOf, read }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Embedder["Type"], never, Embedder | LogReader | VectorIndex> = Effect.gen(function*() {
  const inner = yield* Embedder
  const { placesOf, read } = makeLookUp(inner, yield* LogReader, yield* VectorIndex)

  const ask = (
    texts: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, Answer>, EmbedderError | EmbedderUnavailable> =>
    texts.length === 0 ? Effect.succeed(new Map()) : Effect.map(
      inner.embed(texts),
      (answers) => new Map(texts.flatMap((text, i) => answers.slice(i, i + 1).map((answer) => [text, answer] as const)))
    )

  return Embedder.of({
    ...inner,
    missing: (texts) =>
      texts.length === 0 ? Effect.succeed([]) : Effect.flatMap(
        placesOf(distinct(texts)),
        (places) => inner.missing(distinct(texts).filter((text) => !places.has(text)))
      ),
    embed: (texts) =>
      texts.length === 0 ? Effect.succeed([]) : Effect.gen(function*() {
        const wanted = distinct(texts)
        const found = new Map<string, Answer>()
        yield* Effect.forEach(yield* placesOf(wanted), ([text, position]) =>
          Effect.map(
            read(text, position),
            Option.map((vector) => found.set(text, Either.right(vector)))
          ), {
          concurrency: readsInFlight,
          discard: true
        })
        const asked = yield* ask(wanted.filter((text) => !found.has(text)))
        return yield* Effect.forEach(texts, (text) => {
          const answer = found.get(text) ?? asked.get(text)
          return answer === undefined
            ? new EmbedderError({
              embedder: inner.fingerprint,
              detail: "it answered fewer texts than it was given",
              advice: "choose another embedder, or report this to whoever maintains it",
              retryable: false
            })
            : Effect.succeed(answer)
        })
      })
  })
})

/**
 * Over whatever index there is.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerIndexed: Layer.Layer<Embedder, never, Embedder | LogReader | VectorIndex> = Layer.effect(
  Embedder,
  make
)

/**
 * With an index of its own, folded from the whole log when it is first needed.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Embedder, never, Embedder | LogReader> = Layer.provide(layerIndexed, FromLog.layer)
