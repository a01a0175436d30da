/**
 * The text that is embedded for a Passage, built here and nowhere else: whatever counts, hashes or embeds it agrees.
 *
 * It is the context and then the body: the Passage's text without byte order mark, front matter, blank lines at its
 * edges and last line end, lone surrogates as U+FFFD. The Passage's own text stays as it is.
 *
 * @since 0.1.0
 */
import type { Passage } from "../domain/Passage.ts"
import { afterByteOrderMark, withoutBlankEdges } from "./TextLines.ts"

/**
 * The embedded text of the span `[start, end)` of a document. `top` is where the document's embedded part begins,
 * behind its byte order mark and front matter. The context brings its own line end.
 *
 * @since 0.1.0
 * @category constructors
 */
export const embeddedSpan = (document: string, top: number, context: string, start: number, end: number): string => {
  const [from, to] = bodySpan(document, top, start, end)
  return context + document.slice(from, to).toWellFormed()
}

/**
 * Where the body of the span `[start, end)` lies.
 *
 * @since 0.1.0
 * @category spans
 */
export const bodySpan = (
  document: string,
  top: number,
  start: number,
  end: number
): readonly [start: number, end: number] => withoutBlankEdges(document, Math.min(Math.max(start, top), end), end)

/**
 * The text that is embedded for a Passage. `top` is where the embedded part of its document begins: behind the byte
 * order mark, unless front matter moves it further.
 *
 * @since 0.1.0
 * @category constructors
 */
export const embeddedText = (
  { context, start, text }: Pick<Passage, "context" | "start" | "text">,
  top: number = start === 0 ? afterByteOrderMark(text) : 0
): string => embeddedSpan(text, top - start, context, 0, text.length)
