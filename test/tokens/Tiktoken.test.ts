import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as fs from "node:fs"
import * as CountCache from "../../src/tokens/CountCache.ts"
import { byHeap, byScan } from "../../src/tokens/Merge.ts"
import { cl100k, o200k } from "../../src/tokens/PreSplit.ts"
import { noRank, parse, type RankTable } from "../../src/tokens/RankTable.ts"
import * as Tiktoken from "../../src/tokens/Tiktoken.ts"
import { utf8 } from "../../src/tokens/Utf8.ts"
import { tricky } from "../fixtures/TrickyText.ts"

const unitsOf = (text: string): Uint16Array => Uint16Array.from(text.split(""), (unit) => unit.charCodeAt(0))

const o200kFile = fs.readFileSync("node_modules/gpt-tokenizer/data/o200k_base.tiktoken")
const table = Either.getOrThrow(parse(o200kFile))

/** A file of the 256 bytes, then these tokens. */
const fileOf = (...tokens: ReadonlyArray<string>): string =>
  [...Array.from({ length: 256 }, (_, byte) => Buffer.of(byte)), ...tokens.map((token) => Buffer.from(token))]
    .map((token, rank) => `${token.toString("base64")} ${rank}\n`).join("")

const read = (file: string) => parse(Buffer.from(file))

const rankIn = (ranks: RankTable, token: string | Uint8Array): number => {
  const bytes = Buffer.from(token)
  return ranks.rankOf(bytes, 0, bytes.length)
}

describe("the table of ranks", () => {
  it("finds each line of a real file under its rank, and nothing else", () => {
    const lines = o200kFile.toString("latin1").trimEnd().split("\n")
    assert.strictEqual(table.size, lines.length)
    const tokens = new Set<string>()
    for (const line of lines) {
      const [token = "", rank] = line.split(" ")
      const bytes = Buffer.from(token, "base64")
      assert.strictEqual(rankIn(table, bytes), Number(rank))
      tokens.add(bytes.toString("latin1"))
    }
    for (const token of tokens) {
      for (const other of [`${token}\xff`, token.slice(1)]) {
        const rank = rankIn(table, Buffer.from(other, "latin1"))
        if (tokens.has(other) !== (rank !== noRank)) assert.fail(JSON.stringify(other))
      }
    }
  })

  it("looks a token up where it stands", () => {
    const bytes = Buffer.from("the hello, world")
    assert.strictEqual(table.rankOf(bytes, 3, 9), rankIn(table, " hello"))
  })

  it("takes a file without a last line end", () =>
    assert.deepStrictEqual(
      Either.map(read(fileOf("ab").trimEnd()), (ranks) => rankIn(ranks, "ab")),
      Either.right(256)
    ))

  it("says what is wrong with a file, and where", () => {
    const good = fileOf("ab", "abc")
    for (
      const [file, problem] of [
        ["", "has no token for the byte 0"],
        [fileOf().replace("/w== 255\n", ""), "has no token for the byte 255"],
        [good.replace("YWJj 257", "YWJj 258"), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", "YWJj"), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", "YWJj "), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", " 257"), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", "YW*j 257"), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", "YWJj 257 x"), "has no token of rank 257 in line 258"],
        [good.replace("YWJj 257", "YWI= 257"), "has a token twice, in line 257 and 258"],
        [`\n${good}`, "has no token of rank 0 in line 1"],
        ["<html>", "has no token of rank 0 in line 1"]
      ] as const
    ) assert.deepStrictEqual(read(file), Either.left(problem))
  })
})

const ends = (pieceEnd: typeof o200k, text: string): ReadonlyArray<string> => {
  const units = unitsOf(text)
  const pieces: Array<string> = []
  for (let start = 0; start < units.length;) {
    const end = pieceEnd(units, start)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

describe("the pre-split", () => {
  it("cuts at capitals, contractions, digits, symbols and spaces as each encoding does", () => {
    const text = "It's HTMLElement's  fooBar, 12345\r\n\r\n  ://x"
    assert.deepStrictEqual(
      ends(o200k, text),
      ["It's", " HTMLElement's", " ", " foo", "Bar", ",", " ", "123", "45", "\r\n\r\n", " ", " ://", "x"]
    )
    assert.deepStrictEqual(
      ends(cl100k, text),
      ["It", "'s", " HTMLElement", "'s", " ", " fooBar", ",", " ", "123", "45", "\r\n\r\n", " ", " ://", "x"]
    )
    assert.deepStrictEqual(ends(o200k, "it'ſit IT'LLit"), ["it'ſ", "it", " IT'LL", "it"])
    assert.deepStrictEqual(ends(cl100k, "it'ſit IT'LLit"), ["it", "'ſ", "it", " IT", "'LL", "it"])
    assert.deepStrictEqual([o200k, cl100k].map((split) => ends(split, "!\n/\n")), [["!\n/\n"], ["!\n", "/\n"]])
  })

  it.prop("each piece is one character at least, and none is cut in two", [
    FastCheck.oneof(tricky, FastCheck.string16bits()),
    FastCheck.constantFrom(o200k, cl100k)
  ], ([text, split]) => {
    const pieces = ends(split, text)
    assert.strictEqual(pieces.join(""), text)
    assert.notInclude(pieces, "")
    if (text.isWellFormed()) { for (const piece of pieces) assert.isTrue(piece.isWellFormed()) }
  })
})

it("the pre-split takes more letters in a row than a regular expression can", () => {
  const letters = "ы".repeat(4.5 * 2 ** 20)
  assert.throws(() => letters.match(/\p{L}+/gu), RangeError)
  const units = new Uint16Array(letters.length).fill(0x44b)
  assert.deepStrictEqual([o200k, cl100k].map((split) => split(units, 0)), [letters.length, letters.length])
})

it.prop("the bytes of a piece are those that Node writes for it", [FastCheck.string16bits(), tricky], ([a, b]) => {
  for (const text of [a, b]) {
    const units = unitsOf(`x${text}y`)
    assert.deepStrictEqual(Buffer.from(utf8(units, 1, units.length - 1)), Buffer.from(text))
  }
})

describe("merging", () => {
  const hostile = FastCheck.tuple(
    FastCheck.constantFrom("a", "-", " ", "ab", "qz", "漢", "é", "\u0301", "ACGT", "=-"),
    FastCheck.nat(400)
  )
    .map(([unit, times]) => unit.repeat(times))

  it.prop("comes to the same either way", [FastCheck.oneof(hostile, tricky, FastCheck.base64String())], ([text]) => {
    const bytes = Buffer.from(text)
    assert.strictEqual(byScan(table, bytes), byHeap(table, bytes))
  })

  it.prop(
    "comes to the same either way, of any bytes",
    [FastCheck.uint8Array({ maxLength: 300 })],
    ([bytes]) => assert.strictEqual(byScan(table, bytes), byHeap(table, bytes))
  )

  it("joins the lowest rank first, and of equals the leftmost", () => {
    const ranks = Either.getOrThrow(read(fileOf("bc", "ab", "aa", "aab", "xx", "xxy")))
    for (
      const [text, parts] of [["abc", 2], ["aaa", 2], ["aaaa", 2], ["aab", 1], ["aabc", 2], ["xxxy", 3], ["", 0], [
        "x",
        1
      ]] as const
    ) {
      const bytes = Buffer.from(text)
      assert.deepStrictEqual([byScan(ranks, bytes), byHeap(ranks, bytes)], [parts, parts], text)
    }
  })
})

describe("the cache", () => {
  const counting = (places: number) => {
    const asked: Array<string> = []
    const cache = CountCache.make(places, (units, start, end) => {
      asked.push(String.fromCharCode(...units.subarray(start, end)))
      return end - start
    })
    return { asked, count: (text: string) => cache(unitsOf(text), 0, text.length) }
  }

  it("counts a piece once, and one that is too long each time", () => {
    const { asked, count } = counting(8)
    const [held, long] = ["x".repeat(31), "x".repeat(32)]
    assert.deepStrictEqual([held, held, long, long].map(count), [31, 31, 32, 32])
    assert.deepStrictEqual(asked, [held, long, long])
  })

  it("holds no more pieces than it has places", () => {
    const { asked, count } = counting(8)
    const pieces = Array.from({ length: 1000 }, (_, i) => `piece ${i}`)
    pieces.map(count)
    asked.length = 0
    pieces.toReversed().map(count)
    assert.isAtLeast(asked.length, 1000 - 8)
    assert.isBelow(asked.length, 1000)
  })

  it.prop("never gives a piece another one's count", [
    FastCheck.array(FastCheck.string16bits({ minLength: 1, maxLength: 3 }), { maxLength: 200 })
  ], ([pieces]) => {
    const { count } = counting(4)
    for (const piece of [...pieces, ...pieces]) assert.strictEqual(count(piece), piece.length)
  })
})

/** What is read of a text's units and looked up in the table while it is counted. */
const workOf = (text: string): { readonly units: number; readonly ranks: number } => {
  const work = { units: 0, ranks: 0 }
  const watched: RankTable = {
    ...table,
    rankOf: (bytes, start, end) => {
      work.ranks += 1
      return table.rankOf(bytes, start, end)
    }
  }
  for (const pieceEnd of [o200k, cl100k]) {
    const units = new Proxy(unitsOf(text), {
      get: (target, key) => {
        if (key !== "length") work.units += 1
        return Reflect.get(target, key, target)
      }
    })
    for (let start = 0; start < text.length; start = pieceEnd(units, start));
    Tiktoken.make(watched, pieceEnd)(text)
  }
  return work
}

it("does four times the work for four times the text, whatever the text, and little for each character", () => {
  const size = 2048
  for (
    const unit of [
      "a",
      "A",
      "-",
      " ",
      "\n",
      "\n \n",
      "漢",
      "é",
      "\u0301",
      "\u0301A",
      "Aa",
      "'s",
      "1",
      "/\n",
      "ab1! ",
      "qz",
      "the same line again\n",
      "> * - 1. ",
      "\ud83d",
      "😀",
      "ʰA",
      " \t!",
      "__proto__"
    ]
  ) {
    const [once, fourfold] = [size, 4 * size].map((length) => workOf(unit.repeat(Math.ceil(length / unit.length))))
    for (const kind of ["units", "ranks"] as const) {
      assert.isAtMost(
        fourfold?.[kind] ?? Infinity,
        4.2 * (once?.[kind] ?? 0) + 64,
        `${kind} of ${JSON.stringify(unit)}`
      )
    }
    assert.isAtMost(once?.units ?? Infinity, 2 * 10 * size, `units of ${JSON.stringify(unit)}`)
    assert.isAtMost(once?.ranks ?? Infinity, 2 * 3 * 3 * (size + 64), `ranks of ${JSON.stringify(unit)}`)
  }
})
