/** mem's own output in the forms in which agents bring it back, and what only looks like it. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { AskCitation, AskReport } from "../../src/domain/AskReport.ts"
import { BlamedEvidence, BlamedMemory, BlameReport } from "../../src/domain/BlameReport.ts"
import { DoctorReport } from "../../src/domain/DoctorReport.ts"
import { DriftReport } from "../../src/domain/Drift.ts"
import { GetReport, GetSessionReport } from "../../src/domain/GetReport.ts"
import { ConsolidatedEntry, MemoryPart, MemoryReport, SessionEntry } from "../../src/domain/MemoryReport.ts"
import { DumpLine } from "../../src/domain/RebuildReport.ts"
import { Record } from "../../src/domain/Record.ts"
import { ReferenceReport } from "../../src/domain/ReferenceReport.ts"
import { Hit, RecordHit, SearchReport } from "../../src/domain/SearchReport.ts"
import { StatusReport } from "../../src/domain/StatusReport.ts"
import { SyncReport } from "../../src/domain/SyncReport.ts"
import { marked, ownOutput } from "../../src/memory/OwnOutput.ts"

/** What would be evidence: the text without what was recognised. */
const left = (text: string): string => {
  const cuts = ownOutput(text)
  return cuts.map(({ start }, i) => text.slice(i === 0 ? 0 : cuts[i - 1]?.end, start)).join("")
    + text.slice(cuts.at(-1)?.end ?? 0)
}

/** As long as real ones, with what JSON has to escape. */
const longer = (name: string, value: unknown): unknown =>
  name === "text" && Predicate.isString(value) ? `${value}: "the port {\n\tis" [4400 \\ `.repeat(4) : value

const printedBy = <A, I>(schema: Schema.Schema<A, I>): FastCheck.Arbitrary<unknown> => {
  const encode = Schema.encodeSync(schema)
  return Arbitrary.make(schema).map((value): unknown => JSON.parse(JSON.stringify(encode(value), longer)))
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : Predicate.isRecord(value)
    ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]))
    : value

const styles = {
  compact: (json: unknown) => JSON.stringify(json),
  pretty: (json: unknown) => JSON.stringify(json, undefined, 2),
  sorted: (json: unknown) => JSON.stringify(sorted(json), undefined, 4)
} as const

const style = FastCheck.constantFrom(...Object.values(styles))

const failed = FastCheck.record({
  command: FastCheck.constantFrom("search", "log cat", "sync"),
  ok: FastCheck.constant(false),
  error: FastCheck.record({ code: FastCheck.string(), message: FastCheck.string() })
})

const reports = FastCheck.oneof(
  printedBy(SearchReport),
  printedBy(MemoryReport),
  printedBy(BlameReport),
  printedBy(AskReport),
  printedBy(GetReport),
  printedBy(GetSessionReport),
  printedBy(StatusReport),
  printedBy(SyncReport),
  printedBy(DriftReport),
  printedBy(DoctorReport),
  printedBy(ReferenceReport),
  failed
)

const before = FastCheck.constantFrom(
  "",
  "Exit code: 0\nWall time: 0.2 seconds\nOutput:\n",
  "Chunk ID: 6f1c\nWall time: 0.2 seconds\nOriginal token count: 40\nOutput:\n",
  "mem: the index is behind the log; the next sync brings it up\n",
  "$ mem search port --json\n",
  "$ mem search port --json ",
  "I ran it {as \"you\" said}: done. ",
  "```json\n",
  "{\"open\": \"said {"
)

const after = FastCheck.constantFrom("", "\n", "\nSo it is 4400, {not 4317}.", "\n```\n", " is what it \"says", "}")

/** Without white space: what surrounds a range may go with it. */
const words = (text: string): string => text.replace(/\s/g, "")

const law = <T>(arbitrary: FastCheck.Arbitrary<T>, holds: (value: T) => void, numRuns = 150): void =>
  FastCheck.assert(FastCheck.property(arbitrary, holds), { numRuns })

const kept = { timeout: 60_000 }

describe("a document", kept, () => {
  it("is known behind, before and between whatever else is said, and only it", () => {
    law(FastCheck.tuple(before, reports, style, after, reports, style), ([before, a, inA, after, b, inB]) => {
      const text = `${before}${inA(a)}${after}`
      assert.strictEqual(words(left(text)), words(before + after), text)
      const twice = `${before}${inA(a)}\nand\n${inB(b)}${after}`
      assert.strictEqual(words(left(twice)), words(`${before}and${after}`), twice)
    })
  })

  it("is known behind what a tool writes before each line", () => {
    const gutters = [
      (line: string) => `> ${line}`,
      (line: string, i: number) => `${String(i + 1).padStart(6)}\t${line}`,
      (line: string, i: number) => `${String(i + 1).padStart(5)}→${line}`,
      (line: string, i: number) => `out/a.json:${i + 1}:${line}`,
      (line: string) => `  | ${line}`
    ]
    law(FastCheck.tuple(reports, style, FastCheck.constantFrom(...gutters)), ([report, print, gutter]) => {
      const shown = print(report).split("\n").map(gutter).join("\n")
      assert.strictEqual(left(`It says:\n${shown}\nSo there.`), "It says:\n\nSo there.", shown)
    })
  })

  it("that was cut is known to the end of the block", () => {
    const ends = [
      "",
      "… [truncated]",
      "...",
      "…\n\nSo what is it?",
      "\n... [120 lines truncated] ...\n\"text\":\"x\"}]}\n"
    ]
    law(
      FastCheck.tuple(
        before,
        reports,
        FastCheck.double({ min: 0, max: 1, noNaN: true }),
        FastCheck.constantFrom(...ends)
      ),
      ([before, report, share, end]) => {
        for (const print of [styles.compact, styles.pretty]) {
          const whole = print(report)
          const head = /"ok":\s*(?:true|false),/.exec(whole)
          const least = (head?.index ?? 0) + (head?.[0].length ?? 0)
          const cut = least + Math.floor((whole.length - 1 - least) * share)
          const text = `${before}${whole.slice(0, cut)}${end}`
          assert.strictEqual(words(left(text)), words(before), text)
        }
      }
    )
  })

  it("is known by its parts", () => {
    const parts = [
      Hit,
      RecordHit,
      ConsolidatedEntry,
      SessionEntry,
      MemoryPart,
      BlamedMemory,
      BlamedEvidence,
      AskCitation,
      Record
    ].map((schema) =>
      FastCheck.array(printedBy(Schema.asSchema<Schema.Schema.AnyNoContext>(schema)), { minLength: 1, maxLength: 3 })
    )
    law(FastCheck.tuple(before, FastCheck.oneof(...parts), style, after), ([before, items, print, after]) => {
      const streamed = items.map(print).join("\n")
      for (const shown of [print(items), streamed]) {
        assert.strictEqual(words(left(`${before}${shown}${after}`)), words(before + after), shown)
      }
    })
  })

  it("is known by parts that were cut behind a whole one", () => {
    const items = FastCheck.array(printedBy(MemoryPart), { minLength: 2, maxLength: 2 })
    law(FastCheck.tuple(items, style, FastCheck.integer({ min: 3, max: 20 })), ([items, print, back]) => {
      assert.strictEqual(left(`$ jq .parts\n${print(items).slice(0, -back)}`).trim(), "$ jq .parts")
    })
  })
})

const golden = fs.readFileSync(new URL("../fixtures/golden/log.jsonl", import.meta.url), "utf8").trimEnd().split("\n")

describe("lines of mem dump and mem log cat", kept, () => {
  const prefixes = [
    "",
    "    ",
    "     7\t",
    "12:",
    "12-",
    "> ",
    "> > ",
    "- ",
    "* ",
    "1. ",
    "| ",
    "log/1.jsonl:3:",
    "  41→"
  ]
  const line = FastCheck.oneof(printedBy(DumpLine).map(styles.compact), FastCheck.constantFrom(...golden))

  it("are known whole, whatever a tool wrote before them", () => {
    const one = FastCheck.tuple(FastCheck.constantFrom(...prefixes), line).map((parts) => parts.join(""))
    law(FastCheck.tuple(one, one), ([a, b]) => {
      assert.strictEqual(left(`Look:\n${a}\n${b}\nand\n${a}\nSeen?`), "Look:\n\nand\n\nSeen?")
    })
  })

  it("are known to the end of the line where they were cut", () => {
    law(FastCheck.tuple(line, FastCheck.constantFrom(...prefixes)), ([line, prefix]) => {
      const fourth = [...line.matchAll(/,"\w+":/g)].at(2)?.index ?? 0
      for (const cut of [fourth, fourth + 4, line.length - 1, line.length - 3]) {
        assert.strictEqual(left(`${prefix}${line.slice(0, cut)}…\n\nSeen?`), "\n\nSeen?", line.slice(0, cut))
      }
    })
  })
})

describe("text between marks", () => {
  const [opening = "", ...rest] = marked("memory", ["Fact a.", "Fact b.", "Fact c."])

  it("is known by its closing mark alone, from the front", () => {
    const tail = rest.slice(1).join("\n")
    assert.strictEqual(left(`${tail}\nSo it is.`), "\nSo it is.")
    assert.strictEqual(left(`  12\t${tail}`), "")
    const both = `Before.\n${opening}\n${rest.join("\n")}\nBetween.\n${tail}\nBehind.`
    assert.strictEqual(left(both), "Before.\n\nBehind.")
  })

  it("is not what a mark is only spoken of in", () => {
    for (
      const text of [
        "It ends with `</mem-artifact>` where no terminal reads it.",
        "The lines stand between `<mem-artifact id=\"search\" sha=\"…\">` and `</mem-artifact>`: so they are known.",
        "return [`<mem-artifact id=\"${command}\" sha=\"${sha}\">`, ...inside, closing]"
      ]
    ) assert.strictEqual(left(text), text)
  })
})

describe("what is no output of mem", () => {
  const others = [
    { command: "deploy", ok: true },
    { command: "search", query: "port" },
    { command: "status", ok: true, containers: ["a"] },
    { command: "sync", ok: "yes", connectors: [] },
    { kind: "record", name: "a", value: 1, text: "a" },
    { level: "L1", id: "a", text: "b", message: "c", stale: false },
    { v: 1, seq: 2, at: "2026-01-01T00:00:00Z", kind: "click", body: {} },
    { span: [0, 1], text: "PER", label: "a", ids: 3 },
    { score: 0.5, level: "info", text: "a", id: "b", lines: [1, 2] }
  ]
  const said = [
    "I write {\"command\":\"deploy\",\"ok\":true} and \"ok\": is what I look at; {\"command\":\"search\"} too.",
    "{\"command\":\"search\",\"ok\",\"query\",\"mode\",\"hits\":[…]}",
    "{\"command\":\"search\",\"ok\":true,\"query\":\"a\",\"hits\":[…]}",
    "{\"command\":\"search\",\"ok\":true,…}, and so on",
    "`{\"command\":\"search\",\"ok\":true,\"query\":\"probes\",\"hits\":[${hit}]}`\nis code",
    "send({\"command\": \"search\", \"ok\": true, \"query\": \"a\", hits})\nreturn",
    "{\"v\":1,\"seq\":42,\"at\":\"…\",\"kind\":\"reference\",\"txn\":41,\"body\":{…},\"crc\":\"1a2b3c4d\"}",
    "- [ ] {\"a\": [\n> {\"b\": 1}\n"
  ]

  it("stays as it was said", () => {
    for (const text of [...said, ...others.flatMap((json) => Object.values(styles).map((print) => print(json)))]) {
      assert.deepStrictEqual(ownOutput(`So:\n${text}`), [], text)
    }
  })

  it("stays as it is, whatever JSON it is", () => {
    law(FastCheck.tuple(FastCheck.jsonValue(), style, FastCheck.nat(40)), ([json, print, cut]) => {
      const text = print({ command: "deploy", ok: true, json })
      assert.deepStrictEqual(ownOutput(text), [])
      assert.deepStrictEqual(ownOutput(text.slice(0, -cut)), [])
    })
  })

  it("is this project's code and manuals too, but for examples that are whole", () => {
    const root = new URL("../../", import.meta.url).pathname
    const found = ["src", "services", "layers", "docs", "test"].flatMap((folder) =>
      fs.readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:ts|md)$/.test(name))
        .map((name) => path.join(folder, name))
    ).flatMap((file) => {
      const text = fs.readFileSync(path.join(root, file), "utf8")
      return ownOutput(text).map(({ end, start }) => [file, text.slice(start, start + 30), text.slice(end - 4, end)])
    })
    assert.deepStrictEqual(found, [
      ["docs/chunking.md", "{\"command\":\"chunk\",\"ok\":true,\"", "]}]}"],
      ["docs/log-format.md", "{\"v\":1,\"seq\":42,\"at\":\"2026-11-", "4d\"}"]
    ])
  })
})

describe("the time that it takes", kept, () => {
  const hostile = [
    "{\"command\":\"search\",",
    "{\"command\":\"search\",\"ok\":true,",
    "{\"command\":\"search\",\"ok\":true,\"hits\":[",
    "{\"a\":",
    "{\"",
    "{\"a\":\"{",
    "{\n12:",
    "[[{\"x\":[",
    "{\"a\":\"b\n",
    "{\"a\\",
    "</mem-artifact>\n",
    "<mem-artifact id=\"x\">",
    "{\"kind\":\"memory\",\"level\":\"L1\",\"id\":\"x\"\n",
    "{\"v\":1,\"seq\":1,\"at\":\"\",\"kind\":\"seal\",\"body\":{}} x "
  ]

  it("grows with the text and no faster", () => {
    const megabytes = (unit: string, n: number): string => unit.repeat(Math.ceil((n * 1_000_000) / unit.length))
    ownOutput(megabytes("{\"command\":\"search\",", 5))
    for (const unit of hostile) ownOutput(megabytes(unit, 1))
  })
})
