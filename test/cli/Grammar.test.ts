import { Args, Command, Options } from "@effect/cli"
import { assert, it } from "@effect/vitest"
import * as Grammar from "../../src/cli/Grammar.ts"

const bare = (name: string): Grammar.Grammar => ({ name, options: new Map(), commands: new Map() })

it("reads off every kind of option how it is written", () => {
  const rule = (name: string, takesValue: boolean, repeatable = false) => ({ name, takesValue, repeatable })
  const one = Command.make("one", {
    text: Options.text("text"),
    k: Options.integer("k").pipe(Options.withDefault(10)),
    flag: Options.boolean("flag").pipe(Options.withAlias("f")),
    mode: Options.choice("mode", ["a", "b"]).pipe(Options.optional),
    tag: Options.text("tag").pipe(Options.withAlias("t"), Options.repeated),
    some: Options.text("some").pipe(Options.between(1, 3), Options.optional),
    either: Options.text("left").pipe(Options.orElse(Options.text("right"))),
    described: Options.text("described").pipe(
      Options.withDescription("Described"),
      Options.withPseudoName("D"),
      Options.map((value) => value.length)
    ),
    args: Args.text({ name: "ARG" }).pipe(Args.repeated)
  })
  assert.deepStrictEqual(Grammar.make(one), {
    name: "one",
    options: new Map([
      ["--text", rule("--text", true)],
      ["-k", rule("-k", true)],
      ["-f", rule("--flag", false)],
      ["--flag", rule("--flag", false)],
      ["--mode", rule("--mode", true)],
      ["-t", rule("--tag", true, true)],
      ["--tag", rule("--tag", true, true)],
      ["--some", rule("--some", true, true)],
      ["--left", rule("--left", true)],
      ["--right", rule("--right", true)],
      ["--described", rule("--described", true)]
    ]),
    commands: new Map()
  })
})

it("shares one rule between the spellings of an option, so that both count as the same", () => {
  const { options } = Grammar.make(Command.make("one", { a: Options.text("all").pipe(Options.withAlias("a")) }))
  assert.notStrictEqual(options.get("--all"), undefined)
  assert.strictEqual(options.get("--all"), options.get("-a"))
})

it("holds the sub-commands it is given, each with its own options", () => {
  const leaf = Command.make("leaf", { args: Args.text({ name: "ARG" }) }).pipe(Command.withDescription("Described"))
  const deep = Command.make("deep", { deep: Options.boolean("deep") })
  const top = Command.make("top", { top: Options.boolean("top") })
  const flag = (name: string) => new Map([[name, { name, takesValue: false, repeatable: false }]])
  assert.deepStrictEqual(
    Grammar.make(top, [Grammar.make(deep, [Grammar.make(leaf)]), Grammar.make(Command.make("b"))]),
    {
      name: "top",
      options: flag("--top"),
      commands: new Map([
        ["deep", { name: "deep", options: flag("--deep"), commands: new Map([["leaf", bare("leaf")]]) }],
        ["b", bare("b")]
      ])
    }
  )
})

it("finds nothing in a command that takes nothing", () => {
  assert.deepStrictEqual(Grammar.make(Command.make("bare")), bare("bare"))
})
