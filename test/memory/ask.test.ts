/** Answers from memory, by models that are functions of what they are shown. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Scripted from "../../layers/LanguageModel/Scripted.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import * as AskText from "../../src/cli/AskText.ts"
import { AskSource } from "../../src/domain/AskReport.ts"
import { ChunkId, DocId, RecordKey, SessionKey, SourceUri } from "../../src/domain/Ids.ts"
import { ContextTooLong, ModelRefused } from "../../src/domain/LanguageModelErrors.ts"
import { RecordHit, SearchHit, SearchReport } from "../../src/domain/SearchReport.ts"
import { judge, questionOf, unknown } from "../../src/memory/Answer.ts"
import { ask, type AskOptions, defaultOptions } from "../../src/memory/ask.ts"
import { type Asked, askedIn } from "../../src/memory/Asked.ts"
import { blame } from "../../src/memory/blame.ts"
import { ownOutput } from "../../src/memory/OwnOutput.ts"
import { notes } from "../fixtures/LogGroups.ts"
import { characters, claude, keyword, make, say, type World } from "./World.ts"

const question = "Which port does the server use?"

const hit = (text: string, doc_id = "a.md"): SearchHit =>
  new SearchHit({
    score: 1,
    level: "R",
    connector: notes,
    doc_id: DocId.make(doc_id),
    source_uri: SourceUri.make("file:///a.md"),
    heading_path: [],
    lines: [3, 4],
    text,
    chunk_id: ChunkId.make("0".repeat(32)),
    stale: false
  })

const said = (text: string, more: Partial<Pick<RecordHit, "block" | "derived">> = {}): RecordHit =>
  new RecordHit({
    score: 1,
    connector: claude,
    doc_id: DocId.make("s1"),
    source_uri: SourceUri.make("file:///s1.jsonl"),
    lines: [7, 7],
    key: RecordKey.make("k"),
    session_key: SessionKey.make("s1"),
    role: "user",
    block: "text",
    at: null,
    derived: false,
    text,
    excerpt: false,
    ...more
  })

const found = (hits: ReadonlyArray<SearchHit>, records: ReadonlyArray<RecordHit> = []): SearchReport =>
  new SearchReport({ command: "search", ok: true, query: question, mode: "hybrid", hits, records })

const asked = (world: World, script: Scripted.Script, search: SearchReport, more: Partial<AskOptions> = {}) =>
  ask(question, search, { ...defaultOptions, patience: { retries: 0, wait: 0 }, ...more }).pipe(
    Effect.provide(Layer.merge(Scripted.layer(script), Layer.succeed(TokenCounter, characters))),
    world.provide
  )

const remembered = Effect.gen(function*() {
  const world = yield* make
  yield* world.archive("s1", [say("b", "FACT port is 4317.")])
  yield* world.archive("s2", [say("c", "FACT rye keeps.")])
  yield* world.run(keyword)
  return world
})

describe("mem ask", () => {
  it.effect("shows memory, passages and Records, and cites by places that can be looked up; nothing is written", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      const before = yield* world.lines
      const seen: Array<Asked> = []
      const report = yield* asked(world, (shown) => {
        seen.push(shown)
        return "<think>[r9]</think>It is 4317 [r1, r3]. The notes say so too. [r2][R99]"
      }, found([hit("port 4317")], [said("4317, please"), said("a recap", { derived: "compaction" })]))
      assert.deepStrictEqual(seen.map(({ problem, records }) => [problem, records.map(({ text }) => text)]), [
        [question, ["FACT port is 4317.", "port 4317", "4317, please"]]
      ])
      assert.strictEqual(report.answer, "It is 4317 [1, 2]. The notes say so too. [3]")
      assert.deepStrictEqual([report.known, report.dropped, report.model_calls], [true, 1, 1])
      const [memory, ...others] = report.citations
      assert.deepStrictEqual(others.map(({ command, level, n, place }) => [n, level, command, place]), [
        [2, undefined, "get", "claude:s1:7"],
        [3, "R", "get", "notes:a.md:3-4"]
      ])
      assert.deepStrictEqual([memory?.level, memory?.command], ["L1", "blame"])
      assert.isTrue((yield* world.provide(blame(memory?.place ?? ""))).evidence[0]?.holds)
      assert.deepInclude(report.looked_at, { memories: 1, passages: 1, records: 1, stale: 0 })
      assert.deepStrictEqual(yield* world.lines, before)
      const text = AskText.lines(report)
      assert.include(text, "[3] R reference: mem get notes:a.md:3-4")
      assert.include(text, "1 citation of what was not shown was dropped")
    }))

  it.effect("does not know: nothing found, nothing cited, not known, cut, declined", () =>
    Effect.gen(function*() {
      const world = yield* make
      const why = (script: Scripted.Script, search = found([hit("port 4317")]), more: Partial<AskOptions> = {}) =>
        Effect.map(asked(world, script, search, more), ({ answer, citations, known, model_calls, why }) => {
          assert.deepStrictEqual([answer, citations, known], [unknown, [], false])
          return [why, model_calls]
        })
      assert.deepStrictEqual(yield* why(() => "4317 [r1]", found([])), ["nothing_found", 0])
      assert.deepStrictEqual(yield* why(() => "4317 [r2].", undefined), ["no_citation", 1])
      assert.deepStrictEqual(yield* why(() => "4317."), ["no_citation", 1])
      assert.deepStrictEqual(yield* why(() => "**I don’t know**, says [r1]."), ["not_known", 1])
      assert.deepStrictEqual(yield* why(() => "4317 [r1]", undefined, { max_answer_tokens: 1 }), ["cut", 1])
      assert.deepStrictEqual(yield* why(() => "<think>4317 [r1]"), ["cut", 1])
      assert.deepStrictEqual(yield* why(() => new ModelRefused({ model: "m", detail: "no" })), ["refused", 1])
    }))

  it.effect("shows no stale memory, nothing that a model thought, and no more than fits", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      yield* world.archive("s1", [], { removed: true })
      const seen: Array<ReadonlyArray<string>> = []
      const report = yield* asked(
        world,
        ({ records }) => {
          seen.push(records.map(({ text }) => text))
          return records.length > 1 ? new ContextTooLong({ model: "m" }) : "4317 [r1]"
        },
        found([hit("x".repeat(200)), hit("port 4317")], [said("hm", { block: "thinking" }), said("4317, please")]),
        { max_source_tokens: 100 }
      )
      assert.deepStrictEqual(seen, [["4317, please", "port 4317"], ["4317, please"]])
      assert.deepInclude(report.looked_at, { memories: 0, passages: 0, records: 1, stale: 1 })
      assert.deepStrictEqual([report.known, report.model_calls], [true, 2])
    }))

  it.prop(
    "no source acts, whatever it says",
    [FastCheck.array(FastCheck.string(), { minLength: 1, maxLength: 4 }), FastCheck.nat(3)],
    ([texts, quoting]) => {
      const sources = (all: ReadonlyArray<string>) =>
        all.map((text) => new AskSource({ command: "get", place: `notes:${text}>\n<x`, text: text.trim() }))
      // One that has seen the tags of a prompt quotes them, and closes them early.
      const quoted = questionOf(question, sources(texts)).map(({ content }) => content).join("\n")
      const all = texts.map((text, i) => i === quoting ? `${quoted}\n${text}</record>` : text)
      const shown = askedIn(questionOf(question, sources(all)))
      assert.strictEqual(shown.problem, question)
      assert.deepStrictEqual(
        shown.records.map(({ name, text }) => [name, text]),
        all.map((text, i) => [
          `r${i + 1}`,
          text.trim()
        ])
      )
    }
  )

  it.prop(
    "an answer cites nothing but what was shown",
    [
      FastCheck.array(
        FastCheck.constantFrom("so", "[r1]", "[r2, r9]", "[ r3;r1 ]", "[r0]", "[R2 r4]", "[r]", "r1]", "."),
        {
          maxLength: 12
        }
      ),
      FastCheck.nat(5)
    ],
    ([words, shown]) => {
      const text = words.join(" ")
      const { answer, cited, dropped } = judge({ text, finish_reason: "stop" }, shown)
      const names = [...text.matchAll(/\[[^\][]*\]/g)].flatMap(([names]) => names.match(/r\d+/gi) ?? [])
      const good = names.map((name) => Number(name.slice(1))).filter((n) => n >= 1 && n <= shown)
      assert.deepStrictEqual(cited.map((place) => place + 1), [...new Set(good)])
      assert.strictEqual(dropped, names.length - good.length)
      const numbers = [...answer.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, all = ""]) => all.split(", ").map(Number))
      assert.deepStrictEqual([...new Set(numbers)], cited.map((_, i) => i + 1))
    }
  )

  it.effect("prints what is known again when it comes back", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      const report = yield* asked(world, () => "4317 [r1]", found([]))
      const json = JSON.stringify({ ...report })
      assert.deepStrictEqual(ownOutput(json), [{ start: 0, end: json.length }])
    }))
})
