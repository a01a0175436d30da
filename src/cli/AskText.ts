/**
 * An answer with its places, for a person; or that there is none, and what was looked at. Pure.
 *
 * @since 0.1.0
 */
import type { AskCitation, AskReading, AskReport, LookedAt, WhyNot } from "../domain/AskReport.ts"
import { withWord } from "../domain/Level.ts"
import { number, plural } from "../text/Amounts.ts"
import { linesOf, withoutEnd } from "../text/Lines.ts"
import { beginning, printable } from "./Printable.ts"
import { broken, width, wrapped } from "./Words.ts"

const reasons: Readonly<Record<WhyNot, string>> = {
  nothing_found: "nothing in memory has to do with the question, so no model was asked",
  not_known: "the model found no answer in what it was shown",
  no_citation: "the model cited nothing that it was shown, so its answer was not kept",
  cut: "the model's answer was cut at its greatest length",
  refused: "the model declined to answer"
}

const looked = ({ memories, passages, records, stale }: LookedAt): string =>
  `looked at: ${plural(memories, "memory", "memories")}, ${plural(passages, "passage")}, ${
    plural(records, "Record")
  } of sessions`
  + (stale === 0 ? "" : `; left out: ${plural(stale, "memory", "memories")}, stale until the next sync`)

const stops: Readonly<Record<AskReading["stopped"], string>> = {
  exit: ", until there was enough",
  all: "",
  calls: "; --max-calls allows no more"
}

const read = ({ accepted, left_out, malformed, read, refused, sections, stopped }: AskReading): string =>
  [
    `read: ${stopped === "all" ? "all" : `${number(read)} of`} ${plural(sections, "section")}${stops[stopped]}`,
    accepted === 0 ? "no source was taken note of" : `${plural(accepted, "source")} taken note of`,
    ...left_out === 0 ? [] : [`${number(left_out)} of them left out of the answer, which had no room for more`],
    ...malformed === 0 ? [] : [`${plural(malformed, "section")} had no answer that could be read`],
    ...refused === 0 ? [] : [`${plural(refused, "section")} the model declined to read`]
  ].join("; ")

const citation = ({ command, level, n, place, text }: AskCitation): ReadonlyArray<string> => [
  `[${n}] ${level === undefined ? "session" : withWord(level)}: mem ${command} ${printable(place)}`,
  `    ${beginning(text, width - 4)}`
]

/**
 * @since 0.1.0
 * @category formatting
 */
export const lines = (report: AskReport): ReadonlyArray<string> => {
  const { answer, citations, dropped, looked_at, reading, why } = report
  const lost = dropped === 0
    ? []
    : broken("", `${plural(dropped, "citation")} of what was not shown ${dropped === 1 ? "was" : "were"} dropped`)
  return [
    ...linesOf(answer).flatMap((line) => wrapped("", withoutEnd(line), "")),
    "",
    ...(why === undefined ? citations.flatMap(citation) : broken("", reasons[why])),
    ...lost,
    ...broken("", looked(looked_at)),
    ...reading === undefined ? [] : broken("", read(reading))
  ]
}
