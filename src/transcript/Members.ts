/**
 * A JSON value as text that can be searched: a line for each leaf, by its path, with strings as they are. In JSON a line
 * break is two characters that stick to the word behind them.
 *
 * @since 0.1.0
 */
import { withoutBase64 } from "./Blob.ts"
import { isObject } from "./Json.ts"

const leaf = (value: unknown): string =>
  typeof value === "string" ? withoutBase64(value.toWellFormed()) : JSON.stringify(value ?? null)

const linesOf = (path: string, value: unknown, into: Array<string>): void => {
  const members = Array.isArray(value)
    ? value.map((item: unknown, i): readonly [string, unknown] => [`${path}[${i}]`, item])
    : isObject(value)
    ? Object.entries(value).map(([name, item]): readonly [string, unknown] => [
      path === "" ? name.toWellFormed() : `${path}.${name.toWellFormed()}`,
      item
    ])
    : []
  if (members.length > 0) { for (const [name, item] of members) linesOf(name, item, into) }
  else into.push(path === "" ? leaf(value) : `${path}: ${leaf(value)}`)
}

/**
 * `file_path: /w/demo/server.ts`, `edits[0].old_string: …`; a value that has no members is its own text.
 *
 * @since 0.1.0
 * @category formatting
 */
export const membersOf = (value: unknown): string => {
  const lines: Array<string> = []
  linesOf("", value, lines)
  return lines.join("\n")
}
