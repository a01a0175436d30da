import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { GetReport } from "../../src/domain/GetReport.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { exclude } from "../../src/sync/exclude.ts"
import { get, type Place, readings } from "../../src/sync/get.ts"
import { document, notes, notesOf, text } from "./Given.ts"
import type { World } from "./Harness.ts"

const asked = (world: World, place: string, context = 3) => {
  const [first, ...others] = readings(place)
  assert.isDefined(first)
  return world.process(get([first, ...others], context))
}

const fromDocument = (world: World, place: string, context?: number) =>
  Effect.map(asked(world, place, context), ({ report, whole }) => {
    assert.instanceOf(report, GetReport)
    return { report, whole }
  })

const refused = (world: World, place: string) =>
  Effect.map(Effect.flip(asked(world, place)), (error) => error instanceof Error ? error.message : String(error))

const lines = ({ lines }: Place): string =>
  Option.match(lines, { onNone: () => "all", onSome: ({ first, last }) => `${first}..${last}` })

const shown = (place: string): ReadonlyArray<string> =>
  readings(place).map((reading) => `${reading.connector} ${reading.doc_id} ${lines(reading)}`)

describe("a place", () => {
  it("is a connector, a document and lines, of which the longer document is tried first", () => {
    assert.deepStrictEqual(shown("notes:a.md"), ["notes a.md all"])
    assert.deepStrictEqual(shown("notes:a.md:7"), ["notes a.md:7 all", "notes a.md 7..7"])
    assert.deepStrictEqual(shown("notes:a:b:10-20"), ["notes a:b:10-20 all", "notes a:b 10..20"])
    assert.deepStrictEqual(shown("notes:a\n:b:3-"), ["notes a\n:b:3- all", `notes a\n:b 3..${Number.MAX_SAFE_INTEGER}`])
    assert.deepStrictEqual(shown("notes::5"), ["notes :5 all"])
    assert.deepStrictEqual(shown("notes:a:-5"), ["notes a:-5 all"])
  })

  it("is nothing without a connector or a document", () => {
    for (const place of ["", ":", "notes", "notes:", ":a", "Notes:a", "../x:a", "a b:c", "12"]) {
      assert.deepStrictEqual(shown(place), [], place)
    }
  })

  it.prop("names any document of any connector", [FastCheck.fullUnicodeString({ minLength: 1 })], ([id]) => {
    const [whole] = readings(`notes:${id.toWellFormed()}`)
    assert.deepStrictEqual(whole, { connector: notes, doc_id: DocId.make(id.toWellFormed()), lines: Option.none() })
    const [, some] = readings(`notes:${id.toWellFormed()}:3-12`)
    assert.deepStrictEqual(some, {
      connector: notes,
      doc_id: DocId.make(id.toWellFormed()),
      lines: Option.some({ first: 3, last: 12 })
    })
  })
})

describe("mem get", () => {
  it.effect("gives a document byte for byte, from the log alone", () =>
    Effect.gen(function*() {
      const content = `\ufeff# One\r\n\r\n${text("a")}\rend \ud83d\udc11\n\n  `
      const { control, world, run } = yield* notesOf([{ doc_id: "a.md", content }, {
        doc_id: "blank.md",
        content: " \n"
      }])
      yield* run()
      yield* control.put(document("a.md", "changed at its source"))
      yield* control.resetCounts
      const { report, whole } = yield* fromDocument(world, "notes:a.md")
      assert.deepStrictEqual([report.text, report.before, report.after, whole], [content, "", "", true])
      assert.deepStrictEqual([report.lines, report.of], [[1, 11], 11])
      assert.strictEqual((yield* control.counts).fetches, 0)
      // A document of blanks alone has no passages, so nothing of it is kept.
      assert.strictEqual((yield* fromDocument(world, "notes:blank.md")).report.text, "")
    }))

  it.effect("gives lines with those around them, as far as there are any", () =>
    Effect.gen(function*() {
      const content = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\r\n`).join("")
      const { world, run } = yield* notesOf([{ doc_id: "a.txt", content }])
      yield* run()
      const some = (place: string, context?: number) =>
        Effect.map(fromDocument(world, place, context), ({ report: { after, before, lines, text } }) => [
          lines.join("-"),
          ...[before, text, after].map((part) => part.replaceAll("line ", "").replaceAll("\r\n", " ").trim())
        ])
      assert.deepStrictEqual(yield* some("notes:a.txt:5-6"), ["5-6", "2 3 4", "5 6", "7 8 9"])
      assert.deepStrictEqual(yield* some("notes:a.txt:2"), ["2-2", "1", "2", "3 4 5"])
      assert.deepStrictEqual(yield* some("notes:a.txt:11-"), ["11-12", "8 9 10", "11 12", ""])
      assert.deepStrictEqual(yield* some("notes:a.txt:11-99", 0), ["11-12", "", "11 12", ""])
      assert.deepStrictEqual(yield* some("notes:a.txt:1-12"), ["1-12", "", "1 2 3 4 5 6 7 8 9 10 11 12", ""])
      assert.isFalse((yield* asked(world, "notes:a.txt:1-12")).whole)
      for (const wrong of ["0", "13", "13-", "0-3"]) {
        assert.include(yield* refused(world, `notes:a.txt:${wrong}`), `has lines 1 to 12, not ${wrong}`)
      }
      assert.include(yield* refused(world, "notes:a.txt:5-4"), "5-4 ends before it begins; it has lines 1 to 12")
    }))

  it.effect("takes the longer name where there is such a document, and the shorter one where there is not", () =>
    Effect.gen(function*() {
      const { world, run } = yield* notesOf([document("a:1"), document("a"), document("b:2", "b")])
      yield* run()
      const id = (place: string) => Effect.map(asked(world, place), ({ report }) => String(report.doc_id))
      assert.strictEqual(yield* id("notes:a:1"), "a:1")
      assert.strictEqual(yield* id("notes:a:2"), "a")
      assert.strictEqual(yield* id("notes:a:1:1"), "a:1")
      assert.strictEqual(yield* id("notes:b:2"), "b:2")
      assert.include(yield* refused(world, "notes:b:3"), "no document or session b in memory")
    }))

  it.effect("knows no document that was never there, was removed, or is kept out", () =>
    Effect.gen(function*() {
      const { control, world, run } = yield* notesOf([document("a"), document("b"), document("c")])
      yield* run()
      yield* control.remove("a")
      yield* run()
      yield* world.process(exclude(notes, DocId.make("b")))
      for (const place of ["notes:a", "notes:b", "notes:z", "other:c"]) {
        assert.match(yield* refused(world, place), /has no document or session . in memory; "mem ref list" names/)
      }
      assert.strictEqual((yield* asked(world, "notes:c")).report.connector, ConnectorName.make("notes"))
    }))
})
