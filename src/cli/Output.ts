/**
 * Standard output, for data. It waits for a slow reader, and a reader that goes away (`mem … | head -1`) is a value in
 * the error channel, not a crash.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/**
 * Whoever read the output has gone. A command that only prints has nothing more to do.
 *
 * @since 0.1.0
 * @category errors
 */
export class ClosedPipe extends Schema.TaggedError<ClosedPipe>("mem/ClosedPipe")("ClosedPipe", {}) {
  override get message(): string {
    return "the reader of standard output has gone"
  }
}

/**
 * What was printed could not be stored where standard output was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutputError extends Schema.TaggedError<OutputError>("mem/OutputError")("OutputError", {
  cause: Schema.Defect
}) {
  override get message(): string {
    return `cannot write to standard output: ${String(this.cause)}; free some space there, or send the output elsewhere`
  }
}

/**
 * Whatever printing may fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type OutputFailure = ClosedPipe | OutputError

/**
 * @since 0.1.0
 * @category tags
 */
export class Output extends Context.Tag("mem/cli/Output")<Output, {
  /** Writes the text as it is; returns when it is handed over. */
  readonly write: (text: string) => Effect.Effect<void, OutputFailure>
}>() {}

const failure = (cause: NodeJS.ErrnoException): OutputFailure =>
  cause.code === "EPIPE" ? new ClosedPipe() : new OutputError({ cause })

/**
 * Output to a stream of the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (stream: NodeJS.WritableStream): Layer.Layer<Output> =>
  Layer.succeed(Output, {
    write: (text) =>
      Effect.async((resume) => {
        stream.write(text, (error) => resume(error ? Effect.fail(failure(error)) : Effect.void))
      })
  })
