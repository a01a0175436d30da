/**
 * `mem ask`: an answer from what is remembered, said in the session and written in documents, each sentence with a place
 * that can be looked up; or that nothing is known. Nothing is written, so an answer is no memory.
 *
 * Shown are L2 as a whole, L1 that has words of the question, and what a search found; never what a machine derived from
 * other text, and no memory that is stale: what it rested on may have been taken out.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { LanguageModel, type ModelAnswer } from "../../services/LanguageModel.ts"
import type { LogReader, LogReadError } from "../../services/LogReader.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { AskCitation, AskReport, AskSource, LookedAt } from "../domain/AskReport.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import type { SearchReport } from "../domain/SearchReport.ts"
import { matches } from "../search/Matches.ts"
import { fold } from "../search/Words.ts"
import { judge, type Judged, questionOf, unknown } from "./Answer.ts"
import { type Budget, make as makeBudget } from "./Budget.ts"
import { call, defaultPatience, type Patience } from "./Call.ts"
import { lineage, type Whole } from "./Lineage.ts"

/**
 * `max_source_tokens` bounds what is shown, `max_answer_tokens` the answer; `memories` is how many L1 are shown at most.
 *
 * @since 0.1.0
 * @category models
 */
export interface AskOptions {
  readonly max_source_tokens: number
  readonly max_answer_tokens: number
  readonly memories: number
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

/** Passages and Records by turns: neither kind of source pushes out the other. */
const foundSources = ({ hits, records = [] }: SearchReport): ReadonlyArray<AskSource> => {
  const passages = hits.flatMap((hit) => {
    if (hit.level === "R") {
      const { connector, doc_id, level, lines: [first, last], text } = hit
      return [new AskSource({ level, command: "get", place: `${connector}:${doc_id}:${first}-${last}`, text })]
    }
    // Session memories are chosen by their words, whole.
    return hit.level === "L0"
      ? [new AskSource({ level: hit.level, command: "blame", place: hit.id, text: hit.text })]
      : []
  })
  const said = records.filter(({ block, derived }) => derived === false && block !== "thinking").map((
    { connector, doc_id, lines: [first], text }
  ) => new AskSource({ command: "get", place: `${connector}:${doc_id}:${first}`, text }))
  return Array.from({ length: Math.max(passages.length, said.length) }, (_, i) => [
    ...passages.slice(i, i + 1),
    ...said.slice(i, i + 1)
  ]).flat()
}

/** As many as fit; one that does not is passed over. */
const fitting = (sources: ReadonlyArray<AskSource>, most: number, count: (text: string) => number) => {
  let left = most
  return sources.filter(({ place, text }) => {
    const tokens = count(text) + count(place)
    if (!(tokens <= left)) return false
    left -= tokens
    return true
  })
}

interface Asked {
  readonly sources: ReadonlyArray<AskSource>
  readonly judged: Judged
}

const none: Omit<Judged, "why"> = { answer: unknown, cited: [], dropped: 0 }

/** Where the model has less context than that, the better half of the sources is shown. */
const complete = (
  question: string,
  sources: ReadonlyArray<AskSource>,
  options: AskOptions,
  budget: Budget
): Effect.Effect<Asked, LanguageModelError, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    const { max_answer_tokens, patience } = options
    const { count } = yield* TokenCounter
    const messages = questionOf(question, sources)
    const tokens = messages.reduce((sum, { content }) => sum + count(content), 0)
    const judged = (answer: ModelAnswer): Asked => ({ sources, judged: judge(answer, sources.length) })
    return yield* call(budget, patience, { messages, max_tokens: max_answer_tokens, temperature: 0, seed: 0 }, tokens)
      .pipe(
        Effect.map(({ answer }) => judged(answer)),
        Effect.catchTags({
          // The budget has no limit.
          BudgetSpent: Effect.die,
          ModelRefused: () => Effect.succeed<Asked>({ sources, judged: { ...none, why: "refused" } }),
          ContextTooLong: (error) =>
            sources.length > 1
              ? complete(question, sources.slice(0, Math.ceil(sources.length / 2)), options, budget)
              : error
        })
      )
  })

const lookedAt = (shown: ReadonlyArray<AskSource>, stale: number): LookedAt =>
  new LookedAt({
    passages: shown.filter(({ level }) => level === "R").length,
    records: shown.filter(({ level }) => level === undefined).length,
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
    const fit = fitting(candidates, options.max_source_tokens, count)
    const budget = yield* makeBudget()
    const { judged, sources } = fit.length === 0
      ? { sources: fit, judged: { ...none, why: "nothing_found" as const } }
      : yield* complete(question, fit, options, budget)
    const { answer, cited, dropped, why } = judged
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
      looked_at: lookedAt(sources, all.filter(({ state }) => state === "stale").length),
      model: fingerprint,
      model_calls: (yield* budget.spent).calls
    })
  })
