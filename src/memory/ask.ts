/**
 * `mem ask`: an answer from what is remembered, said in the session and written in documents, each sentence with a place
 * that can be looked up; or that nothing is known. Nothing is written, so an answer is no memory.
 *
 * Shown are L2 as a whole, L1 that has words of the question, and what a search found; never what a machine derived from
 * other text, and no memory that is stale: what it rested on may have been taken out. Where one prompt holds all of it,
 * the model is asked once. Where not, it is read section by section until the exit gate opens, and the last call answers
 * from the sources that were accepted.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LanguageModel } from "../../services/LanguageModel.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { AskCitation, AskReading, AskReport, AskSource, LookedAt } from "../domain/AskReport.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import type { SearchReport } from "../domain/SearchReport.ts"
import { matches } from "../search/Matches.ts"
import { fold } from "../search/Words.ts"
import { make as makeBudget } from "./Budget.ts"
import { defaultPatience, type Patience } from "./Call.ts"
import { conclude, type Concluded } from "./conclude.ts"
import { defaultRules, type Exit } from "./Gate.ts"
import { lineage, type Whole } from "./Lineage.ts"
import { type ReadOn, readOn } from "./readOn.ts"
import * as Room from "./Room.ts"
import { sectionsOf } from "./Sections.ts"
import type { Piece } from "./Windows.ts"

/**
 * `max_source_tokens` bounds what is shown at once, `max_answer_tokens` an answer; `memories` is how many L1 are shown at
 * most. `exit` says when the reading of sections ends, and `max_calls` bounds the calls of the model, with the last answer
 * among them, which is always given: less than 1 counts as 1.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskOptions {
  readonly max_source_tokens: number
  readonly max_answer_tokens: number
  readonly memories: number
  readonly exit: Exit
  readonly max_calls: number
  readonly patience: Patience
}

/**
 * With the instruction and the answer it fits a context of 8,192 tokens.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultOptions: AskOptions = {
  max_source_tokens: 5_500,
  max_answer_tokens: 2_048,
  memories: 4,
  exit: "on",
  max_calls: 8,
  patience: defaultPatience
}

/** How many different words of the question a text has. */
const shared = (text: string, question: string): number =>
  new Set(matches(text, question).map(([start, end]) => fold(text.slice(start, end)))).size

const memorySource = ({ body: { id, level, text } }: Whole): AskSource =>
  new AskSource({ level, command: "blame", place: id, text })

const memoriesFor = (question: string, all: ReadonlyArray<Whole>, most: number): ReadonlyArray<AskSource> => {
  const good = all.filter(({ state }) => state === "live")
  const told = good.filter(({ body }) => body.level === "L1").map((memory) => ({
    memory,
    words: shared(memory.body.text, question)
  })).filter(({ words }) => words > 0).sort((a, b) => b.words - a.words).slice(0, most)
  return [...good.filter(({ body }) => body.level === "L2"), ...told.map(({ memory }) => memory)].map(memorySource)
}

/** Passages with evidence, and Records, by turns: neither kind of source pushes out the other. */
const foundSources = ({ hits, records = [] }: SearchReport): ReadonlyArray<AskSource> => {
  const passages = hits.flatMap(({ connector, doc_id, level, lines, text }) => {
    // Session memories are chosen by their words, whole.
    if (level === "L1" || level === "L2" || lines === undefined) return []
    const place = level === "R" ? lines.join("-") : `${lines[0]}`
    return [new AskSource({ level, command: "get", place: `${connector}:${doc_id}:${place}`, text })]
  })
  const said = records.filter(({ block, derived }) => derived === false && block !== "thinking").map((
    { connector, doc_id, lines: [first], text }
  ) => new AskSource({ command: "get", place: `${connector}:${doc_id}:${first}`, text }))
  return Array.from({ length: Math.max(passages.length, said.length) }, (_, i) => [
    ...passages.slice(i, i + 1),
    ...said.slice(i, i + 1)
  ]).flat()
}

/** What a source takes in a prompt. */
const tokensOf = (count: (text: string) => number) => ({ place, text }: AskSource): number => count(text) + count(place)

/** As many as fit; one that does not is passed over. */
const fitting = <A>(all: ReadonlyArray<A>, most: number, tokensOf: (each: A) => number): ReadonlyArray<A> => {
  let left = most
  return all.filter((each) => {
    const tokens = tokensOf(each)
    if (!(tokens <= left)) return false
    left -= tokens
    return true
  })
}

/** What was answered from what, and what the model was shown on the way. */
interface Answered extends Concluded {
  readonly shown: ReadonlyArray<AskSource>
  readonly reading?: AskReading
}

const reported = (result: ReadOn, used: number): AskReading => {
  const { accepted, left, malformed, overlong, read, refused, stopped, unknown_citations } = result
  return new AskReading({
    sections: read.length + left,
    read: read.length,
    stopped,
    accepted: accepted.length,
    left_out: accepted.length === 0 ? 0 : accepted.length - used,
    malformed,
    overlong,
    refused,
    unknown_citations
  })
}

/**
 * Reads what no single prompt holds, and answers from what was accepted. A section and the memory together take no more
 * than the sources of the answer do. Where nothing was accepted, the answer is looked for in the best that fits.
 */
const answerByReading = (
  question: string,
  candidates: ReadonlyArray<AskSource>,
  options: AskOptions
): Effect.Effect<Answered, LanguageModelError, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { exit, max_answer_tokens, max_calls, max_source_tokens, patience } = options
    const { count } = yield* TokenCounter
    const max_memory_tokens = Math.min(defaultRules.max_memory_tokens, Math.floor(max_source_tokens / 4))
    const sections = sectionsOf(candidates, Math.max(1, max_source_tokens - max_memory_tokens), count)
    const budget = yield* makeBudget({ max_calls: max_calls - 1 })
    const rules = { exit, max_memory_tokens, max_answer_tokens }
    const result = yield* readOn(question, sections, { rules, patience, budget })
    const { calls } = yield* budget.spent
    const pieces = result.accepted.length === 0 ? sections.windows.flat() : result.accepted
    const tokens = tokensOf(count)
    const needs = (some: ReadonlyArray<Piece>): number =>
      sections.sourcesOf(some).reduce((sum, source) => sum + tokens(source), 0)
    // More than the largest section that it could read, a model of less context cannot read in the answer's prompt either.
    const room = result.halved ? Math.min(max_source_tokens, Math.max(0, ...result.read.map(needs))) : max_source_tokens
    const fit = fitting(pieces, room, (piece) => needs([piece]))
    // A piece that was in a section fits a prompt, whatever its place takes.
    const last = fit.length === 0 ? pieces.slice(0, 1) : fit
    const concluded = yield* conclude(question, sections.sourcesOf(last), { ...options, max_calls: max_calls - calls })
    const used = concluded.sources.length
    return {
      ...concluded,
      calls: calls + concluded.calls,
      shown: sections.wholesOf([...result.read.flat(), ...last.slice(0, used)]),
      reading: reported(result, used)
    }
  })

const lookedAt = (shown: ReadonlyArray<AskSource>, stale: number): LookedAt =>
  new LookedAt({
    passages: shown.filter(({ level }) => level === "R").length,
    records: shown.filter(({ level }) => level === undefined || level === "L0").length,
    memories: shown.filter(({ command }) => command === "blame").length,
    stale
  })

/**
 * Answers a question. `found` is what a search has found for it.
 *
 * @since 0.1.0
 * @category programs
 */
export const ask = (
  question: string,
  found: SearchReport,
  options: AskOptions = defaultOptions
): Effect.Effect<AskReport, LanguageModelError | LogReadError, LanguageModel | LogReader | TokenCounter> =>
  Effect.gen(function*() {
    const { fingerprint } = yield* LanguageModel
    const { count } = yield* TokenCounter
    const all = yield* Effect.flatMap(lineage, ({ current }) => current)
    const candidates = [...memoriesFor(question, all, options.memories), ...foundSources(found)]
    const room = yield* Room.ofQuestion(question, options.max_answer_tokens)
    const max_source_tokens = Option.match(room, {
      onNone: () => options.max_source_tokens,
      onSome: (room) => Math.max(1, Math.min(options.max_source_tokens, room))
    })
    const max_calls = Math.max(1, options.max_calls)
    const needed = candidates.map(tokensOf(count)).reduce((sum, tokens) => sum + tokens, 0)
    const answered: Answered = needed <= max_source_tokens
      ? yield* Effect.map(conclude(question, candidates, { ...options, max_calls }), (concluded) => ({
        ...concluded,
        shown: concluded.sources
      }))
      : yield* answerByReading(question, candidates, { ...options, max_source_tokens, max_calls })
    const { calls, judged: { answer, cited, dropped, why }, reading, shown, sources } = answered
    return new AskReport({
      command: "ask",
      ok: true,
      question,
      known: why === undefined,
      answer,
      ...(why === undefined ? {} : { why }),
      citations: cited.flatMap((place, i) => {
        const source = sources[place]
        return source === undefined ? [] : [new AskCitation({ n: i + 1, ...source })]
      }),
      dropped,
      looked_at: lookedAt(shown, all.filter(({ state }) => state === "stale").length),
      ...(reading === undefined ? {} : { reading }),
      model: fingerprint,
      model_calls: calls
    })
  })
