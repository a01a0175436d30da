import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { bodySpan, embeddedSpan, embeddedText } from "../../src/chunk/EmbeddedText.ts"
import { afterByteOrderMark } from "../../src/chunk/TextLines.ts"
import { documents } from "./DocumentLaws.ts"

const at = (start: number, text: string, context = "") => ({ start, text, context })

describe("embeddedText", () => {
  it("is the context and then the body", () => {
    assert.strictEqual(embeddedText(at(9, "\n a\n\nb \n\n", "A\nB\n")), "A\nB\n a\n\nb ")
  })

  it("drops the byte order mark at the document's top only", () => {
    assert.strictEqual(embeddedText(at(0, "\uFEFF\n\na\uFEFFb\n")), "a\uFEFFb")
    assert.strictEqual(embeddedText(at(0, "\uFEFF\uFEFFa")), "\uFEFFa")
    assert.strictEqual(embeddedText(at(5, "\uFEFFa\n")), "\uFEFFa")
  })

  it("drops front matter, wherever the passage ends", () => {
    const text = "\uFEFF---\nk: v\n---\n\n# A\n"
    assert.strictEqual(embeddedText(at(0, text), 14), "# A")
    assert.strictEqual(embeddedText(at(0, text.slice(0, 14)), 14), "")
    assert.strictEqual(embeddedText(at(15, text.slice(15)), 14), "# A")
  })

  it("makes lone surrogates U+FFFD and leaves pairs alone", () => {
    assert.strictEqual(embeddedText(at(0, "a\uD83D b\uDE00 \uD83D\uDE00")), "a\uFFFD b\uFFFD \uD83D\uDE00")
  })

  it.prop("a passage and its span in the document give the same", [documents, FastCheck.nat(), FastCheck.nat()], (
    [text, a, b]
  ) => {
    const start = a % (text.length + 1)
    const end = start + b % (text.length - start + 1)
    const top = afterByteOrderMark(text)
    const embedded = embeddedText(at(start, text.slice(start, end), "C\n"))
    assert.strictEqual(embedded, embeddedSpan(text, top, "C\n", start, end))
    const [from, to] = bodySpan(text, top, start, end)
    assert.strictEqual(embedded.length, 2 + to - from)
  })
})
