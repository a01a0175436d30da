/**
 * Reads a model's answer. Total: whatever the text, the value is an answer or that it is none, and what is none opens no
 * gate and never becomes memory. Pure.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type { ModelAnswer } from "../../services/LanguageModel.ts"
import { type AnswerTag, tagsIn } from "./Tags.ts"

/**
 * An answer by the grammar: both gates, the memory that is offered, and the names of the Records it is said to rest on.
 * Or none, and why.
 *
 * @since 0.1.0
 * @category models
 */
export type Parsed = Data.TaggedEnum<{
  Answer: {
    readonly check: boolean
    readonly candidate: string
    readonly end: boolean
    readonly cited: ReadonlyArray<string>
  }
  Malformed: { readonly why: string }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Parsed = Data.taggedEnum<Parsed>()

/**
 * An answer without what the model thought before it; undefined where that never ended.
 *
 * @since 0.1.0
 * @category reading
 */
export const withoutThought = (text: string): string | undefined => {
  const ends = [...text.matchAll(/<\s*\/\s*think\s*>/gi)].at(-1)
  const answer = ends === undefined ? text : text.slice(ends.index + ends[0].length)
  return /<\s*think\s*>/i.test(answer) ? undefined : answer
}

/** The texts of each tag, where every tag is closed before the next one opens. */
const blocksIn = (answer: string, suffix: string): ReadonlyMap<AnswerTag, ReadonlyArray<string>> | undefined => {
  const blocks = new Map<AnswerTag, ReadonlyArray<string>>()
  const tags = tagsIn(answer, suffix)
  for (let i = 0; i < tags.length; i += 2) {
    const first = tags[i]
    const second = tags[i + 1]
    if (first === undefined || second === undefined) return undefined
    if (first.closes || !second.closes || first.name !== second.name) return undefined
    blocks.set(first.name, [...blocks.get(first.name) ?? [], answer.slice(first.end, second.start)])
  }
  return blocks
}

const word = (text: string): string => text.trim().toLowerCase()

/**
 * Reads an answer to a prompt with this suffix. Text around the tags is passed over; one that was cut at its length is
 * no answer.
 *
 * @since 0.1.0
 * @category reading
 */
export const parse = ({ finish_reason, text }: Pick<ModelAnswer, "finish_reason" | "text">, suffix: string): Parsed => {
  if (finish_reason === "length") return Parsed.Malformed({ why: "it was cut at its greatest length" })
  const answer = withoutThought(text.toWellFormed())
  if (answer === undefined) return Parsed.Malformed({ why: "its thinking has no end" })
  const blocks = blocksIn(answer, suffix)
  if (blocks === undefined) return Parsed.Malformed({ why: "a tag is not closed, or stands inside another" })
  const [check, secondCheck] = blocks.get("check") ?? []
  const [update, secondUpdate] = blocks.get("update") ?? []
  const [next, secondNext] = blocks.get("next") ?? []
  if (check === undefined || update === undefined || next === undefined) {
    return Parsed.Malformed({ why: "a tag is missing" })
  }
  if (secondCheck !== undefined || secondUpdate !== undefined || secondNext !== undefined) {
    return Parsed.Malformed({ why: "a tag stands there twice" })
  }
  if (word(check) !== "yes" && word(check) !== "no") return Parsed.Malformed({ why: "check is neither yes nor no" })
  if (word(next) !== "continue" && word(next) !== "end") {
    return Parsed.Malformed({ why: "next is neither continue nor end" })
  }
  return Parsed.Answer({
    check: word(check) === "yes",
    candidate: update.trim(),
    end: word(next) === "end",
    cited: (blocks.get("cite") ?? []).flatMap((names) => names.toLowerCase().split(/[\s,;]+/)).filter((name) =>
      name !== ""
    )
  })
}
