/**
 * Names of segment files: `00000001.jsonl` and so on. Anything else in their folder is not the log's.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category names
 */
export const nameOf = (number: number): string => `${String(number).padStart(8, "0")}.jsonl`

/**
 * The numbers of the segments among these file names, oldest first.
 *
 * @since 0.1.0
 * @category names
 */
export const numbersIn = (names: ReadonlyArray<string>): ReadonlyArray<number> =>
  names.filter((name) => /^\d{8}\.jsonl$/.test(name)).map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
