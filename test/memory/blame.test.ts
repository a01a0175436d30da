/** What is remembered and where it comes from, over memories that the loop made. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { hash } from "node:crypto"
import * as BlameText from "../../src/cli/BlameText.ts"
import * as MemoryText from "../../src/cli/MemoryText.ts"
import { MemoryId, RecordKey, Sha256, Timestamp } from "../../src/domain/Ids.ts"
import { Citation, ConsolidatedMemory } from "../../src/domain/Memory.ts"
import { MemoryPart } from "../../src/domain/MemoryReport.ts"
import { Origin } from "../../src/domain/Record.ts"
import { blame } from "../../src/memory/blame.ts"
import { sentences } from "../../src/memory/Cite.ts"
import { memory as remembering } from "../../src/memory/memory.ts"
import { partsSaying } from "../../src/memory/Said.ts"
import { quiet } from "../fixtures/Index.ts"
import { appendAlone } from "../fixtures/LogGroups.ts"
import { claude, facts, keyword, make, say, type World } from "./World.ts"

const at = (day: number) => ({ at: Timestamp.make(`2026-05-0${day}T09:00:00.000Z`) })

const sha = (text: string): Sha256 => Sha256.make(hash("sha256", text, "hex"))

const origin = new Origin({ path: "/t/s1.jsonl", byte_offset: 120, byte_length: 77, line_sha256: sha("line") })

const remembered = Effect.gen(function*() {
  const world = yield* make
  yield* world.archive("s1", [
    say("a", "nothing here", at(1)),
    say("b", "so: FACT port is 4317. It stays", { ...at(1), origin })
  ])
  yield* world.archive("s2", [say("c", "then FACT rye keeps a week.", at(2))])
  yield* world.run(keyword)
  return world
})

const memory = Effect.map(remembering, ({ all }) => all)

const consolidate = (world: World) =>
  Effect.gen(function*() {
    const { sessions } = yield* world.provide(memory)
    const text = "- FACT port is 4317.\n- FACT rye keeps a week."
    const spans = sentences(text)
    const [first, second] = [...sessions].reverse()
    const id = MemoryId.make("L2:1")
    yield* world.provide(appendAlone({
      kind: "memory",
      body: new ConsolidatedMemory({
        level: "L2",
        entry: "memory",
        id,
        profile: facts.name,
        profile_sha256: sha("profile"),
        prompt_sha256: sha("prompt"),
        model: "test/1",
        inputs: sessions.map(({ id }) => id),
        evidence: sessions.flatMap(({ parts }) => parts.flatMap(({ evidence }) => evidence)),
        text,
        citations: spans.map((span, i) => {
          const cited = i === 0 ? first : second
          return new Citation({ span, ids: cited === undefined ? [] : [cited.id] })
        })
      })
    }))
    return id
  })

describe("mem memory", () => {
  it.effect("shows L2 and then L1, the newest session first, each part with evidence that blame follows", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      yield* consolidate(world)
      const { all: report, named } = yield* world.provide(remembering)
      assert.deepStrictEqual(report.sessions.map(({ doc_id, text }) => [String(doc_id), text]), [
        ["s2", "FACT rye keeps a week."],
        ["s1", "FACT port is 4317."]
      ])
      const [l2] = report.consolidated
      assert.deepStrictEqual(l2?.connectors, [claude])
      const [newest, oldest] = report.sessions
      assert.deepStrictEqual(l2?.parts.map(({ evidence, ids }) => [ids, evidence]), [
        [[oldest?.id], oldest?.parts[0]?.evidence],
        [[newest?.id], newest?.parts[0]?.evidence]
      ])
      for (const { evidence } of [...report.sessions, ...report.consolidated].flatMap(({ parts }) => parts)) {
        assert.lengthOf(evidence, 1)
        assert.isTrue((yield* world.provide(blame(String(evidence[0])))).evidence[0]?.holds)
      }
      const text = MemoryText.lines(report)
      assert.strictEqual(text[0], "L2 consolidated memory: profile facts, of 2 sessions")
      assert.include(text, "L1 session memory: claude:s2, profile facts, 2026-05-02 09:00 UTC")
      assert.include(text, `    L0 evidence: ${String(oldest?.parts[0]?.evidence[0])}`)
      assert.lengthOf(named("claude").consolidated, 1)
      assert.lengthOf(named(facts.name).sessions, 2)
      assert.deepStrictEqual([...named("pi").consolidated, ...named("pi").sessions], [])
    }))

  it.effect("says of nothing why it is nothing, and of what was taken out that it goes", () =>
    Effect.gen(function*() {
      const world = yield* make
      const told = (name?: string) =>
        Effect.map(world.provide(remembering), ({ all, named }) =>
          MemoryText.nothing(name === undefined ? all : named(name, name === "pi"), true).join(" "))
      assert.include(yield* told(), "no session of agents is archived")
      assert.notInclude(yield* told(), "reads")
      yield* world.archive("s1", [say("a", "chatter")])
      assert.include(yield* told(), "reads it in the next")
      yield* world.run(() => ({}))
      assert.include(yield* told(), "A model has read all of them and found nothing to keep")
      assert.notInclude(yield* told(), "next")
      yield* world.archive("s2", [say("b", "more chatter")])
      yield* world.archive("s3", [say("c", "yet more")])
      yield* world.run((seen) =>
        seen.prompt.includes("more chatter") ? "?" : {}, { max_calls: 3 })
      yield* world.archive("s4", [say("d", "the last")])
      const text = yield* told()
      assert.match(text, /A model has read 2 sessions and found nothing/)
      assert.match(
        text,
        /Of 1 session a model gave no answer .* \(1 answer of it could\s+not be read\); the next "mem\s+sync" asks/
      )
      assert.match(text, /reads the other 1 in the next/)
      assert.include(yield* told("pi"), "no session of agents is archived")
      assert.include(yield* told("unheard of"), "reads them in the next")
      yield* world.archive("s5", [say("e", "FACT e.")])
      yield* world.run(keyword)
      yield* world.archive("s5", [], { removed: true })
      const lines = MemoryText.lines(yield* world.provide(memory)).join(" ")
      assert.include(lines, "stale: its session was taken out; the next sync with a model retires it")
    }).pipe(Effect.provide(quiet)))

  it.effect("marks what rests on a session that was taken out, before any sync has", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      yield* consolidate(world)
      yield* world.archive("s1", [], { removed: true })
      const report = yield* world.provide(memory)
      assert.deepStrictEqual([...report.consolidated, ...report.sessions].map(({ stale }) => stale), [
        true,
        false,
        true
      ])
      assert.lengthOf(MemoryText.lines(report).filter((line) => line.startsWith("  stale")), 2)
    }))

  it.effect("says what a model would add where there is none, and writes nothing", () =>
    Effect.gen(function*() {
      const world = yield* make
      yield* world.archive("s1", [say("a", "FACT port is 4317.")])
      const before = yield* world.lines
      const report = yield* world.provide(memory)
      assert.deepStrictEqual([report.archived, report.sessions, report.consolidated], [1, [], []])
      assert.deepStrictEqual(yield* world.lines, before)
      const without = MemoryText.nothing(report, false).join("\n")
      assert.include(without, "1 session of agents is archived")
      assert.include(without, "  kind: openai-compatible\n")
      assert.notInclude(MemoryText.nothing(report, true).join("\n"), "kind:")
    }))
})

describe("mem blame", () => {
  it.effect("follows a sentence of L2 and L1 to the words, the Record and the bytes", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      const l2 = yield* consolidate(world)
      const before = yield* world.lines
      const report = yield* world.provide(blame("> * FACT  port is\n4317."))
      assert.deepStrictEqual(report.memories.map(({ level, parts }) => [level, parts.length]), [["L2", 1], ["L1", 1]])
      assert.lengthOf(report.evidence, 1)
      const [found] = report.evidence
      assert.deepInclude(found, { level: "L0", record_key: RecordKey.make("b"), state: "live", holds: true })
      assert.strictEqual(found?.text, "so: FACT port is 4317. It stays")
      assert.deepStrictEqual([found?.record?.doc_id, found?.record?.number], ["s1", 2])
      assert.deepStrictEqual(found?.record?.origin, origin)
      const text = BlameText.lines(report).join("\n")
      assert.include(text, "claude:s1:2  (user, 2026-05-01 09:00), characters 0 to 31\n")
      assert.include(text, `/t/s1.jsonl, bytes 120 to 197\n  line sha256 ${origin.line_sha256}\n`)
      assert.include(text, `: holds\n  | so: FACT port is 4317. It stays`)
      assert.include(text, "rests on [1]")
      assert.include(text, "through L1:")
      assert.lengthOf((yield* world.provide(blame(l2))).evidence, 2)
      assert.deepStrictEqual(yield* world.lines, before)
    }))

  it.effect("follows an L2 that the loop has made, each sentence to evidence that holds", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      yield* world.run(keyword, { consolidate: true })
      const [l2] = (yield* world.provide(memory)).consolidated
      assert.lengthOf(l2?.parts ?? [], 2)
      for (const { text } of l2?.parts ?? []) {
        const { evidence, memories } = yield* world.provide(blame(text))
        assert.deepStrictEqual(memories.map(({ id, level }) => level === "L2" ? id : level), [l2?.id, "L1"])
        assert.isTrue(evidence.length > 0 && evidence.every(({ holds }) => holds))
        assert.isTrue(evidence.some((found) => found.text?.includes(text)))
      }
    }))

  it.effect("sees that the archive has other words, that a Record is gone, and what was retired", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      const { memories: [l1] } = yield* world.provide(blame("FACT port is 4317."))
      yield* world.archive("s1", [say("b", "so: FACT port is 4318. It stays on", at(1))])
      const [other] = (yield* world.provide(blame(String(l1?.id)))).evidence
      assert.deepInclude(other, { holds: false, text: "so: FACT port is 4318. It stays" })
      yield* world.archive("s1", [], { removed: true })
      const gone = yield* world.provide(blame(String(l1?.id)))
      assert.deepStrictEqual([gone.memories[0]?.state, gone.evidence[0]?.holds, gone.evidence[0]?.record], [
        "stale",
        false,
        undefined
      ])
      yield* world.run(keyword)
      assert.strictEqual((yield* world.provide(blame(String(l1?.id)))).memories[0]?.state, "retired")
      assert.include(BlameText.lines(gone).join("\n"), "its Record b was taken out or superseded")
    }))

  it.effect("knows no id that never was, and no sentence that nothing says", () =>
    Effect.gen(function*() {
      const world = yield* remembered
      for (
        const [asked, says] of [["L1:0", "no memory and no evidence L1:0"], [
          "FACT port is 9.",
          "word for word"
        ]] as const
      ) {
        const error = yield* Effect.flip(world.provide(blame(asked)))
        assert.strictEqual(error._tag, "NothingToBlame")
        assert.include(error.message, says)
      }
    }))

  it.prop(
    "any run of sentences of a memory is said by exactly these, whatever marks a copy bears",
    [
      FastCheck.array(FastCheck.constantFrom("", "- ", "1. ", "> "), { minLength: 1, maxLength: 6 }),
      FastCheck.constantFrom(" ", "\n"),
      FastCheck.nat(5),
      FastCheck.nat(5)
    ],
    ([marks, seam, from, length]) => {
      const text = marks.map((mark, i) => `${mark}é${i}  said.`).join(seam)
      const all = sentences(text).map((span) =>
        new MemoryPart({ span, text: text.slice(...span), ids: [], evidence: [] })
      )
      const telling = (parts: ReadonlyArray<MemoryPart>) => parts.filter(({ text }) => text.includes("said"))
      const wanted = telling(all).slice(from, from + 1 + length)
      const [first, last] = [wanted[0], wanted.at(-1)]
      if (first === undefined || last === undefined) return
      const copy = text.slice(text.indexOf("é", first.span[0]), last.span[1]).normalize("NFD")
      assert.deepStrictEqual(telling(partsSaying(text, all, `  > ${copy}\n`)), wanted)
    }
  )
})
