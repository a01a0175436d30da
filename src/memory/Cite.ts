/**
 * What a memory rests on. Evidence are the spans that a model cited of what it was shown; a sentence of the memory cites
 * evidence. Nothing that was not shown can be cited, and no sentence stands without what it may rest on. Pure.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { ConnectorName, SessionKey } from "../domain/Ids.ts"
import { MemoryId, Sha256 } from "../domain/Ids.ts"
import { Citation, Evidence } from "../domain/Memory.ts"
import { nameOf } from "./Prompt.ts"
import { type Piece, textOf, type Window } from "./Windows.ts"

/**
 * Whose evidence it is, and the step that it was accepted in.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  readonly profile: string
  readonly t: number
}

/**
 * The first 32 hex digits of the sha256 of these values.
 *
 * @since 0.1.0
 * @category hashing
 */
export const idOf = (values: ReadonlyArray<unknown>): string =>
  hash("sha256", JSON.stringify(values), "hex").slice(0, 32)

const evidence = ({ connector, profile, session_key, t }: Turn, piece: Piece): Evidence => {
  const { end, record: { key }, start } = piece
  const span_sha256 = Sha256.make(hash("sha256", textOf(piece), "hex"))
  return new Evidence({
    level: "L0",
    entry: "evidence",
    id: MemoryId.make(`L0:${idOf([connector, session_key, profile, key, start, end, span_sha256])}`),
    connector,
    session_key,
    profile,
    record_key: key,
    span: [start, end],
    span_sha256,
    t
  })
}

/**
 * What an update rests on: the pieces that it cites; all that were shown where it cites none of them. `unknown` counts
 * names that were not shown.
 *
 * @since 0.1.0
 * @category citing
 */
export const groundOf = (
  window: Window,
  cited: ReadonlyArray<string>
): { readonly pieces: Window; readonly unknown: number } => {
  const names = new Set(cited)
  const chosen = window.filter((_, i) => names.has(nameOf(i)))
  return { pieces: chosen.length === 0 ? window : chosen, unknown: names.size - chosen.length }
}

/**
 * The evidence of an update. `unknown` counts names that were not shown.
 *
 * @since 0.1.0
 * @category citing
 */
export const evidenceOf = (
  turn: Turn,
  window: Window,
  cited: ReadonlyArray<string>
): { readonly evidence: ReadonlyArray<Evidence>; readonly unknown: number } => {
  const { pieces, unknown } = groundOf(window, cited)
  return { evidence: pieces.map((piece) => evidence(turn, piece)), unknown }
}

/**
 * A memory's text, and what each part of it rests on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cited {
  readonly text: string
  readonly citations: ReadonlyArray<Citation>
}

/**
 * The sentences of a text, as ranges: lines, and in a line what a full stop, question or exclamation mark ends. No range
 * begins or ends with white space, and all that is none stands in one.
 *
 * @since 0.1.0
 * @category sentences
 */
export const sentences = (text: string): ReadonlyArray<readonly [start: number, end: number]> =>
  [...text.matchAll(/\S(?:[^\n]*?(?:[.!?](?=\s)|(?=[^\S\n]*(?:\n|$))))/g)].map((found) => [
    found.index,
    found.index + found[0].length
  ])

/**
 * What each sentence of the memory rests on after an update. One that stood there before, word for word, rests on what it
 * did. A new one rests on the evidence of this step, and on that of the sentences that are gone: it may say the same in
 * other words.
 *
 * @since 0.1.0
 * @category citing
 */
export const cite = (before: Cited, text: string, step: ReadonlyArray<MemoryId>): ReadonlyArray<Citation> => {
  const rested = new Map<string, ReadonlyArray<MemoryId>>()
  for (const { ids, span: [start, end] } of before.citations) {
    const says = before.text.slice(start, end)
    rested.set(says, [...rested.get(says) ?? [], ...ids])
  }
  const spans = sentences(text)
  const kept = new Set(spans.map(([start, end]) => text.slice(start, end)))
  const gone = [...rested].flatMap(([says, ids]) => kept.has(says) ? [] : ids)
  return spans.map(([start, end]) =>
    new Citation({
      span: [start, end],
      ids: [...new Set(rested.get(text.slice(start, end)) ?? [...step, ...gone])]
    })
  )
}
