/**
 * Front matter: what stands at the very top of a note between two lines of `---` (YAML) or `+++` (TOML).
 *
 * Nothing but a byte order mark may precede it, both lines may end in blanks, and only the same line closes it. What is
 * never closed is none. It stays in the text of the first Passage and is no part of what is embedded.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { parseYaml } from "../config/YamlTree.ts"
import { JsonValue } from "../domain/JsonValue.ts"
import { afterByteOrderMark } from "./TextLines.ts"

/** What is between the two lines, and where the document goes on behind them. */
interface FrontMatter {
  readonly format: "toml" | "yaml"
  readonly content: string
  readonly end: number
}

// `$` alone is the end of the text, and `\s` and the flag `m` know line ends that are none here.
const opener = /(?:---|\+\+\+)(?=[ \t]*[\r\n])/y
const closers = {
  toml: /(?:\r\n|\r|\n)\+\+\+[ \t]*(?:\r\n|\r|\n|$)/g,
  yaml: /(?:\r\n|\r|\n)---[ \t]*(?:\r\n|\r|\n|$)/g
}

const matchAt = (pattern: RegExp, text: string, offset: number): RegExpExecArray | null => {
  pattern.lastIndex = offset
  return pattern.exec(text)
}

const frontMatterOf = (text: string): FrontMatter | undefined => {
  const opened = matchAt(opener, text, afterByteOrderMark(text))
  if (opened === null) return undefined
  const format = opened[0] === "---" ? "yaml" : "toml"
  const from = opened.index + opened[0].length
  const closed = matchAt(closers[format], text, from)
  if (closed === null) return undefined
  return { format, content: text.slice(from, closed.index), end: closed.index + closed[0].length }
}

/**
 * Where a document goes on behind its byte order mark and front matter: at the beginning of a line.
 *
 * @since 0.1.0
 * @category spans
 */
export const afterFrontMatter = (text: string): number => frontMatterOf(text)?.end ?? afterByteOrderMark(text)

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isRecord(value) && Schema.is(JsonValue)(value)

/**
 * The keys and values of a document's front matter, if it is a YAML map that JSON can hold. Whatever is not (TOML, a
 * mistake, an alias, a key given twice or named `__proto__`, more than 256 KiB) is left out as a whole and hinders
 * nothing: the text keeps it.
 *
 * @since 0.1.0
 * @category parsing
 */
export const frontMatterMeta = (text: string): Readonly<Record<string, unknown>> | undefined => {
  const found = frontMatterOf(text)
  if (found?.format !== "yaml") return undefined
  const parsed = Either.getOrUndefined(parseYaml(found.content.replace(/\r\n?/g, "\n")))
  return isMap(parsed?.value) ? parsed.value : undefined
}
