/** Markdown as nobody writes it: lines of everything that begins, ends or hides a block, in any order. */
import * as FastCheck from "effect/FastCheck"

const lines = [
  "# h",
  "## h ##",
  "#",
  "#tag",
  "###### six",
  "####### seven",
  "#\ttab",
  "#\u00A0x",
  "\\# x",
  "===",
  "---",
  "-",
  "=",
  "--",
  "- - -",
  "***",
  "text",
  "two words",
  "**Bold**",
  "```",
  "````",
  "~~~",
  "```js",
  "``` a`b",
  "- a",
  "* b",
  "+",
  "1. c",
  "2) d",
  "1234567890. x",
  "> q",
  ">",
  "> # h",
  "> - x",
  "<div>",
  "</div>",
  "<!--",
  "-->",
  "<script>",
  "</script>",
  "<b>",
  "<a href='x'>",
  "<?",
  "?>",
  "[a]: b",
  "[a]:",
  "'t'",
  "[c]: <d> 't",
  "[^1]: fn",
  "[^1]:",
  "| a | b |",
  "|---|---|",
  "a | b",
  "--|--",
  "| a |",
  "|-|",
  ":-",
  "foo\\",
  "\u2028",
  "$$",
  "%%",
  "\u0000x",
  "",
  "",
  "",
  "  ",
  "\t"
]

const marks = [
  "",
  "",
  " ",
  "   ",
  "    ",
  "\t",
  "> ",
  ">",
  "- ",
  "1. ",
  "  - ",
  "      ",
  ">> ",
  "* * ",
  "[^2]: ",
  "- > "
]

const line = FastCheck.tuple(
  FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.constant("") },
    { weight: 3, arbitrary: FastCheck.constantFrom(...marks) },
    { weight: 1, arbitrary: FastCheck.tuple(FastCheck.constantFrom(...marks), FastCheck.constantFrom(...marks)) }
  ),
  FastCheck.constantFrom(...lines)
).map(([before, text]) => [before].flat().join("") + text)

/** Lines that end in LF. */
export const blockSoup: FastCheck.Arbitrary<string> = FastCheck.array(line, { minLength: 1, maxLength: 12 }).map((
  all
) => all.join("\n"))

export const lineEnds = FastCheck.constantFrom("\n", "\n", "\r\n", "\r")

const frontMatters = [
  "",
  "",
  "",
  "---\nk: v\n---\n",
  "--- \ntags: [a, b]\n---\t\n\n",
  "+++\nk = 1\n+++\n",
  "---\nnever: closed\n",
  "---\n---",
  "---\n# no heading\n---\n"
]

/** Documents of such lines, with every line end, a byte order mark, front matter, long words and long lines. */
export const markdown: FastCheck.Arbitrary<string> = FastCheck.tuple(
  FastCheck.constantFrom("", "", "\uFEFF"),
  FastCheck.constantFrom(...frontMatters),
  FastCheck.array(
    FastCheck.oneof(
      { weight: 4, arbitrary: blockSoup },
      { weight: 1, arbitrary: FastCheck.nat(40).map((n) => "word ".repeat(n)) },
      { weight: 1, arbitrary: FastCheck.nat(12).map((n) => "| a | b |\n".repeat(n)) },
      { weight: 1, arbitrary: FastCheck.nat(60).map((n) => "\uD83D\uDC4D\uD83C\uDFFD".repeat(n)) },
      { weight: 1, arbitrary: FastCheck.nat(12).map((n) => `\`\`\`js\n${"code line\n\n".repeat(n)}\`\`\``) },
      { weight: 1, arbitrary: FastCheck.nat(30).map((n) => "\n".repeat(n)) }
    ),
    { maxLength: 5 }
  ),
  lineEnds
).map(([mark, front, parts, end]) => (mark + front + parts.join("\n\n")).replaceAll("\n", end))
