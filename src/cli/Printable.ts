/**
 * Text from files on its way to a terminal. Names and keys may hold control characters, by accident or on purpose;
 * none of them acts on the terminal.
 *
 * @since 0.1.0
 */

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * The text with each control character (C0, DEL, C1) and each mark that turns the writing direction as an escape.
 *
 * @since 0.1.0
 * @category formatting
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escaped)

/**
 * The printable text, shortened in its middle to that many characters.
 *
 * @since 0.1.0
 * @category formatting
 */
export const shortened = (text: string, width: number): string => {
  const characters = Array.from(printable(text))
  const head = Math.ceil((width - 1) / 2)
  return characters.length <= width
    ? characters.join("")
    : [...characters.slice(0, head), "…", ...characters.slice(characters.length - (width - 1 - head))].join("")
}

/**
 * The beginning of a text in a line, of that many characters at most.
 *
 * @since 0.1.0
 * @category formatting
 */
export const beginning = (text: string, width: number): string => {
  const characters = Array.from(printable(text.trimStart().slice(0, 8 * width).replace(/\s+/g, " ").trim()))
  return characters.length <= width ? characters.join("") : [...characters.slice(0, width - 1), "…"].join("")
}

/**
 * The end of a text in a line, of that many characters at most.
 *
 * @since 0.1.0
 * @category formatting
 */
export const ending = (text: string, width: number): string => {
  const characters = Array.from(printable(text))
  return characters.length <= width ? characters.join("") : ["…", ...characters.slice(1 - width)].join("")
}
