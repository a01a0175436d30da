/**
 * A block of a Markdown text: what it is and which lines it takes.
 *
 * A document of nothing but marks has a million blocks, so a block is little more than four numbers.
 *
 * @since 0.1.0
 */

/**
 * @since 0.1.0
 * @category models
 */
export type BlockKind =
  | "code"
  | "definition"
  | "fence"
  | "footnote"
  | "heading"
  | "html"
  | "item"
  | "list"
  | "paragraph"
  | "quote"
  | "rule"
  | "table"

/**
 * @since 0.1.0
 * @category models
 */
export interface Heading {
  /** From 1 to 6. */
  readonly level: number
  /** Its inline source as written, closing hashes taken off; lines joined by a space. */
  readonly title: string
  /** Whether it is one by the line below it. */
  readonly setext: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Block {
  readonly kind: BlockKind
  /** How many items, quotes and footnotes it is in. */
  readonly depth: number
  /** Its first line, from 0. */
  readonly first: number
  /** The line behind its last one. Blank lines at its end may be among its lines. */
  readonly end: number
  /** What it is as a heading; there is none within other blocks. */
  readonly heading?: Heading
}
