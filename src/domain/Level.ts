/**
 * What kind of knowledge an item is. A level is always printed with its word: projects number theirs differently, and
 * a bare "L1" tells nobody anything.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `L0` evidence, `L1` session memory, `L2` consolidated memory, `R` reference.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Level = Schema.Literal("L0", "L1", "L2", "R")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Level = typeof Level.Type

const words: Readonly<Record<Level, string>> = {
  L0: "evidence",
  L1: "session memory",
  L2: "consolidated memory",
  R: "reference"
}

/**
 * The level with its word, as a person reads it: `R reference`.
 *
 * @since 0.1.0
 * @category formatting
 */
export const withWord = (level: Level): string => `${level} ${words[level]}`
