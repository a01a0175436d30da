/**
 * Blocks that a machine put into what a person or a tool said: reminders of the harness, memories that a tool recalled.
 * They stand between tags, and only there; the words around them are evidence like any other.
 *
 * @since 0.1.0
 */
import type { Derived } from "../domain/Record.ts"

/**
 * Which tags mark derived text, and whose.
 *
 * @since 0.1.0
 * @category models
 */
export type Tags = ReadonlyMap<string, Derived["by"]>

/**
 * The tags of memory tools, where nothing else is configured.
 *
 * @since 0.1.0
 * @category constants
 */
export const memoryTags: ReadonlyArray<string> = ["relevant-memories", "memory"]

/**
 * Tags that all mark the same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tagsOf = (names: ReadonlyArray<string>, by: Derived["by"]): Tags =>
  new Map(names.map((name) => [name, by]))

/**
 * What is left of a text, and what was cut out of it, tags included, in order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cut {
  readonly rest: string
  readonly spans: ReadonlyArray<{ readonly text: string; readonly by: Derived["by"] }>
}

const opening = /<([A-Za-z][\w.:-]{0,63})(?:\s[^<>]{0,256})?>/g

/**
 * Cuts out what stands between such tags. A tag that is never closed is only mentioned, and cuts nothing.
 *
 * @since 0.1.0
 * @category cutting
 */
export const cut = (text: string, tags: Tags): Cut => {
  if (!text.includes("</")) return { rest: text, spans: [] }
  const spans: Array<Cut["spans"][number]> = []
  const rest: Array<string> = []
  const unclosed = new Set<string>()
  const open = new RegExp(opening)
  let from = 0
  for (let match = open.exec(text); match !== null; match = open.exec(text)) {
    const [, name = ""] = match
    const by = tags.get(name)
    // What is not closed from here on is not closed from any later place, so each tag is looked for in vain only once.
    if (by === undefined || unclosed.has(name)) continue
    const closing = `</${name}>`
    const closed = text.indexOf(closing, open.lastIndex)
    if (closed < 0) {
      unclosed.add(name)
      continue
    }
    const to = closed + closing.length
    rest.push(text.slice(from, match.index))
    spans.push({ text: text.slice(match.index, to), by })
    from = open.lastIndex = to
  }
  return { rest: [...rest, text.slice(from)].join(""), spans }
}
