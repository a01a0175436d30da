import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { get_encoding } from "tiktoken"
import { cl100kBase, make, o200kBase } from "../../layers/TokenCounter/Tiktoken.ts"
import { TokenCounterError } from "../../src/domain/TokenCounterErrors.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { readmes, tricky } from "../fixtures/TrickyText.ts"

const word = FastCheck.constantFrom(
  ..." ,  ,\t,\n,\r\n,\u0085,\u2028,\ufeff,\u3000,a,B,é,É,ǅ,ʰ,ß,ſ,漢,かな,\u0301,\u20e3,1,42,1234,Ⅷ,½,٣,'s,'S,'ſ,'re,'VE,'Ll,'d,',’s"
    .split(","),
  ..."<|endoftext|>,<|endofprompt|>,<|fim_prefix|>,__proto__,constructor,valueOf,//,/,://,\r\n/,...,---,#,\ud83d,\ude00,😀,👩‍👩‍👧,hello,World,XMLHttp"
    .split(","),
  ","
)

/** Words, blanks and quirks in any order: every alternative of the pattern, and every seam between two. */
const soup = FastCheck.array(word, { maxLength: 24 }).map((words) => words.join(""))

/** What the sheets and public reports name, and one text for each rule of the patterns. */
const quirks = [
  "",
  " ",
  "\ufeff# Title",
  "a\u0085b \u0085 \u0085c",
  "it'ſ IT'S it's It'S 'tis we'RE we're they'VE I'LL I'd 'd'd x'ss x'stop ''s",
  "\ud800",
  "\udc00\ud800 a\ud83d b\ude00",
  "__proto__ constructor toString valueOf hasOwnProperty",
  "<|endoftext|><|fim_middle|> <|endofprompt|>\n<|im_start|>user",
  "HTMLElement innerHTML XMLHttpRequest iPhone ABC ABCd ABCDef aB Ab AB",
  "漢ABC ABC漢 A漢B ʰABC ABCʰ \u0301ABC ABC\u0301 !\u0301ABC \u0301\u0301 1\u0301a",
  "ǅ ǅǅ ǅa aǅ",
  "1 12 123 1234 1234567 ١٢٣٤ ⅧⅨ½¾ 1a 12ab a1",
  "http://example.org//a/b/// ./x .//\r\n// !!\r\n\r\n/ \n/",
  "  a   b\t\tc \t d\n\n\n e \n \n f\r\n \r\n  g  ",
  "\u00a0a \u00a0b\u3000c\u2028d\u2029e\u200bf\u180eg\u1680h",
  "    \n",
  "\n    ",
  "a    ",
  "\t!\t! ! \u00a0!",
  "-".repeat(77),
  "=".repeat(300),
  " ".repeat(300),
  "\n".repeat(300),
  "a".repeat(1000),
  "ab".repeat(500),
  "漢字".repeat(200),
  "é".repeat(300),
  "😀".repeat(100),
  "ACGT".repeat(100),
  "0".repeat(1000),
  "Zalgo\u0301\u0323".repeat(20) + "\u0301".repeat(300),
  "👩‍👩‍👧‍👦 🇪🇺 e\u0301\u0323 ﬁ 한국어 กขค हिन्दी العربية עברית",
  "0x9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  Buffer.from(Array.from({ length: 600 }, (_, i) => i * 151 % 256)).toString("base64"),
  "x".repeat(95),
  "x".repeat(96),
  "x".repeat(97)
]

/**
 * What Unicode 17 added: Node 20.20 knows these letters and marks, and the reference, of Unicode 16, does not. What is
 * in a class depends on the runtime there as here.
 */
const younger = new RegExp(
  `[${
    "88f c5c cdc 1acf-1add 1ae0-1aeb a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 10efa-10efb 11b60-11b67 11db0-11ddb"
      .concat(" 11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18d09-18d1e 18d80-18df2 1e6c0-1e6de")
      .concat(" 1e6e0-1e6f5 1e6fe-1e6ff 2b73a-2b73f 2cea2-2cead 323b0-33479")
      .replace(/[0-9a-f]+/g, "\\u{$&}")
      .replaceAll(" ", "")
  }]`,
  "gu"
)

/** Every character of the first plane, and a sample of the others, where it begins, follows and divides words. */
function* everyCharacter(): Generator<string> {
  for (let from = 0; from < 0x110000; from += 512) {
    const step = from < 0x10000 ? 1 : 61
    let text = ""
    for (let code = from; code < from + 512; code += step) {
      const one = String.fromCodePoint(code).replace(younger, "")
      text += `${one}a A${one}B 1${one} !${one}\n`
    }
    yield text
  }
}

for (const encoding of [o200kBase, cl100kBase]) {
  const name = encoding === o200kBase ? "o200k_base" : "cl100k_base"
  const { free, oracle } = (() => {
    const reference = get_encoding(name)
    return {
      free: () => reference.free(),
      oracle: (text: string): number => reference.encode_ordinary(text).length
    }
  })()
  const ours = Effect.runSync(Effect.cached(make(encoding)))

  describe(`TokenCounter/Tiktoken/${name}`, () => {
    it.effect("counts the READMEs of the packages that it is built with as the reference does", () =>
      Effect.map(ours, ({ count }) => {
        // The bench compares them all.
        const files = readmes("node_modules").filter((_, i) => i % 4 === 0)
        assert.isAbove(files.length, 25)
        let tokens = 0
        for (const file of files) {
          const text = fs.readFileSync(file, "utf8")
          const n = count(text)
          assert.strictEqual(n, oracle(text), file)
          tokens += n
        }
        assert.isAbove(tokens, 50_000)
      }))

    it.effect("counts what is known to be counted otherwise elsewhere as the reference does", () =>
      Effect.map(ours, ({ count }) => {
        for (const text of quirks) assert.strictEqual(count(text), oracle(text), JSON.stringify(text))
      }))

    it.effect("counts arbitrary texts as the reference does", () =>
      Effect.map(ours, ({ count }) =>
        FastCheck.assert(
          FastCheck.property(
            FastCheck.oneof(soup, tricky, FastCheck.fullUnicodeString(), FastCheck.string16bits()),
            (any) => {
              const text = any.replace(younger, "")
              assert.strictEqual(count(text), oracle(text))
            }
          ),
          { numRuns: 4000 }
        )))

    it.effect("takes every character for what the reference takes it for", () =>
      Effect.map(ours, ({ count }) => {
        for (const text of everyCharacter()) {
          assert.strictEqual(count(text), oracle(text), `from U+${text.codePointAt(0)?.toString(16)}`)
        }
        free()
      }))

    it.effect("counts a text with lone surrogates as the well-formed one that it becomes", () =>
      Effect.map(ours, ({ count }) =>
        FastCheck.assert(
          FastCheck.property(FastCheck.string16bits(), (text) =>
            assert.strictEqual(count(text), count(text.toWellFormed())))
        )))

    it.effect("counts the same in two fibres at once", () =>
      Effect.gen(function*() {
        const { count } = yield* ours
        const fibre = (texts: ReadonlyArray<string>) =>
          Effect.forEach(texts, (text) => Effect.zipLeft(Effect.sync(() => count(text)), Effect.yieldNow()))
        const [forwards, backwards] = yield* Effect.all([fibre(quirks), fibre(quirks.toReversed())], {
          concurrency: 2
        })
        assert.deepStrictEqual(forwards, backwards.toReversed())
        assert.deepStrictEqual(forwards, quirks.map(count))
      }))

    it.effect("is named after the sha256 of its ranks", () =>
      Effect.map(ours, ({ fingerprint }) => {
        const ranks = fs.readFileSync(`node_modules/gpt-tokenizer/data/${name}.tiktoken`)
        assert.strictEqual(fingerprint, `${name}/1/${createHash("sha256").update(ranks).digest("hex")}`)
      }))
  })
}

describe("TokenCounter/Tiktoken, when its ranks cannot be used", () => {
  const sha256Of = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")

  it.scoped("says that the file is another one, or not there, and what to do", () =>
    Effect.gen(function*() {
      const file = path.join(yield* temporaryHome, "ranks.tiktoken")
      const ranks = fs.readFileSync(o200kBase.locate())
      fs.writeFileSync(file, ranks.subarray(0, -1))
      const damaged = yield* Effect.flip(make({ ...o200kBase, locate: () => file }))
      assert.instanceOf(damaged, TokenCounterError)
      assert.match(damaged.message, /^token counter o200k_base: .*ranks\.tiktoken is damaged or another version: its /)
      assert.include(damaged.message, sha256Of(ranks))
      assert.match(damaged.message, /; install mem again, with its dependency gpt-tokenizer$/)

      const missing = yield* Effect.flip(make({ ...cl100kBase, locate: () => `${file}.gone` }))
      assert.match(missing.message, /^token counter cl100k_base: .*ranks\.tiktoken\.gone cannot be read: ENOENT/)
    }))

  it.effect("says that the package is not installed", () =>
    Effect.gen(function*() {
      const locate = () => createRequire(import.meta.url).resolve(["no-such-package", "data"].join("/"))
      const error = yield* Effect.flip(make({ ...o200kBase, locate }))
      assert.match(error.message, /^token counter o200k_base: its ranks cannot be found: /)
    }))

  it.scoped("says what is wrong with a file that has the right sha256 and holds no ranks", () =>
    Effect.gen(function*() {
      const file = path.join(yield* temporaryHome, "ranks.tiktoken")
      for (const content of ["<html>", "IQ== 0\nIg== 2\n"]) {
        fs.writeFileSync(file, content)
        const error = yield* Effect.flip(make({ ...o200kBase, locate: () => file, sha256: sha256Of(content) }))
        assert.include(error.message, `${file} has no token of rank `)
      }
    }))
})
