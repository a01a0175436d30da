/**
 * A document on its way through `mem chunk`. It is read whole, as a sync would: it has to end, be UTF-8 and be of a
 * size that a person writes.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { defaultMaxCharacters, type DocumentChunker } from "../chunk/DocumentChunker.ts"
import { RecordSourceError } from "../domain/ConnectorErrors.ts"
import { bytesOf } from "./ByteSource.ts"
import type { Plan } from "./ChunkOptions.ts"
import type { ChunkPrinter } from "./ChunkPrinter.ts"
import type { Output, OutputFailure } from "./Output.ts"

/** As `sync` takes them. */
const maxBytes = 8 * 1024 * 1024

/** As git looks for what is no text. */
const binaryWindow = 8 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const unusable = (source: string, detail: string, advice: string): RecordSourceError =>
  new RecordSourceError({ source, detail, advice })

const startsWith = (bytes: Uint8Array, ...first: ReadonlyArray<number>): boolean =>
  first.every((byte, i) => bytes[i] === byte)

const decode = (file: string, bytes: Uint8Array): Either.Either<string, RecordSourceError> => {
  const advice = "a document is UTF-8; convert it, or leave it out"
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) {
    return Either.left(unusable(file, "it is UTF-16", advice))
  }
  if (bytes.subarray(0, binaryWindow).includes(0)) {
    return Either.left(unusable(file, "it is no text (there are NUL bytes in it)", "name a text file"))
  }
  return Either.try({ try: () => utf8.decode(bytes), catch: () => unusable(file, "it is not UTF-8", advice) })
}

/** The bytes of a file, up to a bound: standard input may never end. */
const read = (file: string): Effect.Effect<Uint8Array, RecordSourceError> =>
  Effect.map(
    Stream.runFoldEffect(
      bytesOf(file),
      { parts: Array.of<Uint8Array>(), length: 0 },
      ({ length, parts }, part) => {
        if (length + part.length > maxBytes) {
          return unusable(file, `it is larger than ${maxBytes} bytes`, "a document of that size is skipped; split it")
        }
        parts.push(part)
        return Effect.succeed({ parts, length: length + part.length })
      }
    ),
    ({ parts }) => Buffer.concat(parts)
  )

/**
 * Cuts a document into Passages and prints them.
 *
 * @since 0.1.0
 * @category programs
 */
export const chunkDocument = (
  { counter, policy }: Plan,
  printer: ChunkPrinter,
  file: string,
  chunker: DocumentChunker
): Effect.Effect<void, OutputFailure | RecordSourceError, Output> =>
  Effect.gen(function*() {
    const text = yield* decode(file, yield* read(file))
    const budget = { max_tokens: policy.max_tokens, max_characters: defaultMaxCharacters, count: counter.count }
    yield* printer.document({ file, passages: chunker.chunk(text, budget), top: chunker.top(text) })
  })
