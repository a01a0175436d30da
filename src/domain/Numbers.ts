/**
 * The number ranges that more than one schema asks for.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A count, an offset, an ordinal: a whole number, 0 or more.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Count = Schema.NonNegativeInt

/**
 * A whole number, 1 or more.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Positive = Schema.Int.pipe(Schema.positive())

/**
 * First and last line, 1-based, both inside.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LineRange = Schema.Tuple(Positive, Positive).pipe(
  Schema.filter(([first, last]) => first <= last || "the last line comes before the first")
)

/**
 * A half-open range `[start, end)` in UTF-16 units of the text it points into.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Span = Schema.Tuple(Count, Count).pipe(
  Schema.filter(([start, end]) => start <= end || "the end comes before the start")
)

/**
 * A whole number in a range, for an option: what is expected is said in words.
 *
 * @since 0.1.0
 * @category schemas
 */
export const wholeNumber = (min: number, max: number): Schema.Schema<number> => {
  const message = () => `expected a whole number from ${min} to ${max}`
  return Schema.Number.annotations({ message }).pipe(
    Schema.filter((n) => Number.isInteger(n) && n >= min && n <= max, { message })
  )
}
