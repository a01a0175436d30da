/**
 * Cuts what is no evidence out of a Record: each such part is a Record of its own, marked as derived, and the rest keeps
 * the key. No character is lost. Pure.
 *
 * @since 0.1.0
 */
import { RecordKey } from "../domain/Ids.ts"
import { Derived, Record } from "../domain/Record.ts"
import type { Span } from "../text/Span.ts"

/** Ranges that meet are one. */
const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const out: Array<Span> = []
  for (const { end, start } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1)
    if (last !== undefined && start <= last.end) out[out.length - 1] = { ...last, end: Math.max(last.end, end) }
    else if (end > start) out.push({ start, end })
  }
  return out
}

/** As long as a text is well-formed, no range may part a pair. */
const widened = (text: string, { end, start }: Span): Span => {
  const parts = (at: number): boolean => at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff
  return { start: parts(start) ? start - 1 : start, end: parts(end) ? end + 1 : end }
}

/**
 * The Record, and behind it what was cut out of it, with the key's suffixes `.a1`, `.a2`, … Where nothing but white space
 * would be left, the whole is derived. One that is derived already stays as it is.
 *
 * @since 0.1.0
 * @category cutting
 */
export const cutOut = (record: Record, spans: ReadonlyArray<Span>): ReadonlyArray<Record> => {
  const { text } = record
  const cuts = merged(spans.map((span) => widened(text, span)))
  if (cuts.length === 0 || record.derived !== false) return [record]
  const derived = new Derived({ by: "artifact" })
  let at = 0
  let rest = ""
  for (const { end, start } of cuts) {
    rest += text.slice(at, start)
    at = end
  }
  rest += text.slice(at)
  if (rest.trim() === "") return [new Record({ ...record, derived }, { disableValidation: true })]
  return [
    new Record({ ...record, text: rest }, { disableValidation: true }),
    ...cuts.map(({ end, start }, i) =>
      new Record(
        { ...record, key: RecordKey.make(`${record.key}.a${i + 1}`), text: text.slice(start, end), derived },
        { disableValidation: true }
      )
    )
  ]
}
