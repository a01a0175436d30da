/**
 * Amounts as a person reads them.
 *
 * @since 0.1.0
 */

/**
 * `12,345`
 *
 * @since 0.1.0
 * @category formatting
 */
export const number = (n: number): string => n.toLocaleString("en-US")

/**
 * `1 document`, `2 documents`
 *
 * @since 0.1.0
 * @category formatting
 */
export const plural = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`
