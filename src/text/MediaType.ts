/**
 * What a document is, by its name.
 *
 * @since 0.1.0
 */

/**
 * Markdown by its usual endings, and text for want of better.
 *
 * @since 0.1.0
 * @category getters
 */
export const mediaTypeOf = (name: string): "text/markdown" | "text/plain" =>
  /\.(?:md|markdown)$/i.test(name) ? "text/markdown" : "text/plain"
