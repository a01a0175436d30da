/**
 * What a prompt of the gated loop asks, read back out of it, and an answer in the loop's grammar: for models that are
 * functions, and no models. Pure.
 *
 * The tags of a call carry a suffix of its own, such as `<check-7f3a>`; those that a transcript quotes mean nothing.
 *
 * @since 0.1.0
 */
import type { ModelMessage } from "../../services/LanguageModel.ts"
import { noMemory } from "./Gate.ts"

/**
 * A Record as the prompt names it.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskedRecord {
  readonly name: string
  readonly text: string
}

/**
 * `suffix` begins with its dash, and is empty where the tags are plain. `memory` is empty where the prompt says that there
 * is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly suffix: string
  readonly problem: string
  readonly memory: string
  readonly section: string
  readonly records: ReadonlyArray<AskedRecord>
}

/**
 * The four parts of an answer; one that is undefined is left out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reply {
  readonly check: string
  readonly update: string
  readonly cite?: string
  readonly next: string
}

const tag = /<(?:think|check|update|next|cite|problem|memory|section)(-[0-9a-z]{1,64})?>/i

/**
 * The suffix of the tags that a prompt asks for, with its dash: that of the first tag in it. Instructions come before what
 * they are about, so nothing that is quoted comes first.
 *
 * @since 0.1.0
 * @category reading
 */
export const suffixOf = (prompt: string): string => tag.exec(prompt)?.[1] ?? ""

/** From the last opening on: instructions name a tag before it is used. */
const lastBlock = (prompt: string, name: string): string => {
  const start = prompt.lastIndexOf(`<${name}>`)
  const end = prompt.indexOf(`</${name}>`, start)
  return start < 0 || end < 0 ? "" : prompt.slice(start + name.length + 2, end).replace(/^\n|\n$/g, "")
}

const recordsIn = (section: string, suffix: string): ReadonlyArray<AskedRecord> => {
  const record = new RegExp(`<record${suffix} (r\\d+)[^\\n>]*>\\n?([^]*?)\\n?</record${suffix}>`, "g")
  return [...section.matchAll(record)].map(([, name = "", text = ""]) => ({ name, text }))
}

/**
 * Reads the messages of a call. `noMemory` is how the prompt says that there is none yet.
 *
 * @since 0.1.0
 * @category reading
 */
export const askedIn = (messages: ReadonlyArray<ModelMessage>): Asked => {
  const prompt = messages.map(({ content }) => content).join("\n\n")
  const suffix = suffixOf(prompt)
  const memory = lastBlock(prompt, `memory${suffix}`)
  const section = lastBlock(prompt, `section${suffix}`)
  return {
    suffix,
    problem: lastBlock(prompt, `problem${suffix}`),
    memory: memory === noMemory ? "" : memory,
    section,
    records: recordsIn(section, suffix)
  }
}

/**
 * An answer with tags of that suffix.
 *
 * @since 0.1.0
 * @category formatting
 */
export const replyText = ({ check, cite, next, update }: Reply, suffix: string): string =>
  ([["check", check], ["update", update], ["cite", cite], ["next", next]] as const)
    .flatMap(([name, text]) => text === undefined ? [] : [`<${name}${suffix}>${text}</${name}${suffix}>`])
    .join("\n")
