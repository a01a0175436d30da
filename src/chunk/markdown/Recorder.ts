/**
 * The state of a parse that records blocks and keeps none of the parser's tokens, which are a hundred times the text.
 *
 * @since 0.1.0
 */
import MarkdownIt from "markdown-it"
import { trimmed } from "../TextLines.ts"
import type { Block, BlockKind } from "./Block.ts"

const kinds: ReadonlyMap<string, BlockKind> = new Map([
  ["blockquote_open", "quote"],
  ["bullet_list_open", "list"],
  ["code_block", "code"],
  ["fence", "fence"],
  ["footnote_open", "footnote"],
  ["heading_open", "heading"],
  ["hr", "rule"],
  ["html_block", "html"],
  ["list_item_open", "item"],
  ["ordered_list_open", "list"],
  ["paragraph_open", "paragraph"],
  ["reference_definition", "definition"],
  ["table", "table"]
])

const holdsBlocks: ReadonlySet<BlockKind> = new Set<BlockKind>(["footnote", "item", "quote"])

type Token = InstanceType<typeof MarkdownIt.Token>

/** A block whose lines its token will know. */
interface Unsettled {
  readonly token: Token
  readonly block: { -readonly [Key in keyof Block]: Block[Key] }
}

const titleOf = (content: string): string => content.split("\n").map(trimmed).join(" ").toWellFormed()

/**
 * A rule sets the lines of a token after it has pushed it, so each token waits for the next one, or for `settle`.
 *
 * @since 0.1.0
 * @category models
 */
export class Recorder extends MarkdownIt.StateBlock {
  /**
   * Each block before those within it.
   *
   * @since 0.1.0
   */
  readonly blocks: Array<Block> = []
  /**
   * What the containers around the open one take of the indent of a line, outermost first; within a quote its own alone.
   *
   * @since 0.1.0
   */
  around: ReadonlyArray<number> = []
  private readonly open: Array<Unsettled> = []
  private last: Unsettled | undefined
  private inline: Token | undefined

  /**
   * What a rule calls for each token.
   *
   * @since 0.1.0
   */
  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    this.settle()
    const token = super.push(type, tag, nesting)
    this.tokens.length = 0
    if (nesting < 0) this.last = this.open.pop()
    else if (type === "inline") this.inline = token
    else this.record(token, nesting > 0)
    return token
  }

  /** @since 0.1.0 */
  private record(token: Token, opens: boolean): void {
    const around = this.open.at(-1)?.block
    const depth = around === undefined ? 0 : around.depth + (holdsBlocks.has(around.kind) ? 1 : 0)
    const kind = kinds.get(token.type) ?? "paragraph"
    const block = { kind: kind === "heading" && depth > 0 ? "paragraph" : kind, depth, first: 0, end: 0 }
    this.blocks.push(block)
    if (opens) this.open.push({ token, block })
    else this.last = { token, block }
  }

  /**
   * Takes over what is known by now of the last token.
   *
   * @since 0.1.0
   */
  settle(): void {
    const around = this.open.at(-1)
    if (this.inline !== undefined && around?.block.kind === "heading") {
      const { markup, tag } = around.token
      const setext = !markup.startsWith("#")
      around.block.heading = { level: Number(tag.slice(1)), title: titleOf(this.inline.content), setext }
    }
    this.inline = undefined
    if (this.last !== undefined) {
      const { block, token: { map } } = this.last
      block.first = map?.[0] ?? 0
      block.end = map?.[1] ?? 0
    }
    this.last = undefined
  }

  /**
   * Parses what is in a container, with these around it.
   *
   * @since 0.1.0
   */
  inside<A>(around: ReadonlyArray<number>, parse: () => A): A {
    const before = this.around
    this.around = around
    const parsed = parse()
    this.around = before
    return parsed
  }

  /**
   * Forgets the blocks behind the first `count`, all of which are closed.
   *
   * @since 0.1.0
   */
  forget(count: number): void {
    this.settle()
    this.blocks.length = count
  }
}
