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
 * The first few names, and how many more there are: `a.md, b.md and 7 more`. One more is named as well.
 *
 * @since 0.1.0
 * @category formatting
 */
export const some = (names: ReadonlyArray<string>, most = 3): string => {
  const shown = names.length <= most + 1 ? names : names.slice(0, most)
  const rest = names.length - shown.length
  return shown.join(", ") + (rest === 0 ? "" : ` and ${number(rest)} more`)
}

/**
 * `1 document`, `2 documents`
 *
 * @since 0.1.0
 * @category formatting
 */
export const plural = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`
