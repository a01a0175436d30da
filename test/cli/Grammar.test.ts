import { Args, Command, Options } from "@effect/cli"
import { assert, it } from "@effect/vitest"
import { type Grammar, ofCommand } from "../../src/cli/Grammar.ts"

const none: Grammar = { options: new Map(), commands: new Map() }

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
  assert.deepStrictEqual(ofCommand("one", one), {
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
  const { options } = ofCommand("one", Command.make("one", { a: Options.text("all").pipe(Options.withAlias("a")) }))
  assert.notStrictEqual(options.get("--all"), undefined)
  assert.strictEqual(options.get("--all"), options.get("-a"))
})

it("goes down to sub-commands of sub-commands, each with its own options", () => {
  const leaf = Command.make("leaf", { args: Args.text({ name: "ARG" }) })
  const deep = Command.make("deep", { deep: Options.boolean("deep") }).pipe(
    Command.withDescription("Described"),
    Command.withSubcommands([leaf])
  )
  const top = Command.make("top", { top: Options.boolean("top") }).pipe(
    Command.withSubcommands([deep, Command.make("b")])
  )
  const flag = (name: string) => new Map([[name, { name, takesValue: false, repeatable: false }]])
  assert.deepStrictEqual(ofCommand("top", top), {
    options: flag("--top"),
    commands: new Map([
      ["deep", { options: flag("--deep"), commands: new Map([["leaf", none]]) }],
      ["b", none]
    ])
  })
})

it("finds nothing in a command that takes nothing", () => {
  assert.deepStrictEqual(ofCommand("bare", Command.make("bare")), none)
})
