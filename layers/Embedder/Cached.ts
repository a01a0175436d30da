/**
 * A cache around any embedder: what the log has a vector for is not embedded again. The log's `vector` lines are the
 * cache; in memory there is only where each of them stands, never the vectors.
 *
 * It only reads. Whoever embeds writes the vectors to the log, and the next call finds them there. A log that cannot be
 * read costs embedding, never a wrong or missing answer: a line that is not the wanted vector is a miss, and from then
 * on `missing` names its text again.
 *
 * @since 0.1.0
 */
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { Embedder } from "../../services/Embedder.ts"
import { type LocatedRecord, type LogPosition, LogReader } from "../../services/LogReader.ts"
import { EmbedderError, type EmbedderUnavailable, type EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import type { Vector } from "../../src/domain/Reference.ts"
import { decode } from "../../src/log/Float32.ts"

/** How many lines of the log are read at the same time. */
const readsInFlight = 8

type Answer = Either.Either<Float32Array, EmbedRefused>

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

/** The line's vector, if it is one that this embedder made. */
const vectorOf = (embedder: Embedder["Type"], record: LogRecord): Option.Option<Vector> =>
  record.kind === "vector" && record.body.model === embedder.fingerprint && record.body.dims === embedder.dims
    ? Option.some(record.body)
    : Option.none()

/** Where the vector of each text stands, by the text's sha256. It is made of the log when first asked. */
const makeIndex = (embedder: Embedder["Type"], log: LogReader["Type"]) =>
  Effect.gen(function*() {
    const turn = yield* Effect.makeSemaphore(1)
    const positions = new Map<string, LogPosition>()
    let next: LogPosition | undefined = undefined
    let warned = false

    const fold = (lines: Chunk.Chunk<LocatedRecord>) =>
      Effect.sync(() => {
        for (const { length, position, record } of lines) {
          const vector = vectorOf(embedder, record)
          if (Option.isSome(vector)) positions.set(vector.value.embed_sha256, position)
          next = { segment: position.segment, offset: position.offset + length }
        }
      })

    /** Reads what is new in the log. Where that fails, what was read before still holds, and the next call goes on. */
    const catchUp = Effect.suspend(() => Stream.runForEachChunk(log.records(next), fold)).pipe(
      Effect.match({
        onFailure: ({ message }) => Option.some(message),
        onSuccess: () => Option.none<string>()
      }),
      Effect.flatMap((failure) => {
        const silent = warned || Option.isNone(failure)
        warned = Option.isSome(failure)
        return silent ? Effect.void : Effect.logWarning(
          `vectors that the log may hold are made anew, for it cannot be read: ${Option.getOrElse(failure, () => "")}`
        )
      }),
      turn.withPermits(1)
    )

    const knows = (text: string): boolean => positions.has(sha256(text))

    const miss = (key: string, position: LogPosition, detail: string) =>
      Effect.logWarning(`a vector is made anew, for its line in the log cannot be used: ${detail}`).pipe(
        Effect.annotateLogs({ ...position, embed_sha256: key }),
        Effect.as(Option.none<Float32Array>())
      )

    /** The text's vector, read from the log. */
    const lookUp = (text: string): Effect.Effect<Option.Option<Float32Array>> => {
      const key = sha256(text)
      const position = positions.get(key)
      if (position === undefined) return Effect.succeedNone
      const unusable = (detail: string) => {
        positions.delete(key)
        return miss(key, position, detail)
      }
      return log.at(position).pipe(
        Effect.matchEffect({
          // The disk may answer the next time; a bad line stays bad.
          onFailure: (error) =>
            error._tag === "LogFsError" ? miss(key, position, error.message) : unusable(error.message),
          onSuccess: (record) =>
            Option.filter(vectorOf(embedder, record), ({ embed_sha256 }) => embed_sha256 === key).pipe(
              Either.fromOption(() => "it is another record now"),
              Either.flatMap(({ data, dims }) => decode(data, dims)),
              Either.match({ onLeft: unusable, onRight: Effect.succeedSome })
            )
        })
      )
    }

    return { catchUp, knows, lookUp }
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Embedder["Type"], never, Embedder | LogReader> = Effect.gen(function*() {
  const inner = yield* Embedder
  const index = yield* makeIndex(inner, yield* LogReader)

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
        index.catchUp,
        () => inner.missing(distinct(texts).filter((text) => !index.knows(text)))
      ),
    embed: (texts) =>
      texts.length === 0 ? Effect.succeed([]) : Effect.gen(function*() {
        yield* index.catchUp
        const wanted = distinct(texts)
        const found = new Map<string, Answer>()
        yield* Effect.forEach(wanted, (text) =>
          Effect.map(index.lookUp(text), Option.map((vector) => found.set(text, Either.right(vector)))), {
          concurrency: readsInFlight,
          discard: true
        })
        const asked = yield* ask(wanted.filter((text) =>
          !found.has(text)
        ))
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
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Embedder, never, Embedder | LogReader> = Layer.effect(Embedder, make)
