/**
 * Amounts as a person reads them.
 *
 * @since 0.1.0
 */

/**
 * The number with its thousands parted.
 *
 * @since 0.1.0
 * @category formatting
 */
export const number = (n: number): string => n.toLocaleString("en-US")

/**
 * So many of them, one being singular.
 *
 * @since 0.1.0
 * @category formatting
 */
export const plural = (n: number, word: string): string => `${number(n)} ${word}${n === 1 ? "" : "s"}`
