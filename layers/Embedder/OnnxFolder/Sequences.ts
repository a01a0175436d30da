/**
 * What a model reads for a text: a prefix, the text, and what its tokenizer puts around both. Pure.
 *
 * @since 0.1.0
 */
import type { TokenizerJson } from "../../TokenCounter/TokenizerJson.ts"
import type { SequencesOf } from "../Local/Embedding.ts"
import { windows } from "../Local/Windows.ts"

/** How many pieces both begin with. A tokenizer may join the end of a prefix to the text behind it. */
const inCommon = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const other = a.findIndex((id, i) => id !== b[i])
  return other === -1 ? a.length : other
}

/**
 * Prefix and text are cut together, as one string, and where that is too long, each window begins with the prefix.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sequencesOf = (
  { before, behind, encode }: TokenizerJson,
  maxTokens: number,
  prefix: string
): SequencesOf => {
  return (text) => {
    const pieces = encode(prefix + text)
    const shared = prefix === "" ? 0 : inCommon(encode(prefix), pieces)
    const frame = { maxTokens, before: [...before, ...pieces.slice(0, shared)], behind }
    return windows(frame)(pieces.slice(shared))
  }
}
