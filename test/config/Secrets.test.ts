import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Secrets from "../../src/config/Secrets.ts"

const environment = (variables: { readonly [name: string]: string }) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

/** The options with their variables in place, or what was wrong. */
const resolved = (options: unknown, variables: { readonly [name: string]: string } = {}) =>
  Effect.map(
    Effect.either(Secrets.resolve(options)),
    Either.match({
      onLeft: ({ detail, path }) => `${path.join(".")}: ${detail}`,
      onRight: ({ options }) => Redacted.value(options)
    })
  ).pipe(environment(variables))

describe("Secrets", () => {
  it.effect("puts a variable in, as a whole value or within one, at any depth", () =>
    Effect.gen(function*() {
      const options = {
        token: "${TOKEN}",
        url: "http://${HOST}:${PORT}/${HOST}",
        list: [{ a: "${TOKEN}" }, 1, null, true]
      }
      assert.deepStrictEqual(yield* resolved(options, { TOKEN: "t,0 k=en ", HOST: "attic", PORT: "8000" }), {
        token: "t,0 k=en ",
        url: "http://attic:8000/attic",
        list: [{ a: "t,0 k=en " }, 1, null, true]
      })
    }))

  it.effect("puts nothing into a value that came from a variable", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resolved({ a: "${A}", b: "x${A}" }, { A: "${B} $& $1", B: "b" }), {
        a: "${B} $& $1",
        b: "x${B} $& $1"
      })
    }))

  it.effect("leaves keys, other marks and what YAML cannot write alone", () =>
    Effect.gen(function*() {
      const date = new Date(0)
      const options = { "${TOKEN}": "$TOKEN {TOKEN} $ {TOKEN} $${TOKEN}", date, redacted: Redacted.make("${TOKEN}") }
      assert.deepStrictEqual(yield* resolved(options, { TOKEN: "t" }), {
        ...options,
        "${TOKEN}": "$TOKEN {TOKEN} $ {TOKEN} ${TOKEN}"
      })
    }))

  const failures: ReadonlyArray<readonly [unknown, string]> = [
    [{ a: ["x", { b: "${NOT_SET}" }] }, "a.1.b: the environment variable NOT_SET is not set"],
    [{ a: "x${EMPTY}" }, "a: the environment variable EMPTY is empty"],
    [{ a: "${SET}${A-B}" }, "a: \"${\" begins no variable here"],
    [{ a: "${" }, "a: \"${\" begins no variable here"],
    [{ a: "${1A}" }, "a: \"${\" begins no variable here"]
  ]
  it.effect.each(failures)(
    "refuses %j",
    ([options, says]) =>
      Effect.map(resolved(options, { EMPTY: "", SET: "canary" }), (message) => assert.strictEqual(message, says))
  )

  it.effect("reads the environment of the process where nothing else is provided", () =>
    Effect.gen(function*() {
      process.env["MEM_TEST_SECRET_1"] = "a,b"
      const { options } = yield* Effect.ensuring(
        Secrets.resolve("${MEM_TEST_SECRET_1}"),
        Effect.sync(() => delete process.env["MEM_TEST_SECRET_1"])
      )
      assert.strictEqual(Redacted.value(options), "a,b")
    }))

  it.effect("shows no value when it is printed", () =>
    Effect.gen(function*() {
      const result = yield* environment({ TOKEN: "canary" })(Secrets.resolve({ a: "${TOKEN}", b: { c: "x ${TOKEN}" } }))
      for (
        const text of [
          JSON.stringify(result),
          inspect(result, { depth: null, showHidden: true }),
          String(result.options)
        ]
      ) {
        assert.notInclude(text, "canary")
      }
      assert.include(JSON.stringify(result), "${TOKEN}")
    }))

  it("hides a value as it is, and as a URL and JSON write it", () => {
    const value = "p@ss \"wörd\"\n/%"
    const hide = Secrets.hide([{ shown: "${PASS}", value: Redacted.make(value) }])
    const text = [value, encodeURIComponent(value), encodeURI(value), JSON.stringify({ value })].join(" | ")
    assert.strictEqual(hide(text), "${PASS} | ${PASS} | ${PASS} | {\"value\":\"${PASS}\"}")
  })

  it("hides the longer secret before the one it holds", () => {
    const secret = (shown: string, value: string) => ({ shown, value: Redacted.make(value) })
    const hide = Secrets.hide([secret("A", "canary"), secret("B", "canary-2$&"), secret("C", "")])
    assert.strictEqual(hide("canary-2$&, canary, canary-3"), "B, A, A-3")
  })

  it("finds the secrets of a decoded configuration", () => {
    const config = { url: "a", token: Redacted.make("t"), more: [{ key: Redacted.make("k") }], n: Redacted.make(1) }
    assert.deepStrictEqual(Secrets.secretsIn(config).map(({ value }) => Redacted.value(value)), ["t", "k"])
  })

  it.prop(
    "lets no secret through",
    [FastCheck.string16bits({ minLength: 4 }), FastCheck.string(), FastCheck.string()],
    (
      [value, before, after]
    ) => {
      const hide = Secrets.hide([{ shown: "*", value: Redacted.make(value) }])
      assert.notInclude(hide(before + value + after), value)
    }
  )
})
