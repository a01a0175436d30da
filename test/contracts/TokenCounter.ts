/** What every TokenCounter keeps. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import { TokenCounter } from "../../services/TokenCounter.ts"

const anyText = FastCheck.oneof(FastCheck.string16bits(), FastCheck.fullUnicodeString())

export const contract = <E>(name: string, layer: Layer.Layer<TokenCounter, E>): void =>
  it.layer(layer)(`TokenCounter/${name}`, (it) => {
    it.effect("counts nothing in the empty text", () =>
      Effect.map(TokenCounter, ({ count }) => assert.strictEqual(count(""), 0)))

    it.effect.prop(
      "counts a whole number, 0 or more, of any text, malformed ones too",
      [anyText],
      ([text]) =>
        Effect.map(TokenCounter, ({ count }) => {
          assert.isTrue(Number.isSafeInteger(count(text)))
          assert.isAtLeast(count(text), 0)
        })
    )

    it.effect.prop(
      "counts the same text the same, whatever came between",
      [anyText, anyText],
      ([text, other]) =>
        Effect.map(TokenCounter, ({ count }) => {
          const first = count(text)
          count(other)
          assert.strictEqual(count(text), first)
        })
    )

    it.effect("says which counter it is, in one printable line", () =>
      Effect.map(TokenCounter, ({ fingerprint }) => assert.match(fingerprint, /^[!-~]+$/)))
  })
