/** The pure parts of the gated loop: tags, parser, gates, windows, citations. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { ConnectorName, MemoryId, RecordKey, SessionKey } from "../../src/domain/Ids.ts"
import { Derived, Record } from "../../src/domain/Record.ts"
import { cite, evidenceOf, sentences } from "../../src/memory/Cite.ts"
import { decide, defaultRules, endsWith, type Exit, type Retry, stops } from "../../src/memory/Gate.ts"
import { parse, Parsed } from "../../src/memory/Parse.ts"
import { Profile, profileSha256 } from "../../src/memory/Profile.ts"
import { promptOf, promptSha256 } from "../../src/memory/Prompt.ts"
import { close, open, suffixOf, tagsIn } from "../../src/memory/Tags.ts"
import { halves, isEvidence, textOf, type Window, windowSha256, windowsOf } from "../../src/memory/Windows.ts"

const s = "0123456789ab"
const stop = "stop" as const
const quarter = (text: string): number => Math.ceil(text.length / 4)
const profile = new Profile({ name: "facts", questions: ["What is true?"] })
const record = (text: string, more: Partial<Record> = {}): Record =>
  new Record({ key: RecordKey.make("k"), text, ...more })
const whole = (...texts: ReadonlyArray<string>): Window =>
  texts.map((text, i) => ({ record: record(text, { key: RecordKey.make(`k${i}`) }), start: 0, end: text.length }))

const answer = (check: string, update: string, next: string, cited?: string, suffix = s): string =>
  [
    `${open("check", suffix)}${check}${close("check", suffix)}`,
    `${open("update", suffix)}${update}${close("update", suffix)}`,
    ...cited === undefined ? [] : [`${open("cite", suffix)}${cited}${close("cite", suffix)}`],
    `${open("next", suffix)}${next}${close("next", suffix)}`
  ].join("\n")

const read = (text: string) => parse({ text, finish_reason: stop }, s)

const anyText = FastCheck.oneof(FastCheck.string16bits(), FastCheck.fullUnicodeString())
/** Text that is full of tags, whole and broken, with the suffix and without. */
const soup = FastCheck.array(
  FastCheck.oneof(
    anyText,
    FastCheck.constantFrom(
      ...["check", "update", "next", "cite", "think"].flatMap((name) => [
        `<${name}>`,
        `</${name}>`,
        `<${name}-${s}>`,
        `</${name}-${s}>`,
        `< / ${name.toUpperCase()}-${s} >`,
        `<${name}-${s}`
      ]),
      "yes",
      "no",
      "end",
      "continue",
      "\n"
    )
  ),
  { maxLength: 14 }
).map((parts) => parts.join("").toWellFormed())

describe("Parse", () => {
  it("reads an answer, whatever the case, the blanks and the words around", () => {
    const wanted = Parsed.Answer({ check: true, candidate: "The port is 4317.", end: false, cited: ["r1", "r3"] })
    assert.deepStrictEqual(read(answer("yes", "The port is 4317.", "continue", "r1,r3")), wanted)
    assert.deepStrictEqual(read(answer(" YES\n", "\n The port is 4317. ", "Continue", "[R1; r3]".slice(1, -1))), wanted)
    assert.deepStrictEqual(
      read(
        `Sure!\n${
          answer("yes", "The port is 4317.", "continue", "r1 r3").toUpperCase().replace("THE PORT IS", "The port is")
        }\nDone.`
      ),
      wanted
    )
    assert.deepStrictEqual(
      read(answer("no", "", "END").replaceAll("<", "< ").replaceAll(">", " >")),
      Parsed.Answer({ check: false, candidate: "", end: true, cited: [] })
    )
  })

  it("drops what was thought, tags and all", () => {
    const thought = `<think>I would say ${answer("yes", "X", "end")}</think>`
    assert.deepInclude(read(`${thought}${answer("no", "", "continue")}`), {
      _tag: "Answer",
      check: false,
      candidate: ""
    })
    assert.deepInclude(read(`thinking aloud </THINK >${answer("no", "", "end")}`), { _tag: "Answer", end: true })
    assert.deepInclude(read(`<think>${answer("yes", "X", "end")}`), { _tag: "Malformed" })
    assert.deepInclude(read(`${answer("yes", "X", "end")}<think>`), { _tag: "Malformed" })
  })

  for (
    const [what, text] of [
      ["nothing", ""],
      ["no tags", "yes, the port is 4317"],
      ["tags without the suffix", answer("yes", "X", "end").replaceAll(`-${s}`, "")],
      ["another suffix", answer("yes", "X", "end", "r1", "ba9876543210")],
      ["a missing tag", answer("yes", "X", "end").replace(/<next.*/, "")],
      ["a tag twice", `${answer("yes", "X", "end")}${open("check", s)}yes${close("check", s)}`],
      ["one in another", answer("yes", `X ${open("next", s)}end${close("next", s)}`, "end")],
      ["a nested cite", answer("yes", `X ${open("cite", s)}r1${close("cite", s)}`, "end")],
      ["crossed tags", `${open("check", s)}yes${open("update", s)}${close("check", s)}X${close("update", s)}`],
      ["an unclosed tag", answer("yes", "X", "end").replace(close("update", s), "")],
      ["a close alone", `${close("cite", s)}${answer("yes", "X", "end")}`],
      ["another word in check", answer("maybe", "X", "end")],
      ["another word in next", answer("yes", "X", "stop")]
    ] as const
  ) it(`takes ${what} for no answer`, () => assert.deepInclude(read(text), { _tag: "Malformed" }))

  it("takes an answer that was cut for none", () =>
    assert.deepInclude(parse({ text: answer("yes", "X", "end"), finish_reason: "length" }, s), { _tag: "Malformed" }))

  it("never throws, and what it offers for memory stands between its own tags", () =>
    FastCheck.assert(
      FastCheck.property(soup, (text) => {
        const parsed = read(text)
        if (parsed._tag === "Malformed") return
        assert.isTrue(parsed.candidate.isWellFormed())
        const names = tagsIn(text.toWellFormed(), s).map(({ name }) => name)
        for (const name of ["check", "update", "next"] as const) assert.include(names, name)
      }),
      { numRuns: 500 }
    ))
})

describe("Tags", () => {
  it("the suffix occurs in nothing that is shown, and is the same for the same", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(soup, { minLength: 1 }), (texts) => {
        assert.match(suffixOf(texts), /^[0-9a-f]{12}$/)
        assert.strictEqual(suffixOf([...texts]), suffixOf(texts))
        // Of two digits some text has most.
        const held = [...texts, Array.from({ length: 200 }, (_, i) => i.toString(16).padStart(2, "0")).join(" ")]
        assert.notInclude(held.join("\n").toUpperCase(), suffixOf(held, 2).toUpperCase())
      }),
      { numRuns: 100 }
    ))
})

describe("Prompt", () => {
  const tags = ["problem", "memory", "section", "record", "check", "update", "next", "cite"]

  it("no text that is shown opens or closes a block of the prompt, nor is an answer to it", () =>
    FastCheck.assert(
      FastCheck.property(soup, FastCheck.array(soup, { minLength: 1, maxLength: 4 }), (memory, texts) => {
        const { messages, suffix } = promptOf(defaultRules, {
          subject: "session",
          profile,
          memory,
          window: whole(...texts)
        })
        const shown = messages[1]?.content ?? ""
        const found = [...shown.matchAll(new RegExp(`<\\s*(/?)\\s*(${tags.join("|")})-${suffix}`, "gi"))]
        const wanted = [
          "problem",
          "/problem",
          "memory",
          "/memory",
          "section",
          ...texts.flatMap(() => ["record", "/record"]),
          "/section"
        ]
        assert.deepStrictEqual(found.map((one) => `${one[1] ?? ""}${one[2] ?? ""}`), wanted)
        for (const text of [memory, ...texts]) {
          assert.deepInclude(parse({ text, finish_reason: stop }, suffix), { _tag: "Malformed" })
          assert.include(shown, text, "it is shown as it is")
        }
      }),
      { numRuns: 100 }
    ))

  it("is the same for the same, and another for other words, caps and counters", () => {
    const shown = { subject: "session" as const, profile, memory: "M", window: whole("a", "b") }
    assert.deepStrictEqual(promptOf(defaultRules, shown), promptOf(defaultRules, { ...shown }))
    const names = [
      promptSha256(defaultRules, "session", "c/1"),
      promptSha256(defaultRules, "session", "c/2"),
      promptSha256(defaultRules, "memories", "c/1"),
      promptSha256({ ...defaultRules, max_memory_tokens: 9 }, "session", "c/1"),
      promptSha256({ ...defaultRules, exit: "on" }, "session", "c/1")
    ]
    assert.lengthOf(new Set(names), 5)
    assert.notStrictEqual(profileSha256(profile), profileSha256(new Profile({ ...profile, questions: ["Why?"] })))
  })
})

describe("Gate", () => {
  const rules = { ...defaultRules, max_memory_tokens: 10 }
  const judge = decide(rules, quarter)
  const given = { check: true, candidate: "new", end: false, cited: ["r1"] }

  it("follows the table of its rules", () => {
    const settled = (memory: string, tried: ReadonlyArray<Retry>, parsed: Parsed) => {
      const verdict = judge(memory, tried, parsed)
      return verdict._tag === "Settled" ? verdict.decision : verdict.retry
    }
    const long = "x".repeat(41)
    assert.deepInclude(settled("old", [], Parsed.Answer(given)), { update: true, memory: "new", cited: ["r1"] })
    assert.deepInclude(settled("old", [], Parsed.Answer({ ...given, check: false, end: true })), {
      update: false,
      exit: true,
      memory: "old"
    })
    for (const candidate of ["", "old", "(no memory yet)"]) {
      assert.deepInclude(settled("old", [], Parsed.Answer({ ...given, candidate })), { update: false, memory: "old" })
    }
    assert.strictEqual(settled("old", [], Parsed.Answer({ ...given, candidate: long })), "overlong")
    assert.deepInclude(settled("old", ["overlong"], Parsed.Answer({ ...given, candidate: long })), {
      update: false,
      overlong: true,
      memory: "old"
    })
    assert.deepInclude(settled("old", [], Parsed.Answer({ ...given, candidate: "x".repeat(40) })), { update: true })
    assert.strictEqual(settled("old", ["overlong"], Parsed.Malformed({ why: "" })), "malformed")
    assert.deepInclude(settled("old", ["malformed"], Parsed.Malformed({ why: "" })), {
      update: false,
      exit: false,
      malformed: true,
      memory: "old"
    })
  })

  it("a shut gate leaves the memory as it is, an open one never takes it above its cap, and asking ends", () =>
    FastCheck.assert(
      FastCheck.property(
        anyText.map((text) => text.slice(0, 40)),
        FastCheck.array(
          FastCheck.oneof(
            FastCheck.constant(Parsed.Malformed({ why: "" })),
            FastCheck.record({
              check: FastCheck.boolean(),
              candidate: FastCheck.string({ maxLength: 90 }),
              end: FastCheck.boolean(),
              cited: FastCheck.constant([])
            }).map((one) => Parsed.Answer(one))
          ),
          { minLength: 3, maxLength: 3 }
        ),
        (memory, answers) => {
          const tried: Array<Retry> = []
          for (const parsed of answers) {
            const verdict = judge(memory, tried, parsed)
            if (verdict._tag === "Ask") {
              assert.notInclude(tried, verdict.retry)
              tried.push(verdict.retry)
              continue
            }
            const { decision } = verdict
            if (!decision.update) assert.strictEqual(decision.memory, memory)
            else assert.isTrue(parsed._tag === "Answer" && parsed.check && parsed.candidate === decision.memory)
            assert.isAtMost(quarter(decision.memory), 10)
            return
          }
          assert.fail("it asked more than twice")
        }
      ),
      { numRuns: 300 }
    ))

  it("the exit gate stops never, at the first end, or at two in a row", () => {
    const ends = [false, true, false, true, true, true]
    const at = (exit: Exit): number => {
      let n = 0
      for (const [i, end] of ends.entries()) {
        n = endsWith(n, end)
        if (stops({ exit }, n)) return i
      }
      return ends.length
    }
    assert.deepStrictEqual([at("off"), at("on"), at("confirm2")], [6, 1, 4])
  })
})

describe("Windows", () => {
  const longText = FastCheck.array(FastCheck.oneof(anyText, FastCheck.constantFrom("word ", "\n", "📦", "é")), {
    minLength: 1,
    maxLength: 60
  }).map((parts) => parts.join("").toWellFormed())

  it("those of a Record above the budget are its text, cut between characters, each within the budget", () =>
    FastCheck.assert(
      FastCheck.property(longText, FastCheck.integer({ min: 1, max: 12 }), (text, max) => {
        FastCheck.pre(text.trim() !== "")
        const windows = windowsOf({ over_budget: true, records: [record(text)] }, max, quarter)
        assert.strictEqual(windows.flatMap((window) => window.map(textOf)).join(""), text)
        for (const part of windows.flat().map(textOf)) {
          assert.isTrue(part.isWellFormed() && part !== "")
          assert.isTrue(quarter(part) <= max)
        }
      }),
      { numRuns: 200 }
    ))

  it("end at the end of a line where one is near, and hold a character at least", () => {
    const lines = "a line of some length\n".repeat(20)
    const windows = windowsOf({ over_budget: true, records: [record(lines)] }, 30, quarter)
    assert.isTrue(windows.flat().every((piece) => textOf(piece).endsWith("\n")))
    assert.isAtMost(windows.length, 5)
    const emoji = windowsOf({ over_budget: true, records: [record("📦📦")] }, 1, (text) => text.length * 5)
    assert.deepStrictEqual(emoji.flat().map(textOf), ["📦", "📦"])
  })

  it("show no Record that is derived, thought or blank", () => {
    const derived = record("recap", { derived: new Derived({ by: "compaction" }) })
    const thought = record("hm", { kind: "thinking" })
    const said = record("said")
    const records = [derived, said, thought, record(" \n")]
    assert.deepStrictEqual(records.map(isEvidence), [false, true, false, false])
    assert.deepStrictEqual(windowsOf({ over_budget: false, records }, 10, quarter), [[
      { record: said, start: 0, end: 4 }
    ]])
    assert.deepStrictEqual(windowsOf({ over_budget: true, records: [derived] }, 1, quarter), [])
  })

  it("halves show what the whole did, and end at a character", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(longText, { minLength: 1, maxLength: 5 }), (texts) => {
        const shown = (window: Window): string => window.map(textOf).join("")
        let queue: ReadonlyArray<Window> = [whole(...texts)]
        for (let n = 0; n < 12; n++) {
          queue = queue.flatMap((window) =>
            Option.match(halves(window), { onNone: () => [window], onSome: (both) => both })
          )
          assert.strictEqual(queue.map(shown).join(""), texts.join(""))
        }
        for (const part of queue.flat().map(textOf)) assert.isTrue(part.isWellFormed())
        assert.lengthOf(new Set(queue.map(windowSha256)), queue.length)
      }),
      { numRuns: 30 }
    ))
})

describe("Cite", () => {
  const turn = {
    connector: ConnectorName.make("claude"),
    session_key: SessionKey.make("s1"),
    profile: "facts",
    t: 2
  }
  const id = (n: number): MemoryId => MemoryId.make(`L0:${n}`)

  it("what was not shown cannot be cited; where nothing usable is, all that was shown is evidence", () => {
    const window = whole("a", "b", "c")
    const keys = (cited: ReadonlyArray<string>) => {
      const { evidence, unknown } = evidenceOf(turn, window, cited)
      return [evidence.map(({ record_key }) => `${record_key}`), unknown] as const
    }
    assert.deepStrictEqual(keys(["r3", "r1"]), [["k0", "k2"], 0])
    assert.deepStrictEqual(keys(["r2", "r2", "r4", "x"]), [["k1"], 2])
    assert.deepStrictEqual(keys(["r0", "r9"]), [["k0", "k1", "k2"], 2])
    assert.deepStrictEqual(keys([]), [["k0", "k1", "k2"], 0])
  })

  it("sentences are all of a text but its white space", () => {
    const text = " The port is 4317. It was 80!\n- a list, v1.2 of it\n\nWhy?  Because\tso. \n"
    assert.deepStrictEqual(sentences(text).map(([start, end]) => text.slice(start, end)), [
      "The port is 4317.",
      "It was 80!",
      "- a list, v1.2 of it",
      "Why?",
      "Because\tso."
    ])
    FastCheck.assert(
      FastCheck.property(anyText, (any) => {
        let rest = ""
        let at = 0
        for (const [start, end] of sentences(any)) {
          assert.isAtLeast(start, at)
          assert.strictEqual(any.slice(start, end).trim(), any.slice(start, end))
          rest += any.slice(at, start)
          at = end
        }
        assert.strictEqual((rest + any.slice(at)).trim(), "")
      }),
      { numRuns: 300 }
    )
  })

  it("a sentence that stays keeps what it rests on; a new one rests on the step, and on what the ones that went did", () => {
    const before = {
      text: "One. Two. Three.",
      citations: cite({ text: "", citations: [] }, "One. Two. Three.", [id(1)])
    }
    assert.deepStrictEqual(before.citations.map(({ ids }) => ids), [[id(1)], [id(1)], [id(1)]])
    const second = { text: "One. Two, and four.", citations: cite(before, "One. Two, and four.", [id(2)]) }
    assert.deepStrictEqual(second.citations.map(({ ids, span }) => [span, ids]), [
      [[0, 4], [id(1)]],
      [[5, 19], [id(2), id(1)]]
    ])
    assert.deepStrictEqual(cite(second, "One. Five.", [id(3)]).map(({ ids }) => ids), [[id(1)], [
      id(3),
      id(2),
      id(1)
    ]])
  })
})
