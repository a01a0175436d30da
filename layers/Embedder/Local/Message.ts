/**
 * What foreign code throws, in words.
 *
 * @since 0.1.0
 */

/**
 * The first line, without the places that were searched: a stack helps nobody here.
 *
 * @since 0.1.0
 * @category formatting
 */
export const messageOf = (cause: unknown): string => {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n")
  const message = line.replace(/ imported from .*$/, "").replace(/\.$/, "")
  return message === "" ? "it gave no reason" : message
}
