import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { afterFrontMatter, frontMatterMeta } from "../../src/chunk/FrontMatter.ts"
import { JsonValue } from "../../src/domain/JsonValue.ts"
import { behindFrontMatter } from "./DocumentLaws.ts"
import { markdown } from "./MarkdownSoup.ts"

const body = (text: string): string => text.slice(afterFrontMatter(text))

describe("afterFrontMatter", () => {
  it("is behind two equal lines of dashes or pluses at the very top", () => {
    assert.strictEqual(body("---\nk: v\n---\n# A\n"), "# A\n")
    assert.strictEqual(body("+++\nk = 1\n+++\n# A\n"), "# A\n")
    assert.strictEqual(body("---\n---\nx"), "x")
    assert.strictEqual(body("---\nk: v\n---"), "")
    assert.strictEqual(body("--- \t\nk: v\n---  \n\nx"), "\nx")
    assert.strictEqual(body("\uFEFF---\nk: v\n---\nx"), "x")
    for (const end of ["\r\n", "\r"]) assert.strictEqual(body("---\nk: v\n---\nx".replaceAll("\n", end)), "x")
  })

  it("is behind the first line that closes it", () => {
    assert.strictEqual(body("---\nk: v\n----\n ---\n...\n--- x\n+++\n---\nx\n---\n"), "x\n---\n")
    assert.strictEqual(body("+++\n---\n+++\nx"), "x")
  })

  it("is the top where nothing closes it, or something stands before it", () => {
    const none = [
      "",
      "x",
      "---",
      "---\n",
      "---\nk: v\n",
      "---\nk: v\n...\n",
      "---\nk: v\n+++\n",
      "---\nk: v\n--- x\n",
      "\n---\nk: v\n---\nx",
      " ---\nk: v\n---\nx",
      "----\nk: v\n----\nx",
      "---yaml\nk: v\n---\nx",
      "---\u2028k: v\u2028---\u2028x",
      "---\u00A0\nk: v\n---\nx"
    ]
    for (const text of none) {
      assert.strictEqual(body(text), text)
      assert.strictEqual(body(`\uFEFF${text}`), text)
      assert.isUndefined(frontMatterMeta(text))
    }
  })

  it.prop("agrees with a reader who goes line by line", [markdown], ([text]) => {
    assert.strictEqual(afterFrontMatter(text), behindFrontMatter(text))
  }, { fastCheck: { numRuns: 500 } })
})

describe("frontMatterMeta", () => {
  const meta = (yaml: string) => frontMatterMeta(`---\n${yaml}\n---\n# A\n`)

  it("is the map that YAML gives, with plain values", () => {
    const yaml = "title: A note\ntags: [a, b]\naliases:\n  - x\ndate: 2026-11-29\n2024: old\ndraft: true\nn: 1.5\nnone:"
    const expected = {
      title: "A note",
      tags: ["a", "b"],
      aliases: ["x"],
      date: "2026-11-29",
      "2024": "old",
      draft: true,
      n: 1.5,
      none: null
    }
    assert.deepStrictEqual(meta(yaml), expected)
    for (const end of ["\r\n", "\r"]) assert.deepStrictEqual(meta(yaml.replaceAll("\n", end)), expected)
    assert.deepStrictEqual(frontMatterMeta("\uFEFF---\nk: v\n---"), { k: "v" })
  })

  it("is nothing, and no failure, where that is no map of JSON", () => {
    const bad = [
      "",
      "just text",
      "- a\n- b",
      "k: [",
      "k: v\nk: w",
      "a: &x 1\nb: *x",
      "<<: {a: 1}",
      "k: .nan",
      "k: .inf",
      "k: !!js/function x",
      "k: \"\\ud83d\"",
      "? [a]\n: b",
      `k: ${"[".repeat(200)}${"]".repeat(200)}`,
      `k: ${"x".repeat(300_000)}`,
      "k: v\n...\nmore: 1",
      "\tk: v"
    ]
    for (const yaml of bad) assert.isUndefined(meta(yaml), yaml.slice(0, 40))
    assert.isUndefined(frontMatterMeta("+++\nk = 1\n+++\nx"))
  })

  it("keys with the names of an object's own members do no harm", () => {
    assert.isUndefined(meta("__proto__: {polluted: true}"))
    assert.isUndefined(meta("a: {__proto__: {polluted: true}}"))
    const names = meta("constructor: 1\ntoString: 2\nhasOwnProperty: 3\nprototype: 4")
    assert.deepStrictEqual(Object.entries(names ?? {}), [
      ["constructor", 1],
      ["toString", 2],
      ["hasOwnProperty", 3],
      ["prototype", 4]
    ])
    assert.notProperty({}, "polluted")
  })

  it.prop("is something that JSON carries", [markdown], ([text]) => {
    const found = frontMatterMeta(text)
    assert.isTrue(found === undefined || Schema.is(JsonValue)(found))
    if (found !== undefined) assert.deepStrictEqual(JSON.parse(JSON.stringify(found)), found)
  })
})
