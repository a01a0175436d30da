/**
 * The parser of Markdown blocks: CommonMark with GFM's tables and footnotes. Most rules are markdown-it's; our own stand
 * where these differ from the specifications, know less, or cost more than the text is worth.
 *
 * Only blocks are parsed. Inline text never matters here, and parsing it is what hostile input makes slow.
 *
 * @since 0.1.0
 */
import MarkdownIt from "markdown-it"
import type { Block } from "./Block.ts"
import { type BlockRule, container, ruleNamed, unlessLazy } from "./BlockRule.ts"
import { definitionEnd, definitions } from "./Definitions.ts"
import { footnote } from "./Footnote.ts"
import { quote } from "./Quote.ts"
import { Recorder } from "./Recorder.ts"
import { table } from "./Table.ts"

/** Levels at which containers are no longer opened; a list and its item are two. Each costs frames of the stack. */
const mostLevels = 32

const paragraph = ruleNamed("paragraph")

/** What nests deeper than anybody writes is text: the stack is bounded, and what follows keeps its place. */
const tooDeep: BlockRule = (state, start, end, silent) =>
  state.level >= mostLevels && paragraph(state, start, end, silent)

const parser = new MarkdownIt({ html: true })
// A definition is one wherever its link leads.
parser.validateLink = () => true
parser.normalizeLink = (url) => url

const anywhere = ["paragraph", "reference", "blockquote"]
const ruler: typeof parser.block.ruler = new MarkdownIt.Ruler()
parser.block.ruler = ruler

/** In order: the first that a line begins takes it. The names are those of what a rule may interrupt. */
ruler.push("code", ruleNamed("code"))
ruler.push("fence", unlessLazy(ruleNamed("fence")), { alt: [...anywhere, "list"] })
ruler.push("too_deep", tooDeep)
ruler.push("quote", unlessLazy(quote), { alt: [...anywhere, "list"] })
ruler.push("hr", unlessLazy(ruleNamed("hr")), { alt: [...anywhere, "list"] })
ruler.push("list", unlessLazy(container(ruleNamed("list"))), { alt: ["paragraph", "blockquote"] })
ruler.push("footnote", unlessLazy(container(footnote)), { alt: anywhere })
ruler.push("html", unlessLazy(ruleNamed("html_block")), { alt: anywhere })
ruler.push("heading", unlessLazy(ruleNamed("heading")), { alt: anywhere })
ruler.push("table", unlessLazy(table), { alt: ["paragraph", "reference"] })
ruler.push("definition_end", definitionEnd, { alt: ["reference"] })
ruler.push("definitions", definitions)
ruler.push("setext", ruleNamed("lheading"))
ruler.push("paragraph", paragraph)

/**
 * The blocks of a text, each before those within it. Lines are those of `TextLines`.
 *
 * @since 0.1.0
 * @category parsing
 */
export const blocksOf = (text: string): ReadonlyArray<Block> => {
  const normalised = text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD")
  const recorder = new Recorder(normalised, parser, {}, [])
  parser.block.tokenize(recorder, 0, recorder.lineMax)
  recorder.settle()
  return recorder.blocks
}
