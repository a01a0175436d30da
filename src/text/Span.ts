/**
 * A place in a text.
 *
 * @since 0.1.0
 */

/**
 * A half-open range of a text, in UTF-16 units.
 *
 * @since 0.1.0
 * @category models
 */
export interface Span {
  readonly start: number
  readonly end: number
}
