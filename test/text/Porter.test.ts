import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { photostructure } from "../../layers/Projection/Sqlite/Database.ts"
import { stem } from "../../src/text/Porter.ts"

const stems = ["a", "t", "tr", "tree", "troubl", "hop", "hopp", "fall", "hiss", "fail", "relat", "condit", "happ", "sk"]
  .concat(["opt", "oat", "privat", "b", "say", "yy", "yell", "syzyg", "crypt", "controll", "roll", "straß", "жук"])
const endings = ["", "s", "es", "ed", "ing", "eed", "ies", "sses", "ational", "tional", "enci", "anci", "izer", "logi"]
  .concat([
    "bli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness"
  ])
  .concat(["aliti", "iviti", "biliti", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance", "ence"])
  .concat(["er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "sion", "ou", "ism", "ate", "iti", "ous"])
  .concat(["ive", "ize", "e", "ll", "y", "er".repeat(40)])

const letters = FastCheck.string({
  unit: FastCheck.constantFrom(..."abcdefghilmnorstuyz"),
  minLength: 1,
  maxLength: 12
})

/** The stems that the index's own tokenizer makes of these words. */
const byTokenizer = (words: ReadonlyArray<string>) =>
  Effect.map(photostructure(), ({ open }) => {
    const database = open(":memory:", "write")
    database.exec("create virtual table words using fts5(text, tokenize='porter unicode61')")
    database.exec("create virtual table terms using fts5vocab(words, instance); begin")
    for (const [i, word] of words.entries()) database.run("insert into words(rowid, text) values (?, ?)", i + 1, word)
    const rows = database.all("select term from terms order by doc").map((row) => String(Object(row).term))
    database.close()
    return rows
  })

describe("Porter", () => {
  it.effect("stems as the index's tokenizer does, ending by ending", () =>
    Effect.gen(function*() {
      const words = stems.flatMap((word) => endings.flatMap((ending) => [word + ending, `${word}${ending}s`]))
      assert.deepStrictEqual(words.map(stem), yield* byTokenizer(words))
      assert.deepStrictEqual(["running", "foxes", "relational", "ties"].map(stem), ["run", "fox", "relat", "ti"])
    }))

  it.effect.prop(
    "stems as the index's tokenizer does, whatever the letters",
    [FastCheck.array(letters, { minLength: 50, maxLength: 50 })],
    ([words]) => Effect.map(byTokenizer(words), (expected) => assert.deepStrictEqual(words.map(stem), expected)),
    { fastCheck: { numRuns: 20 } }
  )
})
