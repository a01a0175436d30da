/**
 * Reads a transcript line by line, as a pure step: every line becomes Records, or is passed over because it holds no
 * talk, or is named as bad or unknown. No line stops it, and none fails.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { Record } from "../domain/Record.ts"
import { SourceWarning } from "../domain/SessionRead.ts"
import type { Line } from "../log/Lines.ts"
import { recordOf, type TranscriptFile } from "./Draft.ts"
import { entriesOf, type Fault } from "./Entry.ts"
import type { Format, Part } from "./Format.ts"

/**
 * The longest line that is read; V8 could not hold the text of one eight times as long.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxLineBytes = 64 * 1024 * 1024

/** Types beyond these are said no more: a file of nothing but such is no transcript. */
const mostUnknown = 256

const longestName = 64

/**
 * @since 0.1.0
 * @category models
 */
export interface State<S> {
  readonly format: S
  /** The number of the Record that comes next. */
  readonly seq: number
  readonly unknown: ReadonlySet<string>
}

/**
 * Nothing read yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial = <S>({ initial }: Format<S>): State<S> => ({ format: initial, seq: 0, unknown: new Set() })

/**
 * An output that stands in a file of its own: the Record that it becomes, still with the text that names the file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Elsewhere {
  readonly _tag: "Elsewhere"
  readonly record: Record
  readonly saved: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Said = Record | SourceWarning | Elsewhere

/**
 * The step.
 *
 * @since 0.1.0
 * @category steps
 */
export const step = <S>(format: Format<S>, file: TranscriptFile) => {
  const warning = ({ detail, length, offset }: Fault, reason: SourceWarning["reason"]): SourceWarning =>
    new SourceWarning({
      path: file.path,
      byte_offset: offset,
      byte_length: length,
      reason,
      detail: detail.toWellFormed()
    }, { disableValidation: true })

  return (state: State<S>, line: Line): readonly [State<S>, ReadonlyArray<Said>] => {
    if (line._tag === "TooLong") {
      return [state, [warning({ ...line, detail: `a line of more than ${maxLineBytes} bytes` }, "bad")]]
    }
    const { entries, faults } = entriesOf(line.bytes, line.offset, format.isLine)
    const said: Array<Said> = faults.map((fault) => warning(fault, "bad"))
    let { format: inner, seq, unknown } = state
    for (const entry of entries) {
      const [next, parts] = format.read(inner, entry)
      inner = next
      const at = { offset: entry.offset, length: entry.bytes.length }
      let line_sha256: string | undefined = undefined
      const say = (part: Part): Said | undefined => {
        if (part._tag === "Bad") return warning({ ...at, detail: part.detail }, "bad")
        if (part._tag === "Unknown") {
          const type = part.type.length > longestName ? `${part.type.slice(0, longestName)}…` : part.type
          if (unknown.has(type) || unknown.size === mostUnknown) return undefined
          unknown = new Set([...unknown, type])
          const more = unknown.size === mostUnknown ? "; what else is unknown is not named" : ""
          return warning({ ...at, detail: `of an unknown type: ${type}${more}` }, "unknown")
        }
        line_sha256 ??= hash("sha256", entry.bytes, "hex")
        const place = { byte_offset: at.offset, byte_length: at.length, line_sha256, seq }
        const record = recordOf(part.draft, { source: format.source, file, ...place })
        seq += 1
        return part._tag === "Block" ? record : { _tag: "Elsewhere", record, saved: part.saved }
      }
      for (const part of parts) {
        const one = say(part)
        if (one !== undefined) said.push(one)
      }
    }
    return [{ format: inner, seq, unknown }, said]
  }
}
