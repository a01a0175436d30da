/**
 * What a server says in the body of an answer that is an error. Model servers agree on no form: the message is found
 * where OpenAI, vLLM, llama.cpp, Ollama and FastAPI put it, and whether a text was too long is told by the words they
 * use. Pure.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * `message` is one printable line, `codes` are the words for machines. `too_long` means that the input does not fit into
 * the model; `tokens` is how many there were, where that was said.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Complaint extends Schema.Class<Complaint>("mem/Complaint")({
  message: Schema.String,
  codes: Schema.Array(Schema.String),
  too_long: Schema.Boolean,
  tokens: Schema.optional(Schema.Number)
}) {}

const maxMessage = 300

/**
 * The beginning of a message, in one printable line: it is shown on a terminal, and may repeat a whole prompt.
 *
 * @since 0.1.0
 * @category formatting
 */
export const oneLine = (text: string): string => {
  const words = text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim()
  const characters = Array.from(words.slice(0, 2 * maxMessage))
  return characters.length <= maxMessage ? words : `${characters.slice(0, maxMessage - 1).join("")}…`
}

const parsed = (text: string): unknown => Either.getOrUndefined(Either.try((): unknown => JSON.parse(text)))

const member = (value: unknown, name: string): unknown =>
  Predicate.isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

const isSaid = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""

const messageOf = (json: unknown): string | undefined => {
  const error = member(json, "error")
  const detail = member(json, "detail")
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined
  return [error, member(error, "message"), member(json, "message"), detail, member(first, "msg")].find(isSaid)
}

const whatItIs = (body: string): string => {
  if (body.trim() === "") return "nothing"
  return /^\s*</.test(body) ? "a page, not JSON" : body
}

const lengths: ReadonlyArray<RegExp> = [
  /context_length_exceeded|string_above_max_length|exceed_context_size/,
  /context (?:length|size|window)/i,
  /maximum (?:model|input|sequence) length|max_model_len/i,
  /(?:prompt|input|text|string|sequence)\b.{0,80}\btoo (?:long|large to process)/i,
  /maximum number of tokens|maximum allowed token/i,
  /max_tokens must be at least 1, got -/
]

const amounts: ReadonlyArray<RegExp> = [
  /requested (\d{1,9}) tokens/i,
  /resulted in (\d{1,9}) tokens/i,
  /length (\d{1,9})\) is (?:longer|too long)/i,
  /(?:input|prompt) \((\d{1,9}) tokens\)/i,
  /too long: (\d{1,9}) tokens/i
]

const tokensOf = (json: unknown, message: string): number | undefined => {
  const named = member(member(json, "error"), "n_prompt_tokens")
  if (Predicate.isNumber(named)) return named
  const found = amounts.map((amount) => amount.exec(message)?.[1]).find((digits) => digits !== undefined)
  return found === undefined ? undefined : Number(found)
}

/**
 * Reads the body of an error.
 *
 * @since 0.1.0
 * @category parsing
 */
export const complaintOf = (body: string): Complaint => {
  const json = parsed(body)
  const error = member(json, "error")
  const whole = messageOf(json) ?? whatItIs(body)
  const codes = [member(error, "code"), member(error, "type"), member(json, "code"), member(json, "type")]
    .filter(Predicate.isString)
  const message = oneLine(whole)
  const said = [message, ...codes].join(" ")
  return new Complaint({
    message,
    codes,
    too_long: lengths.some((length) => length.test(said)),
    tokens: tokensOf(json, message)
  })
}

/**
 * Whether an answer that should hold something else holds an error, as some proxies answer with status 200.
 *
 * @since 0.1.0
 * @category predicates
 */
export const holdsError = (json: unknown): boolean => {
  const error = member(json, "error")
  return error !== undefined && error !== null
}
