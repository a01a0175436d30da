import { assert, describe, it } from "@effect/vitest"
import { Tokenizer as Oracle } from "@huggingface/tokenizers"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as ModelFiles from "../../layers/Embedder/MiniLm/ModelFiles.ts"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import * as Tiktoken from "../../layers/TokenCounter/Tiktoken.ts"
import * as WordPiece from "../../layers/TokenCounter/WordPiece.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { EmbedderError } from "../../src/domain/EmbedderErrors.ts"
import { contract } from "../contracts/TokenCounter.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { readmes, tricky } from "../fixtures/TrickyText.ts"

contract("CharsOverFour", CharsOverFour.layer)
contract("WordPiece", WordPiece.layer)
contract("Tiktoken/o200k", Tiktoken.o200k)
contract("Tiktoken/cl100k", Tiktoken.cl100k)

it.prop("CharsOverFour never counts less when text is added, and adds at most one for each seam", [
  FastCheck.string16bits(),
  FastCheck.string16bits()
], ([a, b]) => {
  const { count } = CharsOverFour.make
  assert.isAtLeast(count(a + b), count(a))
  assert.isAtLeast(count(a + b), count(a) + count(b) - 1)
  assert.isAtMost(count(a + b), count(a) + count(b))
})

it("CharsOverFour counts UTF-16 units", () => {
  assert.deepStrictEqual(["a", "abcd", "abcde", "😀😀", "漢"].map(CharsOverFour.make.count), [1, 1, 2, 1, 1])
})

/** The same file, read by the tokenizer of whoever made it. */
const oracle = Effect.map(ModelFiles.locate, ({ tokenizer }) => {
  const file = new Oracle(JSON.parse(fs.readFileSync(tokenizer.path, "utf8")), {})
  return (text: string): ReadonlyArray<number> => file.encode(text, { add_special_tokens: false }).ids
})

const tokenizer = Effect.flatMap(ModelFiles.locate, ({ tokenizer }) => WordPiece.load(tokenizer))

const both = Effect.all({ expected: oracle, ours: tokenizer })

describe("TokenCounter/WordPiece", () => {
  it.effect("cuts every README of the packages that it is built with as the oracle does", () =>
    Effect.gen(function*() {
      const { expected, ours } = yield* both
      const files = readmes("node_modules")
      assert.isAbove(files.length, 100)
      let pieces = 0
      for (const file of files) {
        const text = fs.readFileSync(file, "utf8")
        const found = ours.encode(text)
        assert.deepStrictEqual(found, expected(text), file)
        assert.strictEqual(ours.count(text), found.length, file)
        pieces += found.length
      }
      assert.isAbove(pieces, 100_000)
    }))

  it.effect("cuts tricky texts as the oracle does", () =>
    Effect.gen(function*() {
      const { expected, ours } = yield* both
      FastCheck.assert(
        FastCheck.property(FastCheck.oneof(tricky, FastCheck.fullUnicodeString(), FastCheck.string16bits()), (text) =>
          assert.deepStrictEqual(ours.encode(text), expected(text))),
        { numRuns: 3000 }
      )
      for (
        const text of [
          "",
          " \t\r\n\u00a0\u3000 ",
          "unaffable naïveté ÅNGSTRÖM ſtraße İstanbul ΌΔΟΣ ὈΔΥΣΣΕΎΣ ΑΣ'Α",
          "won't I'll 3.14159 1,000,000 $5 €6 100% a_b-c/d\\e@f#g",
          "漢字かなカナ한국어 กขค हिन्दी العربية עברית",
          "👩‍👩‍👧‍👦 🇪🇺 e\u0301\u0323 \u1e9b\u0323 ﬁ ½ ① Ⅷ",
          "\u0130\u0131 \ufb01 \u2126 \u212b \u1fef\u037e\u0387",
          "a".repeat(100),
          "a".repeat(101),
          `${"é".repeat(100)} ${"é".repeat(101)}`,
          "##ing [unused0] <s> </s> \u2581the",
          "https://example.org/a?b=c&d=%20#e",
          "0x9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        ]
      ) {
        assert.deepStrictEqual(ours.encode(text), expected(text), text)
      }
    }))

  // The oracle, as its makers meant it, lets a text say where a sequence begins. To us it is a text.
  it.effect("reads what is spelled like a special token as text, as the oracle reads it with blanks in it", () =>
    Effect.gen(function*() {
      const { expected, ours } = yield* both
      for (const special of ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]) {
        const text = `before${special}behind`
        assert.notDeepEqual(ours.encode(text), expected(text))
        assert.deepStrictEqual(ours.encode(text), expected(text.replace("[", "[ ").replace("]", " ]")))
      }
    }))

  it.effect("counts a text whole, though its file says that texts are cut at 128 and filled up to 128", () =>
    Effect.gen(function*() {
      const { count } = yield* TokenCounter
      assert.deepStrictEqual(["word", "word ".repeat(1000)].map(count), [1, 1000])
    }).pipe(Effect.provide(WordPiece.layer)))

  it.effect("is named after the file's sha256", () =>
    Effect.map(WordPiece.make, ({ fingerprint }) =>
      assert.strictEqual(
        fingerprint,
        "wordpiece/1/be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
      )))

  it.scoped("refuses a file that is another one, and names both hashes", () =>
    Effect.gen(function*() {
      const file = path.join(yield* temporaryHome, "tokenizer.json")
      const { tokenizer } = yield* ModelFiles.locate
      const damaged = fs.readFileSync(tokenizer.path, "utf8").replace("[PAD]", "[PAP]")
      fs.writeFileSync(file, damaged)
      const error = yield* Effect.flip(WordPiece.load({ ...tokenizer, path: file }))
      assert.instanceOf(error, EmbedderError)
      assert.isFalse(error.retryable)
      assert.match(error.message, /^embedder minilm: .*tokenizer\.json is damaged or another version: its sha256 is /)
      assert.include(error.message, tokenizer.sha256)
      assert.strictEqual(new Set(error.message.match(/[0-9a-f]{64}/g)).size, 2)

      const missing = yield* Effect.flip(WordPiece.load({ ...tokenizer, path: `${file}.gone` }))
      assert.match(missing.message, /tokenizer\.json\.gone cannot be read: ENOENT/)
    }))

  it.scoped("says what is wrong with a file that has the right sha256 and is no such tokenizer", () =>
    Effect.gen(function*() {
      const file = path.join(yield* temporaryHome, "tokenizer.json")
      const cases = [
        ["{", "is no JSON"],
        ["{}", "is without a model"],
        ["{\"model\":{\"vocab\":[\"a\"]}}", "is without a vocabulary"],
        ["{\"model\":{\"vocab\":{\"a\":\"b\"}}}", "is without a vocabulary"],
        ["{\"model\":{\"vocab\":{\"a\":1}}}", "is no WordPiece model"]
      ] as const
      for (const [content, problem] of cases) {
        fs.writeFileSync(file, content)
        const sha256 = createHash("sha256").update(content).digest("hex")
        const error = yield* Effect.flip(WordPiece.load({ path: file, sha256 }))
        assert.include(error.message, problem)
      }
    }))
})
