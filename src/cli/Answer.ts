/**
 * What a command answers once it is done: one JSON document or lines for a person, and an exit code.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { global } from "./Global.ts"
import { Outcome } from "./Outcome.ts"
import { Output } from "./Output.ts"

/**
 * `document` is printed under `--json`, as it is but for its `ok`, which is true exactly where the exit code is 0.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly document: object
  readonly lines: ReadonlyArray<string>
  readonly code?: number
}

/**
 * Prints the answer in the form that was asked for. A reader that has gone does not change how the command ended.
 *
 * @since 0.1.0
 * @category printing
 */
export const answer = ({ code = 0, document, lines }: Answer) =>
  Effect.gen(function*() {
    const { json } = yield* global
    const { write } = yield* Output
    yield* Effect.flatMap(Outcome, ({ set }) => set(code))
    const text = json
      ? `${JSON.stringify({ ...document, ok: code === 0 })}\n`
      : lines.map((line) => `${line}\n`).join("")
    yield* Effect.catchTag(write(text), "ClosedPipe", () => Effect.void)
  })
