import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Ref } from "effect"
import { type Colours, coloursOf, layer } from "../../src/cli/PlainConsole.ts"

describe("coloursOf", () => {
  const terminal = { isTTY: true }
  const pipe = {}

  it("gives colours to a terminal alone, stream by stream", () => {
    assert.deepStrictEqual(coloursOf({ env: {}, stdout: terminal, stderr: terminal }), { stdout: true, stderr: true })
    assert.deepStrictEqual(coloursOf({ env: {}, stdout: pipe, stderr: terminal }), { stdout: false, stderr: true })
    assert.deepStrictEqual(coloursOf({ env: {}, stdout: { isTTY: false }, stderr: pipe }), {
      stdout: false,
      stderr: false
    })
  })

  it("obeys NO_COLOR, unless it is empty", () => {
    const off = { stdout: false, stderr: false }
    const on = { stdout: true, stderr: true }
    for (const [value, colours] of [["1", off], ["0", off], ["", on], [undefined, on]] as const) {
      assert.deepStrictEqual(coloursOf({ env: { NO_COLOR: value }, stdout: terminal, stderr: terminal }), colours)
    }
  })
})

describe("layer", () => {
  const coloured = "\u001b[1mbold\u001b[0m and \u001b[38;5;9mred\u001b[0m"
  const object = { text: coloured }

  const printed = (colours: Colours) =>
    Effect.gen(function*() {
      const out = yield* Ref.make<ReadonlyArray<ReadonlyArray<unknown>>>([])
      const to = (stream: string) => (...parts: ReadonlyArray<unknown>) =>
        Ref.update(out, (all) => [...all, [stream, ...parts]])
      const console: Console.Console = {
        ...yield* Effect.console,
        log: to("log"),
        error: to("error"),
        warn: to("warn")
      }
      yield* Console.log(coloured, 5, object).pipe(
        Effect.zipRight(Console.error(coloured, coloured)),
        Effect.zipRight(Console.warn("as before")),
        Effect.provide(layer(colours)),
        Effect.withConsole(console)
      )
      return yield* Ref.get(out)
    })

  it.effect("takes the colours out of texts where there may be none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* printed({ stdout: false, stderr: false }), [
        ["log", "bold and red", 5, object],
        ["error", "bold and red", "bold and red"],
        ["warn", "as before"]
      ])
    }))

  it.effect("leaves them where they may be", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* printed({ stdout: true, stderr: false }), [
        ["log", coloured, 5, object],
        ["error", "bold and red", "bold and red"],
        ["warn", "as before"]
      ])
      assert.deepStrictEqual(yield* printed({ stdout: false, stderr: true }), [
        ["log", "bold and red", 5, object],
        ["error", coloured, coloured],
        ["warn", "as before"]
      ])
    }))
})
