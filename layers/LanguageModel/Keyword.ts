/**
 * A language model that looks for words, for tests: it takes note of the first sentence that has one of them, once, and
 * has enough when it has seen all. What it should find, and when it should stop, is known beforehand.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LanguageModel } from "../../services/LanguageModel.ts"
import type { Asked, AskedRecord, Reply } from "../../src/memory/Asked.ts"
import * as Scripted from "./Scripted.ts"

const holds = (text: string, word: string): boolean => text.toLowerCase().includes(word.toLowerCase())

const sentences = (text: string): ReadonlyArray<string> =>
  text.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim()).filter((sentence) => sentence !== "")

/** A prompt that names no Records has one, without a name. */
const recordsOf = ({ records, section }: Asked): ReadonlyArray<AskedRecord> =>
  records.length === 0 ? [{ name: "", text: section }] : records

const found = (records: ReadonlyArray<AskedRecord>, word: string): ReadonlyArray<AskedRecord> => {
  for (const { name, text } of records) {
    const sentence = sentences(text).find((sentence) => holds(sentence, word))
    if (sentence !== undefined) return [{ name, text: sentence }]
  }
  return []
}

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const replyOf = (words: ReadonlyArray<string>) => (asked: Asked): Reply => {
  const records = recordsOf(asked)
  const notes = words.filter((word) => !holds(asked.memory, word)).flatMap((word) => found(records, word))
  const memory = [
    ...(asked.memory === "" ? [] : [asked.memory]),
    ...distinct(notes.map(({ text }) => text))
  ].join("\n")
  return {
    check: notes.length === 0 ? "no" : "yes",
    update: notes.length === 0 ? "" : memory,
    cite: distinct(notes.map(({ name }) => name).filter((name) => name !== "")).join(","),
    next: words.every((word) => holds(memory, word)) ? "end" : "continue"
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  words: ReadonlyArray<string>,
  options: Scripted.Options = {}
): Effect.Effect<LanguageModel["Type"]> =>
  Scripted.make(replyOf(words), {
    fingerprint: `keyword/1/${words.map((word) => encodeURIComponent(word.toWellFormed())).join(",")}`,
    ...options
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (words: ReadonlyArray<string>, options: Scripted.Options = {}): Layer.Layer<LanguageModel> =>
  Layer.effect(LanguageModel, make(words, options))
