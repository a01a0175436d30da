import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { photostructure } from "../../layers/Projection/Sqlite/Database.ts"
import { matches } from "../../src/search/Matches.ts"
import { matchOf, wordsIn, wordsOf } from "../../src/search/Words.ts"

const marked = (text: string, question: string): string => {
  let out = ""
  let at = 0
  for (const [start, end] of matches(text, question)) {
    out += `${text.slice(at, start)}[${text.slice(start, end)}]`
    at = end
  }
  return out + text.slice(at)
}

const strings = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.string({
    unit: FastCheck.constantFrom("a", "é", "e\u0301", "\"", "*", "(", " ", "-", "\0", "NEAR", "北", "_")
  })
)

describe("Words", () => {
  it("drops what every text has, and what comes twice", () => {
    assert.deepStrictEqual(wordsOf("What is the port of the Demo server? The demo's PORT!").telling, [
      "PORT",
      "demo",
      "server"
    ])
    assert.deepStrictEqual(wordsOf("who are you?").telling, [])
    assert.deepStrictEqual(wordsOf("who are you?").all, ["who", "are", "you"])
    assert.deepStrictEqual(wordsOf(" -- !?").all, [])
  })

  it("quotes every word, so that none is an operator", () => {
    assert.strictEqual(
      matchOf(wordsOf("NEAR(a b) -c* \"d\" AND e:f").telling),
      ["NEAR", "b", "c", "e", "f"].map((w) => `"${w}"`).join(" OR ")
    )
  })

  it.prop("finds words where they stand, without gaps between letters", [strings], ([text]) => {
    const words = wordsIn(text)
    for (const { end, start, word } of words) assert.strictEqual(text.slice(start, end), word)
    const rest = words.reduceRight((left, { end, start }) => left.slice(0, start) + " " + left.slice(end), text)
    assert.notMatch(rest, /[\p{L}\p{N}]/u)
  })

  it.effect.prop(
    "is a question that the index takes, whatever was typed",
    [strings],
    ([text]) =>
      Effect.map(photostructure(), ({ open }) => {
        const { all } = wordsOf(text)
        if (all.length === 0) return
        const database = open(":memory:", "write")
        database.exec("create virtual table words using fts5(text, tokenize='porter unicode61')")
        database.run("insert into words(text) values (?)", all.join(" "))
        const found = database.all("select rowid from words where words match ?", matchOf(all))
        // Letters that are younger than the tokenizer are none to it.
        if (/^[\p{Script=Latin}\p{Script=Han}\d\p{M}]+$/u.test(all.join(""))) assert.lengthOf(found, 1)
        database.close()
      }),
    { fastCheck: { numRuns: 20 } }
  )
})

describe("Matches", () => {
  it("marks the question's words in their other forms, and no others", () => {
    assert.strictEqual(
      marked("Foxes ran; a FOX runs, foxglove does not.", "the running fox"),
      "[Foxes] ran; a [FOX] [runs], foxglove does not."
    )
    assert.strictEqual(marked("Naïve, naive and nai\u0308ve", "NAÏVE"), "[Naïve], [naive] and [nai\u0308ve]")
    assert.strictEqual(marked("\u{1F4E6} port: 4317", "Port 4317"), "\u{1F4E6} [port]: [4317]")
  })

  it("marks words that every text has only where the question has no other", () => {
    assert.strictEqual(marked("to be or not to be a port", "to be the port"), "to be or not to be a [port]")
    assert.strictEqual(marked("to be or not", "to be"), "[to] [be] or not")
    assert.strictEqual(marked("anything", ""), "anything")
  })

  it.prop(
    "gives ranges in order, apart from each other, of the text itself",
    [strings, strings],
    ([text, question]) => {
      let before = -1
      for (const [start, end] of matches(text, question)) {
        assert.isTrue(before <= start && start < end && end <= text.length)
        before = end
      }
      // Every word is found in itself.
      assert.strictEqual(matches(text, text).length > 0, wordsIn(text).length > 0)
    }
  )
})
