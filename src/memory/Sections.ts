/**
 * What was found for a question, grouped for the gated loop: sections in the order of the sources, each within a budget. A
 * source that is longer is read through windows, as a Record of a session is. Pure.
 *
 * @since 0.1.0
 */
import { initial, step } from "../chunk/Step.ts"
import { AskSource } from "../domain/AskReport.ts"
import { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import { Tokens } from "../domain/FlushTrigger.ts"
import { RecordKey } from "../domain/Ids.ts"
import { Record } from "../domain/Record.ts"
import { Signal } from "../stream/Fold.ts"
import { type Piece, textOf, type Window, windowsOf } from "./Windows.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Sections {
  /** Each is shown in one turn. */
  readonly windows: ReadonlyArray<Window>
  /** The pieces as sources, each with the text of the piece and the place of the whole. */
  readonly sourcesOf: (pieces: ReadonlyArray<Piece>) => ReadonlyArray<AskSource>
  /** The sources that these are pieces of, each once. */
  readonly wholesOf: (pieces: ReadonlyArray<Piece>) => ReadonlyArray<AskSource>
}

const recordOf = ({ text }: AskSource, i: number): Record =>
  new Record({ key: RecordKey.make(`${i + 1}`), text: text.toWellFormed() }, { disableValidation: true })

/**
 * Sections of these sources; `max_tokens` is at least 1.
 *
 * @since 0.1.0
 * @category grouping
 */
export const sectionsOf = (
  sources: ReadonlyArray<AskSource>,
  max_tokens: number,
  count: (text: string) => number
): Sections => {
  const wholes = new Map(sources.map((source, i) => [recordOf(source, i), source]))
  const policy = new ChunkPolicy({ max_tokens, split_on: "Record", flush: new Tokens({ n: max_tokens }) })
  const cut = step(policy, count)
  const [open, closed] = cut(initial, Signal.Batch({ items: [...wholes.keys()] }))
  return {
    windows: [...closed, ...cut(open, Signal.Flush())[1]].flatMap((chunk) => windowsOf(chunk, max_tokens, count)),
    sourcesOf: (pieces) =>
      pieces.flatMap((piece) => {
        const whole = wholes.get(piece.record)
        return whole === undefined ? [] : [new AskSource({ ...whole, text: textOf(piece) })]
      }),
    wholesOf: (pieces) =>
      [...new Set(pieces.map(({ record }) => record))].flatMap((record) => {
        const whole = wholes.get(record)
        return whole === undefined ? [] : [whole]
      })
  }
}
