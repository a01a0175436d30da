import { Args, Command, Options } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { Console } from "effect"
import { Effect, Either, FastCheck, Option, Ref } from "effect"
import { read } from "../../src/cli/Argv.ts"
import * as Grammar from "../../src/cli/Grammar.ts"

/** What the parser made of a command line. */
interface Parsed {
  readonly command: string
  readonly values: unknown
}

const commands = (parsed: Ref.Ref<ReadonlyArray<Parsed>>) => {
  const global = Command.make("prog", {
    home: Options.text("home").pipe(Options.optional),
    json: Options.boolean("json")
  })
  const leaf = (command: string) => (values: unknown) =>
    Effect.flatMap(global, ({ home, json }) =>
      Ref.update(parsed, (all) => [...all, {
        command,
        values: { home: Option.getOrNull(home), json, ...Object(values) }
      }]))
  const words = Args.text({ name: "WORD" }).pipe(Args.repeated)
  const search = Command.make("search", {
    k: Options.text("k").pipe(Options.withDefault("10")),
    tag: Options.text("tag").pipe(Options.repeated),
    path: Options.text("path").pipe(Options.withAlias("p"), Options.withDefault("")),
    exact: Options.boolean("exact"),
    words
  }, leaf("search"))
  const list = Command.make("list", { limit: Options.text("limit").pipe(Options.withDefault("")), words }, leaf("list"))
  const rm = Command.make("rm", { words }, leaf("rm"))
  const ref = Command.make("ref", { strict: Options.boolean("strict") })
  return {
    program: global.pipe(Command.withSubcommands([search, ref.pipe(Command.withSubcommands([list, rm]))])),
    grammar: Grammar.make(global, [Grammar.make(search), Grammar.make(ref, [Grammar.make(list), Grammar.make(rm)])])
  }
}

const { grammar } = commands(Ref.unsafeMake<ReadonlyArray<Parsed>>([]))

/** `--name=value` and `--name value` are the same to the parser, and which of them comes out is not looked at. */
const apart = (normal: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = normal.includes("--") ? normal.indexOf("--") : normal.length
  return [
    ...normal.slice(0, end).flatMap((word) => /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]),
    ...normal.slice(end)
  ]
}

const words = (...args: ReadonlyArray<string>) => apart(Either.getOrThrow(read(grammar)(args).words))
const refusal = (...args: ReadonlyArray<string>) =>
  Either.match(read(grammar)(args).words, {
    onLeft: (error) => error.message,
    onRight: (normal) => `accepted as ${normal.join(" ")}`
  })

const silent = Effect.map(Effect.console, (console): Console.Console => ({
  ...console,
  log: () => Effect.void,
  error: () => Effect.void
}))

/** Through both, the pass and the parser that it is made for. */
const parse = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const parsed = yield* Ref.make<ReadonlyArray<Parsed>>([])
    const normal = yield* read(grammar)(args).words
    const run = Command.run(commands(parsed).program, { name: "prog", version: "0" })
    yield* Effect.provide(run(["node", "prog", ...normal]), NodeContext.layer).pipe(
      Effect.withConsole(yield* silent),
      Effect.ignore
    )
    return yield* Ref.get(parsed)
  })

const searched = (values: object): ReadonlyArray<Parsed> => [{
  command: "search",
  values: { home: null, json: false, k: "10", tag: [], path: "", exact: false, words: [], ...values }
}]

describe("read", () => {
  it("puts options behind the command they belong to, and positionals behind --", () => {
    const normal = ["--home", "X", "--json", "search", "-k", "3", "--", "what", "else"]
    assert.deepStrictEqual(words("--home", "X", "--json", "search", "-k", "3", "what", "else"), normal)
    assert.deepStrictEqual(words("search", "what", "-k", "3", "else", "--home", "X", "--json"), normal)
    assert.deepStrictEqual(words("--home=X", "search", "--json", "what", "-k3", "--", "else"), normal)
    assert.deepStrictEqual(words("ref", "list", "--strict", "--home", "X", "notes", "--limit", "2"), [
      "--home",
      "X",
      "ref",
      "--strict",
      "list",
      "--limit",
      "2",
      "--",
      "notes"
    ])
    assert.deepStrictEqual(words(), [])
    assert.deepStrictEqual(words("search", "--"), ["search"])
  })

  it("reads a one-letter option in each of its spellings", () => {
    for (const spelling of [["-k", "3"], ["-k3"], ["-k=3"]]) {
      assert.deepStrictEqual(words("search", ...spelling), ["search", "-k", "3"])
    }
    assert.deepStrictEqual(words("search", "-k-3"), ["search", "-k", "-3"])
    assert.deepStrictEqual(words("search", "-k", "-3"), ["search", "-k", "-3"])
    assert.deepStrictEqual(words("search", "-ka=b"), ["search", "-k", "a=b"])
    assert.include(refusal("search", "--k=3"), "unknown option --k")
    assert.include(refusal("search", "--k", "3"), "unknown option --k")
  })

  it("takes an alias for the option itself", () => {
    const long = words("search", "--path", "a")
    for (const spelling of [["-p", "a"], ["-pa"], ["-p=a"], ["--path=a"]]) {
      assert.deepStrictEqual(words("search", ...spelling), long)
    }
    assert.include(refusal("search", "-pa", "--path", "b"), "option --path is given twice")
  })

  it("keeps a value as it is: with =, with a dash before it, with the name of a command", () => {
    assert.deepStrictEqual(words("search", "--tag=a=b"), ["search", "--tag", "a=b"])
    assert.deepStrictEqual(words("search", "--tag", "--json"), ["search", "--tag", "--json"])
    assert.deepStrictEqual(words("--home", "--", "search", "--"), ["--home", "--", "search"])
    assert.deepStrictEqual(words("search", "--tag", "-"), ["search", "--tag", "-"])
    assert.deepStrictEqual(words("--home", "search", "search", "search"), [
      "--home",
      "search",
      "search",
      "--",
      "search"
    ])
    assert.deepStrictEqual(words("ref", "--home", "list", "rm", "list"), ["--home", "list", "ref", "rm", "--", "list"])
  })

  it("takes a dash alone for a positional", () => {
    assert.deepStrictEqual(words("search", "-", "--json"), ["--json", "search", "--", "-"])
    assert.deepStrictEqual(words("search", "--", "-"), ["search", "--", "-"])
  })

  it("takes every word behind the first -- as it is", () => {
    const odd = ["--json", "-k", "--", "--nope", "-h", "search", ""]
    assert.deepStrictEqual(words("search", "--", ...odd), ["search", "--", ...odd])
    assert.deepStrictEqual(words("search", "a", "--", ...odd), ["search", "--", "a", ...odd])
  })

  it("repeats only what may be repeated", () => {
    assert.deepStrictEqual(words("search", "--tag", "a", "x", "--tag=b", "--tag", "a"), [
      "search",
      "--tag",
      "a",
      "--tag",
      "b",
      "--tag",
      "a",
      "--",
      "x"
    ])
    assert.strictEqual(refusal("search", "-k3", "-k", "3"), `option -k is given twice; see "prog search --help"`)
    assert.strictEqual(refusal("--json", "search", "--json"), `option --json is given twice; see "prog search --help"`)
  })

  it("refuses an unknown option, names the nearest one, and says whose help to read", () => {
    assert.strictEqual(
      refusal("search", "--exat"),
      `unknown option --exat, did you mean --exact?; see "prog search --help"`
    )
    assert.strictEqual(
      refusal("ref", "rm", "--jsom", "a"),
      `unknown option --jsom, did you mean --json?; see "prog ref rm --help"`
    )
    assert.strictEqual(refusal("search", "--quite-another"), `unknown option --quite-another; see "prog search --help"`)
    assert.include(refusal("search", "-x"), "unknown option -x;")
    assert.include(refusal("search", "---"), "unknown option ---")
    assert.include(refusal("search", "--=x"), "unknown option --=x")
    assert.include(refusal("search", "--hom=X"), "did you mean --home?")
    assert.include(refusal("ref", "list", "--tag", "x"), "unknown option --tag", "an option of another command")
    assert.include(refusal("--exact", "search"), "unknown option --exact", "an option of a command, ahead of its name")
  })

  it("refuses an unknown command at each level", () => {
    assert.strictEqual(refusal("serch"), `unknown command serch, did you mean search?; see "prog --help"`)
    assert.strictEqual(refusal("ref", "lst"), `unknown command lst, did you mean list?; see "prog ref --help"`)
    assert.strictEqual(refusal("quite-another"), `unknown command quite-another; see "prog --help"`)
    assert.include(refusal("-"), "unknown command -;")
    assert.include(refusal("toString"), "unknown command toString;")
  })

  it("refuses a value that is missing, or one too many", () => {
    assert.strictEqual(refusal("search", "--tag"), `option --tag needs a value; see "prog search --help"`)
    assert.strictEqual(refusal("search", "-k"), `option -k needs a value; see "prog search --help"`)
    assert.strictEqual(
      refusal("search", "--exact=true"),
      `option --exact takes no value, but "--exact=true" gives one; see "prog search --help"`
    )
    assert.include(refusal("search", "--exact="), "option --exact takes no value")
  })

  it("asks for help or the version alone, whatever else is given", () => {
    assert.deepStrictEqual(words("--json", "ref", "list", "--limit", "2", "-h", "a"), [
      "--help",
      "ref",
      "--help",
      "list",
      "--help"
    ])
    assert.deepStrictEqual(words("--home", "X", "search", "--version"), ["--version"])
    assert.deepStrictEqual(words("search", "--completions", "bash"), ["--completions", "bash"])
  })

  it("says which command was meant, and whether JSON was, even behind a mistake", () => {
    const said = (...args: ReadonlyArray<string>) => {
      const { command, json } = read(grammar)(args)
      return [command, json]
    }
    assert.deepStrictEqual(said("search", "--nope", "--json"), ["search", true])
    assert.deepStrictEqual(said("ref", "rm", "a"), ["ref rm", false])
    assert.deepStrictEqual(said("--home", "--json", "search", "nope"), ["search", false])
    assert.deepStrictEqual(said("search", "--", "--json"), ["search", false])
    assert.deepStrictEqual(said("--home", "search", "nope"), ["prog", false])
  })

  it("refuses --json, or words behind --, where no command is given", () => {
    assert.include(refusal("--json"), "--json is given without a command")
    assert.include(refusal("--", "search"), "no command is given before --")
    assert.include(refusal("ref", "--", "rm"), "no command is given before --")
  })

  it("asks every level for help, wherever help was asked for", () => {
    assert.deepStrictEqual(words("--help"), ["--help"])
    for (const args of [["search", "-h"], ["--help", "search"], ["search", "--help", "-h"]]) {
      assert.deepStrictEqual(words(...args), ["--help", "search", "--help"])
    }
    assert.deepStrictEqual(words("ref", "-h"), ["--help", "ref", "--help"])
    assert.deepStrictEqual(words("ref", "list", "--help"), ["--help", "ref", "--help", "list", "--help"])
  })

  it.prop("leaves what stands behind -- alone", [FastCheck.array(FastCheck.string())], ([positionals]) => {
    assert.deepStrictEqual(words("search", "--", ...positionals), [
      "search",
      ...(positionals.length === 0 ? [] : ["--", ...positionals])
    ])
  })

  it.prop(
    "does not care where the options of the program stand",
    [
      FastCheck.constantFrom(
        [["search"], ["what"], ["--tag", "a"], ["-k", "3"], ["else"], ["--tag=search"], ["--exact"]],
        [["search"], ["-"], ["-p", "ref"]],
        [["ref"], ["--strict"], ["list"], ["--limit", "--json"], ["list"], ["ref"]],
        [["ref"], ["rm"], ["notes"], ["search"]]
      ),
      FastCheck.constantFrom(["--home", "X"], ["--home=X"], ["--home", "search"], ["--home", "--json"]),
      FastCheck.nat(7),
      FastCheck.nat(8)
    ],
    ([units, home, at, behind]) => {
      const first = Math.min(at, units.length)
      const second = Math.min(first + behind, units.length)
      const scattered = [
        ...units.slice(0, first),
        home,
        ...units.slice(first, second),
        ["--json"],
        ...units.slice(second)
      ]
      assert.deepStrictEqual(words(...scattered.flat()), words(...home, "--json", ...units.flat()))
    }
  )
})

describe("read and the parser behind it", () => {
  it.effect("agree on options wherever they stand", () =>
    Effect.gen(function*() {
      const values = { home: "X", json: true, k: "3", tag: ["a", "b"], exact: true, words: ["one", "two"] }
      for (
        const line of [
          "--home X --json search -k 3 --tag a --tag b --exact one two",
          "search one --tag=a --home=X two -k3 --tag b --json --exact",
          "search --exact --tag a -k=3 --json --tag b one --home X -- two"
        ]
      ) assert.deepStrictEqual(yield* parse(line.split(" ")), searched(values), line)
      assert.deepStrictEqual(yield* parse(["ref", "rm", "ref", "--json", "rm"]), [
        { command: "rm", values: { home: null, json: true, words: ["ref", "rm"] } }
      ])
    }))

  it.effect.prop(
    "agree on positionals and values, whatever they look like",
    {
      positionals: FastCheck.array(
        FastCheck.oneof(FastCheck.string(), FastCheck.constantFrom("--", "-", "--json", "-k", "ref", "--help", "-h"))
      ),
      home: FastCheck.oneof(
        FastCheck.string({ minLength: 1 }).filter((value) => /^\S(.*\S)?$/.test(value)),
        FastCheck.constantFrom("search", "--json", "--", "-", "=", "--help", "true")
      ),
      tag: FastCheck.constantFrom("ref", "search", "--json", "--home=Y", "false", "=x"),
      k: FastCheck.constantFrom("-3", "3", "search", "--json", "true")
    },
    ({ home, k, positionals, tag }) =>
      Effect.map(
        parse(["search", "--exact", "-k", k, "--home", home, "--tag", tag, "--json", "--", ...positionals]),
        (parsed) =>
          assert.deepStrictEqual(
            parsed,
            searched({ home, json: true, k, tag: [tag], exact: true, words: positionals })
          )
      ),
    { fastCheck: { numRuns: 60 } }
  )

  for (const value of ["", " ", "x ", " x", "x\ny", "x\n"]) {
    it.effect(`agree on the value ${JSON.stringify(value)}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* parse(["search", "--home", value, "a"]), searched({ home: value, words: ["a"] }))
        assert.deepStrictEqual(
          yield* parse(["search", `--path=${value}`, "a"]),
          searched({ path: value, words: ["a"] })
        )
      }))
  }

  it.effect("agree on a word behind -- that looks like an option of the parser's own", () =>
    Effect.gen(function*() {
      const words = ["--log-level=info", "--version", "--wizard", "--completions=sh"]
      assert.deepStrictEqual(yield* parse(["search", "--", ...words]), searched({ words }))
    }))

  it.effect("take --log-level for what it is, or refuse it, but never for a positional", () =>
    Effect.gen(function*() {
      const words = ["a", "--log-level=info"]
      for (
        const line of ["search --exact --log-level none", "--json --log-level=none search", "search --log-level none"]
      ) {
        const parsed = yield* Effect.option(parse([...line.split(" "), "--", ...words]))
        const expected = searched({ exact: line.includes("--exact"), json: line.includes("--json"), words })
        if (Option.isSome(parsed)) assert.deepStrictEqual(parsed.value, expected, line)
      }
    }))
})
