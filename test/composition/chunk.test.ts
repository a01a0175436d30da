import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { writeFile } from "node:fs/promises"
import { Readable } from "node:stream"
import { printable } from "../../src/cli/Printable.ts"
import { type Ended, folder, mem, startMem } from "./Mem.ts"
import { tracedMem, unchanged } from "./Traces.ts"

const lines = (...texts: ReadonlyArray<string>) => texts.map((text) => `${JSON.stringify({ text })}\n`).join("")

const three = lines("aaaa", "bbbbbbbb", "cccc")
const report = (files: ReadonlyArray<unknown>, max_tokens = 5000) =>
  `${JSON.stringify({ command: "chunk", ok: true, max_tokens, counter: "chars-over-four/1", files })}\n`
const summary = (t: number, tokens: number, record_keys: ReadonlyArray<string>, over_budget = false) => ({
  t,
  tokens,
  over_budget,
  record_keys
})
const jsonl = (...summaries: ReadonlyArray<unknown>) => summaries.map((each) => `${JSON.stringify(each)}\n`).join("")
const wholeOf = (file: string) => ({ file, chunks: [summary(1, 4, [`${file}:1`, `${file}:2`, `${file}:3`])] })
const tableOf = (file: string) =>
  `${file}
     t     tokens  records  keys
     1          4        3  ${file}:1 to ${file}:3
1 chunk, 3 records, 4 tokens (budget 5,000, counted by chars-over-four/1)
`
/** With the estimate for a counter, which a reader can check by hand. */
const estimated = (args: ReadonlyArray<string>, options?: Parameters<typeof mem>[1]) => {
  const [before, after] = [args.slice(0, args.indexOf("chunk") + 1), args.slice(args.indexOf("chunk") + 1)]
  return mem([...before, "--counter", "chars", ...after], options)
}
const done = (stdout: string): Ended => ({ code: 0, signal: null, stdout, stderr: "" })

/** Each case on a run of its own, a few at a time. */
const each = <A>(cases: ReadonlyArray<A>, check: (one: A) => Effect.Effect<void>) =>
  Effect.forEach(cases, check, { concurrency: 4, discard: true })

/** That a run failed so: the code, nothing on standard output, one line on standard error that says this. */
const refused = (ended: Ended, code: number, ...says: ReadonlyArray<string>) => {
  for (const text of says) assert.include(ended.stderr, text)
  assert.match(ended.stderr, /^mem: [^\n]+\n$/)
  assert.deepStrictEqual({ ...ended, stderr: "" }, { code, signal: null, stdout: "", stderr: "" })
}

const decodeFailure = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({
  command: Schema.String,
  ok: Schema.Boolean,
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
})))

/** That standard output is one JSON document which says what standard error says. */
const refusedInJson = (ended: Ended, code: number, errorCode: string, ...says: ReadonlyArray<string>) => {
  assert.match(ended.stdout, /^[^\n]+\n$/)
  const { error: { message, ...error }, ...failure } = decodeFailure(ended.stdout)
  assert.deepStrictEqual({ ...failure, error }, { command: "chunk", ok: false, error: { code: errorCode } })
  assert.strictEqual(`mem: ${printable(message)}\n`, ended.stderr)
  refused({ ...ended, stdout: "" }, code, ...says)
}

describe("what it prints", () => {
  it.scopedLive("a table for each file", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three, "b.jsonl": lines("x".repeat(48), "y") })
      assert.deepStrictEqual(yield* estimated(["chunk", "a.jsonl"], { cwd }), done(tableOf("a.jsonl")))
      const table = `a.jsonl
     t     tokens  records  keys
     1          3        2  a.jsonl:1 to a.jsonl:2
     2          1        1  a.jsonl:3
2 chunks, 3 records, 4 tokens (budget 3, counted by chars-over-four/1)

b.jsonl
     t     tokens  records  keys
     1         12        1  b.jsonl:1  over budget
     2          1        1  b.jsonl:2
2 chunks, 2 records, 13 tokens (budget 3, counted by chars-over-four/1); over budget, kept whole: 1
`
      assert.deepStrictEqual(
        yield* estimated(["chunk", "a.jsonl", "b.jsonl", "--max-tokens", "3"], { cwd }),
        done(table)
      )
    }))

  it.scopedLive("one JSON document, counting from 1 in each file", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three, "b.jsonl": lines("x".repeat(48), "y") })
      assert.deepStrictEqual(
        yield* estimated(["chunk", "a.jsonl", "--json"], { cwd }),
        done(report([wholeOf("a.jsonl")]))
      )
      assert.deepStrictEqual(
        yield* estimated(["chunk", "a.jsonl", "b.jsonl", "--json", "--max-tokens=3"], { cwd }),
        done(report([
          { file: "a.jsonl", chunks: [summary(1, 3, ["a.jsonl:1", "a.jsonl:2"]), summary(2, 1, ["a.jsonl:3"])] },
          { file: "b.jsonl", chunks: [summary(1, 12, ["b.jsonl:1"], true), summary(2, 1, ["b.jsonl:2"])] }
        ], 3))
      )
    }))

  it.scopedLive("a line of JSON for each chunk", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three, "b.jsonl": lines("x".repeat(48)) })
      assert.deepStrictEqual(
        yield* estimated(["chunk", "a.jsonl", "b.jsonl", "--jsonl", "--max-tokens", "3"], { cwd }),
        done(jsonl(
          summary(1, 3, ["a.jsonl:1", "a.jsonl:2"]),
          summary(2, 1, ["a.jsonl:3"]),
          summary(1, 12, ["b.jsonl:1"], true)
        ))
      )
    }))

  it.scopedLive("the same from standard input", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* estimated(["chunk", "-"], { stdin: three }), done(tableOf("-")))
      assert.deepStrictEqual(yield* estimated(["chunk", "--", "-"], { stdin: three }), done(tableOf("-")))
      assert.deepStrictEqual(yield* estimated(["chunk", "--json", "-"], { stdin: three }), done(report([wholeOf("-")])))
      const bytes = Buffer.from(three)
      const pieces = Readable.from(Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)))
      assert.deepStrictEqual(
        yield* estimated(["chunk", "--json", "-"], { stdin: pieces }),
        done(report([wholeOf("-")]))
      )
    }))

  it.scopedLive("counts of o200k for Records, if nothing is said, and of cl100k", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": lines("\ufeff# Title", "<|endoftext|>", "tokenization 漢字") })
      const counts = (stdout: string) => /"counter":"([^/]+)\/1\/[0-9a-f]{64}".*"tokens":(\d+)/.exec(stdout)?.slice(1)
      const given: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
        [[], "o200k_base", "14"],
        [["--counter", "o200k"], "o200k_base", "14"],
        [["--counter", "cl100k"], "cl100k_base", "15"]
      ]
      yield* each(given, ([option, name, tokens]) =>
        Effect.map(mem(["chunk", "a.jsonl", "--json", ...option], { cwd }), ({ stdout }) =>
          assert.deepStrictEqual(counts(stdout), [name, tokens])))
    }))

  it.scopedLive("lines of plain text under --text, blank ones too", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.txt": "aaaa\r\n\n{\"text\":1}\nno line end" })
      const keys = ["a.txt:1", "a.txt:2", "a.txt:3", "a.txt:4"]
      assert.deepStrictEqual(
        yield* estimated(["chunk", "--text", "a.txt", "--json"], { cwd }),
        done(report([{ file: "a.txt", chunks: [summary(1, 1 + 0 + 3 + 3, keys)] }]))
      )
    }))

  it.scopedLive("the same wherever the options of mem stand", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three })
      yield* each([
        "--json chunk a.jsonl",
        "chunk --json a.jsonl",
        "chunk a.jsonl --json",
        "--home X --json chunk a.jsonl",
        "chunk a.jsonl --home X --json",
        "--home=chunk chunk a.jsonl --json",
        "chunk --json -- a.jsonl"
      ], (line) =>
        Effect.map(estimated(line.split(" "), { cwd }), (ended) =>
          assert.deepStrictEqual(ended, done(report([wholeOf("a.jsonl")])), line)))
      assert.deepStrictEqual(yield* estimated(["chunk", "a.jsonl", "--home", "X"], { cwd }), done(tableOf("a.jsonl")))
    }))

  it.live("its help, without escapes, with every option, whatever else is given", () =>
    each([
      ["chunk", "--help"],
      ["chunk", "-h", "x.jsonl", "--max-tokens", "3"],
      ["--help", "chunk"],
      ["--json", "chunk", "--help"],
      ["chunk", "--help", "--home", "X"]
    ], (args) =>
      Effect.map(mem(args, { env: { FORCE_COLOR: "1", TERM: "xterm-256color" } }), (ended) => {
        assert.include(ended.stdout, "$ mem chunk", args.join(" "))
        for (
          const option of [
            "--max-tokens N",
            "--counter NAME",
            "--policy NAME",
            "--text",
            "--jsonl",
            "--skip-bad",
            "<FILE>..."
          ]
        ) {
          assert.include(ended.stdout, option)
        }
        assert.notInclude(ended.stdout, "\u001b")
        assert.deepStrictEqual({ ...ended, stdout: "" }, done(""))
      })))

  it.live("the version, beside other options too", () =>
    each(
      [["--version"], ["chunk", "--version"], ["--json", "--version"], ["--home", "X", "chunk", "--version"]],
      (args) =>
        Effect.map(mem(args), (ended) => {
          assert.match(ended.stdout.trim(), /^\d+\.\d+\.\d+$/, args.join(" "))
          assert.deepStrictEqual({ ...ended, stdout: "" }, done(""))
        })
    ))
})

describe("documents", () => {
  const note = "\uFEFF---\ntags: [a]\n---\r\n# Top\n\nFirst words.\n\n## Sub \uD83D\uDE00\nMore of it.\n"
  const top = "\uFEFF---\ntags: [a]\n---\r\n# Top\n\nFirst words.\n\n"
  const passages = [
    {
      ordinal: 0,
      start: 0,
      end: top.length,
      lines: [1, 7],
      heading_path: ["Top"],
      context: "",
      tokens: 5,
      over_budget: false,
      text: top
    },
    {
      ordinal: 1,
      start: top.length,
      end: note.length,
      lines: [8, 9],
      heading_path: ["Top", "Sub \uD83D\uDE00"],
      context: "Top\n",
      tokens: 7,
      over_budget: false,
      text: note.slice(top.length)
    }
  ]
  const plain = "aaaa\r\n\r\n# bbbb\n"
  const paragraphs = [[0, 8, [1, 2], "aaaa\r\n\r\n", 1], [8, 15, [3, 3], "# bbbb\n", 2]].map(
    ([start, end, lines, text, tokens], ordinal) => ({
      ordinal,
      start,
      end,
      lines,
      heading_path: [],
      context: "",
      tokens,
      over_budget: false,
      text
    })
  )

  it.scopedLive("by their names: Markdown by heading, text by paragraph, in one JSON document", () =>
    Effect.gen(function*() {
      const files = { "a.md": note, "B.MARKDOWN": note, "c.txt": plain }
      const cwd = yield* folder(files)
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", ...Object.keys(files), "--json", "--max-tokens", "8"], { cwd }),
        done(report([
          { file: "a.md", passages },
          { file: "B.MARKDOWN", passages },
          { file: "c.txt", passages: paragraphs }
        ], 8))
      )
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "a.md", "--json"], { cwd }),
        done(report([{ file: "a.md", passages }], 240))
      )
      const counted = yield* mem(["chunk", "a.md", "--json"], { cwd })
      assert.match(counted.stdout, /"counter":"wordpiece\/1\//, "as the embedder counts, if nothing is said")
    }))

  it.scopedLive("by --policy, whatever their names, from standard input too", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": note, "c.md": plain, "d.txt": note })
      const one = (file: string, of: ReadonlyArray<unknown>, max: number) => done(report([{ file, passages: of }], max))
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "--policy", "heading", "a.jsonl", "--json"], { cwd }),
        one("a.jsonl", passages, 240)
      )
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "--policy=heading", "d.txt", "--json"], { cwd }),
        one("d.txt", passages, 240)
      )
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "--policy", "paragraph", "c.md", "--json", "--max-tokens", "8"], {
          cwd
        }),
        one("c.md", paragraphs, 8)
      )
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "--policy", "heading", "-", "--json"], { stdin: note }),
        one("-", passages, 240)
      )
    }))

  it.scopedLive("beside Records where one budget is given for both", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three, "a.md": note })
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "a.jsonl", "a.md", "--json", "--max-tokens", "240"], { cwd }),
        done(report([wholeOf("a.jsonl"), { file: "a.md", passages }], 240))
      )
    }))

  it.scopedLive("a passage a line", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.md": note, "b.md": "" })
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "a.md", "--jsonl"], { cwd }),
        done(jsonl(...passages))
      )
      assert.deepStrictEqual(yield* mem(["chunk", "--counter", "chars", "b.md", "--jsonl"], { cwd }), done(""))
    }))

  it.scopedLive("a table for a person, of 80 columns, whatever the text holds", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({
        "a.md": note,
        "b.md": `# A title that is much longer than its column\n\n\u001b[31m${"word ".repeat(80)}\u202E\n\n${
          "\u0301".repeat(900)
        }`,
        "empty.md": "\n"
      })
      assert.deepStrictEqual(
        yield* mem(["chunk", "--counter", "chars", "a.md", "empty.md"], { cwd }),
        done(`a.md
passage       lines  tokens  section                 begins
      0         1-7       5  Top                     # Top First words.
      1         8-9       7  Top > Sub \uD83D\uDE00            ## Sub \uD83D\uDE00 More of it.
2 passages, 12 tokens (budget 240, counted by chars-over-four/1)

empty.md
passage       lines  tokens  section                 begins
0 passages, 0 tokens (budget 240, counted by chars-over-four/1)
`)
      )
      const { stdout } = yield* mem(["chunk", "--counter", "chars", "b.md", "--max-tokens", "60"], { cwd })
      assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u)
      assert.include(stdout, "  …onger than its column  # A title that is much lon…\n")
      assert.match(stdout, /over budget {2}\u0301+…\n/)
      assert.match(stdout, /; over budget, as they cannot be cut: 1\n$/)
      for (const line of stdout.split("\n").slice(0, -2)) assert.isAtMost([...line].length, 80)
    }))

  it.scopedLive("lines of a .txt as Records under --text", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.txt": "aaaa\n\nbbbb" })
      const { stdout } = yield* mem(["chunk", "a.txt", "--text", "--jsonl"], { cwd })
      assert.strictEqual(stdout, jsonl(summary(1, 2, ["a.txt:1", "a.txt:2", "a.txt:3"])))
    }))

  it.scopedLive("what is no text is refused by name, with a word of what to do", () =>
    Effect.gen(function*() {
      const bad: ReadonlyArray<readonly [string, Uint8Array, string]> = [
        ["latin1.md", Buffer.from("caf\u00E9", "latin1"), "it is not UTF-8; a document is UTF-8; convert it"],
        ["utf16.txt", Buffer.from("\uFEFFtext", "utf16le"), "it is UTF-16; a document is UTF-8; convert it"],
        ["image.md", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]), "it is no text"],
        ["large.txt", Buffer.alloc(8 * 1024 * 1024 + 1, "a"), "it is larger than 8388608 bytes"]
      ]
      const cwd = yield* folder({ ...Object.fromEntries(bad.map(([name, bytes]) => [name, bytes])), "a.md": note })
      yield* each(bad, ([name, , says]) =>
        Effect.gen(function*() {
          refused(yield* mem(["chunk", name], { cwd }), 1, `mem: ${name}: ${says}`)
          refusedInJson(
            yield* mem(["chunk", "a.md", name, "--json"], { cwd }),
            1,
            "RecordSourceError",
            `${name}: ${says}`
          )
        }))
      refused(yield* mem(["chunk", "none.md"], { cwd }), 1, "none.md: no such file; name files that you may read")
      const endless = Readable.from((function*() {
        for (;;) yield "text ".repeat(10_000)
      })())
      refused(yield* mem(["chunk", "-", "--policy", "paragraph"], { stdin: endless }), 1, "-: it is larger than")
    }))
})

describe("what it refuses", () => {
  const usage: ReadonlyArray<readonly [ReadonlyArray<string>, ...ReadonlyArray<string>]> = [
    [["chunk"], "no FILE", "mem chunk --help"],
    [["chunk", "--"], "no FILE"],
    [["chnk", "a"], "unknown command chnk, did you mean chunk?", "mem --help"],
    [["chunk", "a", "--max-token", "3"], "unknown option --max-token, did you mean --max-tokens?"],
    [["chunk", "a", "-x"], "unknown option -x"],
    [["chunk", "-odd.jsonl"], "unknown option -odd.jsonl"],
    [["chunk", "a", "--\u001b[31mred"], "unknown option --\\u001b[31mred"],
    [["--text", "chunk", "a"], "unknown option --text"],
    [["chunk", "a", "--max-tokens"], "--max-tokens needs a value"],
    [["chunk", "a", "--max-tokens", "3", "--max-tokens", "3"], "--max-tokens is given twice"],
    [["chunk", "a", "--text=yes"], "--text takes no value"],
    [["chunk", "a", "--counter", "words"], "--counter is \"words\"", "o200k, cl100k, wordpiece, chars"],
    [["chunk", "a", "--counter", "toString"], "--counter is \"toString\""],
    [["chunk", "a", "--policy", "words"], "--policy is \"words\"", "heading, paragraph"],
    [["chunk", "a", "--policy", "__proto__"], "--policy is \"__proto__\""],
    [["chunk", "a", "--policy", "heading", "--text"], "--text and --policy exclude each other"],
    [
      ["chunk", "a.md", "b.jsonl"],
      "Records and documents have budgets of their own (5000 and 240 tokens)",
      "--max-tokens"
    ],
    ...["0", "-3", "1.5", "1e3", "many", "99999999999999999999", "٣", "0x10", "--text"].map((value) =>
      [["chunk", "a", "--max-tokens", value], `--max-tokens is "${value}"`, "whole number"] as const
    )
  ]

  it.live("wrong usage, with 2, before it reads anything", () =>
    each(usage, ([args, ...says]) => Effect.map(mem(args), (ended) => refused(ended, 2, ...says))))

  it.live("wrong usage under --json, with one document", () =>
    Effect.gen(function*() {
      // What is wrong is said by one and the same piece of the program in either form.
      yield* each(
        usage.filter(([[command]], i) => command === "chunk" && i % 4 === 0).map(([[command = "", ...args], ...says]) =>
          [[command, "--json", ...args], ...says] as const
        ),
        ([args, ...says]) => Effect.map(mem(args), (ended) => refusedInJson(ended, 2, "UsageError", ...says))
      )
      refusedInJson(yield* mem(["chunk", "a", "--jsonl", "--json"]), 2, "UsageError", "--json and --jsonl")
    }))

  it.scopedLive("an empty value", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three })
      refused(yield* mem(["chunk", "a.jsonl", "--max-tokens", ""], { cwd }), 2, "--max-tokens is \"\"")
      refused(yield* mem(["chunk", "a.jsonl", "--max-tokens="], { cwd }), 2, "--max-tokens is \"\"")
      refused(yield* mem(["chunk", "a.jsonl", "--counter="], { cwd }), 2, "--counter is \"\"")
    }))

  it.live("a log level that there is none of", () =>
    Effect.map(mem(["chunk", "-", "--log-level", "loud"]), (ended) => {
      assert.strictEqual(ended.code, 2, ended.stderr)
      assert.include(ended.stderr, "--log-level")
      assert.strictEqual(ended.stdout, "")
    }))

  it.scopedLive("a file that is not there, a folder, each with 1 and a word of what to do", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three, "sub/b.jsonl": three })
      const missing = ["none.jsonl", "no such file"] as const
      const folderGiven = ["sub", "it is a folder"] as const
      const given: ReadonlyArray<readonly [file: string, says: string, how: ReadonlyArray<string>]> = [
        [...missing, []],
        [...missing, ["--jsonl"]],
        [...folderGiven, ["--text"]],
        [".", "it is a folder", []]
      ]
      yield* each(given, ([file, says, how]) =>
        Effect.map(
          mem(["chunk", file, ...how], { cwd }),
          (ended) => refused(ended, 1, `mem: ${file}: ${says}; name files that you may read`)
        ))
      yield* each([missing, folderGiven], ([file, says]) =>
        Effect.map(
          mem(["chunk", file, "--json"], { cwd }),
          (ended) => refusedInJson(ended, 1, "RecordSourceError", `${file}: ${says}`)
        ))
    }))

  it.scopedLive("a file that is not there, after the one before it is printed", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ "a.jsonl": three })
      const table = yield* estimated(["chunk", "a.jsonl", "none.jsonl"], { cwd })
      assert.strictEqual(table.stdout, tableOf("a.jsonl"))
      refused({ ...table, stdout: "" }, 1, "none.jsonl: no such file")
      const json = yield* estimated(["chunk", "a.jsonl", "none.jsonl", "--json"], { cwd })
      refusedInJson(json, 1, "RecordSourceError", "none.jsonl: no such file")
    }))

  it.scopedLive("a bad line, by file and number, after the chunks that were complete before it", () =>
    Effect.gen(function*() {
      const before = lines("aaaa", "bbbb", "cccc")
      const bad: ReadonlyArray<readonly [string | Uint8Array, string]> = [
        ["{\"text\":\n", "not JSON"],
        ["\"text\"\n", "not a JSON object"],
        ["[]\n", "not a JSON object"],
        ["{}\n", "it has no \"text\" (it has nothing)"],
        ["{\"text\":5}\n", "its \"text\" is no string"],
        ["{\"text\":\"a\",\"role\":\"king\"}\n", "role: "],
        ["{\"text\":\"a\",\"key\":\"\"}\n", "key: "],
        ["{\"text\":\"a\",\"key\":\"k\\ud800\"}\n", "key: "],
        ["\u001b[31m\u009b\u0000red\n", "not JSON"],
        [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "not UTF-8"]
      ]
      yield* each(bad, ([line, says]) =>
        Effect.gen(function*() {
          const stdin = Buffer.concat([Buffer.from(`${before}\n`), Buffer.from(line)])
          const ended = yield* mem(["chunk", "-", "--jsonl", "--max-tokens", "1"], { stdin })
          assert.strictEqual(ended.stdout, jsonl(summary(1, 1, ["-:1"]), summary(2, 1, ["-:2"])), says)
          assert.notMatch(ended.stderr.trimEnd(), /\p{Cc}/u)
          refused({ ...ended, stdout: "" }, 1, `mem: -:5: ${says}`)
          refusedInJson(yield* mem(["chunk", "-", "--json"], { stdin }), 1, "RecordSourceError", `-:5: ${says}`)
        }))
    }))

  it.scopedLive("nothing for a bad line under --skip-bad, but counts it", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({
        "a.jsonl": Buffer.concat([
          Buffer.from(`${lines("aaaa")}nonsense\n`),
          Buffer.from([0xff, 0x0a]),
          Buffer.from(three)
        ]),
        "b.jsonl": three
      })
      const keys = ["a.jsonl:1", "a.jsonl:4", "a.jsonl:5", "a.jsonl:6"]
      const json = yield* estimated(["chunk", "a.jsonl", "b.jsonl", "--skip-bad", "--json"], { cwd })
      const [first, ...others] = [{ file: "a.jsonl", bad_lines: 2, chunks: [summary(1, 5, keys)] }, {
        file: "b.jsonl",
        bad_lines: 0,
        chunks: wholeOf("b.jsonl").chunks
      }]
      assert.deepStrictEqual({ ...json, stderr: "" }, done(report([first, ...others])))
      const warnings = json.stderr.trimEnd().split("\n")
      assert.match(warnings[0] ?? "", /^mem: warning: a\.jsonl:2: not JSON/)
      assert.match(warnings[1] ?? "", /^mem: warning: a\.jsonl:3: not UTF-8/)
      assert.deepStrictEqual(warnings.slice(2), ["mem: warning: a.jsonl: 2 bad lines skipped"])

      const table = yield* estimated(["chunk", "a.jsonl", "--skip-bad"], { cwd })
      assert.deepStrictEqual([table.code, table.stdout.split("\n").length, table.stderr], [0, 5, json.stderr])
      assert.strictEqual(
        (yield* estimated(["chunk", "a.jsonl", "--skip-bad", "--jsonl"], { cwd })).stdout,
        jsonl(summary(1, 5, keys))
      )
    }))

  it.scopedLive("to speak JSON when --json is only the value of an option, or a file", () =>
    Effect.gen(function*() {
      const cwd = yield* folder()
      refused(yield* mem(["--home", "--json", "chunk", "none"], { cwd }), 1, "none: no such file")
      refused(yield* mem(["chunk", "--", "--json"], { cwd }), 1, "--json: no such file")
    }))
})

describe("odd files", () => {
  it.scopedLive("a byte order mark, CRLF, blank lines, no final line end", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({
        "a.jsonl": "\uFEFF{\"text\":\"aaaa\"}\r\n\r\n \n{\"text\":\"bbbb\"}",
        "a.txt": "\uFEFFaaaa\r\n"
      })
      assert.deepStrictEqual(
        yield* estimated(["chunk", "a.jsonl", "--json"], { cwd }),
        done(report([{ file: "a.jsonl", chunks: [summary(1, 2, ["a.jsonl:1", "a.jsonl:4"])] }]))
      )
    }))

  it.scopedLive("a byte order mark is no part of a plain text", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* mem(["chunk", "--text", "-", "--jsonl"], { stdin: "\uFEFFaaaa\r\n" }),
        done(jsonl(summary(1, 1, ["-:1"])))
      )
    }))

  it.scopedLive("an empty one, and one of blank lines", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ empty: "", blank: "\n\r\n\n" })
      for (const file of ["empty", "blank"]) {
        assert.deepStrictEqual(
          yield* estimated(["chunk", file, "--json"], { cwd }),
          done(report([{ file, chunks: [] }]))
        )
        assert.deepStrictEqual(yield* estimated(["chunk", file, "--jsonl"], { cwd }), done(""))
        assert.deepStrictEqual(
          yield* estimated(["chunk", file], { cwd }),
          done(`${file}
     t     tokens  records  keys
0 chunks, 0 records, 0 tokens (budget 5,000, counted by chars-over-four/1)
`)
        )
      }
    }))

  it.scopedLive("half an emoji, a __proto__, keys of its own", () =>
    Effect.gen(function*() {
      const stdin = [
        "{\"text\":\"aaa\\ud83d\"}",
        "{\"__proto__\":{\"text\":\"x\"},\"text\":\"bbbb\",\"constructor\":1}",
        "{\"__proto__\":null,\"text\":\"cccc\",\"key\":\"my key\",\"role\":\"assistant\"}"
      ].join("\n")
      assert.deepStrictEqual(
        yield* estimated(["chunk", "-", "--jsonl"], { stdin }),
        done(jsonl(summary(1, 3, ["-:1", "-:2", "my key"])))
      )
      const inherited = yield* estimated(["chunk", "-", "--jsonl"], { stdin: "{\"__proto__\":{\"text\":\"x\"}}\n" })
      refused(inherited, 1, "-:1: it has no \"text\"")
    }))

  it.scopedLive("names with spaces, in other scripts, with a dash before them, with escapes in them", () =>
    Effect.gen(function*() {
      const names = ["a b.jsonl", " ", "日本🐑.jsonl", "-x.jsonl", "--json", "--help", "\u001b[31mred\n.jsonl"]
      const cwd = yield* folder(Object.fromEntries(names.map((name) => [name, three])))
      yield* each(names, (name) =>
        Effect.gen(function*() {
          const json = yield* estimated(["chunk", "--json", "--", name], { cwd })
          assert.deepStrictEqual(json, done(report([wholeOf(name)])))
          const table = yield* estimated(["chunk", "--", name], { cwd })
          assert.notMatch(table.stdout.replaceAll("\n", ""), /\p{Cc}/u)
          assert.strictEqual(table.stdout.split("\n").length, 5)
          assert.deepStrictEqual([table.code, table.stderr], [0, ""])
        }))
      const missing = yield* estimated(["chunk", "\u001b[31mred\u009b"], { cwd })
      assert.notMatch(missing.stderr.trimEnd(), /\p{Cc}/u)
      refused(missing, 1, "\\u001b[31mred\\u009b: no such file")
    }))
})

describe("pipes and signals", () => {
  const endless = () =>
    Readable.from(
      (function*() {
        for (;;) yield three.repeat(100)
      })()
    )

  it.scopedLive("prints a chunk when it is complete, not when the pipe ends", () =>
    Effect.gen(function*() {
      for (const how of [["--jsonl"], []]) {
        const run = yield* startMem(["chunk", "-", "--max-tokens", "1", ...how])
        run.stdin.write(lines("aaaa", "bbbb"))
        const head = how.length === 0 ? [yield* run.line, yield* run.line] : []
        assert.deepStrictEqual(head, how.length === 0 ? ["-", "     t     tokens  records  keys"] : [])
        assert.include((yield* run.line) ?? "", "-:1")
        run.stdin.write(lines("cccc"))
        assert.include((yield* run.line) ?? "", "-:2")
        run.stdin.end()
        assert.include((yield* run.line) ?? "", "-:3")
        assert.strictEqual((yield* run.ended).code, 0)
      }
    }))

  it.scopedLive("ends well when the reader of its output goes away", () =>
    Effect.gen(function*() {
      for (const how of [["--jsonl"], []]) {
        const run = yield* startMem(["chunk", "-", "--max-tokens", "1", ...how], { stdin: endless() })
        yield* run.line
        yield* run.close("stdout")
        const { code, signal, stderr } = yield* run.ended
        assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: "" })
      }
    }))

  it.scopedLive("keeps its exit code when the reader of its errors goes away", () =>
    Effect.gen(function*() {
      const run = yield* startMem(["chunk", "-", "--skip-bad"])
      yield* run.close("stderr")
      run.stdin.end(`nonsense\n${three}`)
      const { code, stdout } = yield* run.ended
      assert.strictEqual(code, 0)
      assert.include(stdout, "1 chunk, 3 records")
      const failing = yield* startMem(["chunk", "-"])
      yield* failing.close("stderr")
      failing.stdin.end("nonsense\n")
      assert.strictEqual((yield* failing.ended).code, 1)
    }))

  it.scopedLive("says by its exit code which signal ended it, and nothing else", () =>
    Effect.gen(function*() {
      for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
        for (const how of [["--jsonl"], []]) {
          const run = yield* startMem(["chunk", "-", "--max-tokens", "1", ...how])
          run.stdin.write(lines("aaaa", "bbbb"))
          if (how.length === 0) yield* Effect.zip(run.line, run.line)
          assert.include((yield* run.line) ?? "", "-:1")
          yield* run.kill(signal)
          assert.deepStrictEqual(yield* run.ended, { code, signal: null, stdout: "", stderr: "" })
        }
      }
    }))

  it.scopedLive("hears a signal while a pipe that is always full keeps it busy", () =>
    Effect.gen(function*() {
      const run = yield* startMem(["chunk", "-", "--max-tokens", "100000"])
      const flood = Readable.from(function*() {
        const piece = lines("aaaa").repeat(8000)
        for (;;) yield piece
      }())
      run.stdin.on("error", () => undefined)
      flood.pipe(run.stdin)
      yield* Effect.zip(run.line, run.line)
      yield* run.line
      yield* run.kill("SIGTERM")
      const { code } = yield* run.ended
      flood.destroy()
      assert.strictEqual(code, 143)
    }))

  it.scopedLive("prints its one JSON document when it is interrupted, too", () =>
    Effect.gen(function*() {
      const run = yield* startMem(["chunk", "-", "--json", "--skip-bad"])
      run.stdin.write("nonsense\n")
      yield* run.errorLine
      yield* run.kill("SIGINT")
      const { code, stdout } = yield* run.ended
      assert.deepStrictEqual([code, JSON.parse(stdout)], [130, {
        command: "chunk",
        ok: false,
        error: { code: "Interrupted", message: "interrupted before it was done" }
      }])
    }))

  it.scopedLive.skipIf(process.platform === "win32")("reads a named pipe", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({})
      execFileSync("mkfifo", [`${cwd}/pipe`])
      const run = yield* startMem(["chunk", "pipe", "--jsonl"], { cwd })
      yield* Effect.promise(() => writeFile(`${cwd}/pipe`, three))
      assert.deepStrictEqual([(yield* run.ended).code, yield* run.line], [0, JSON.stringify(wholeOf("pipe").chunks[0])])
    }))

  it.scopedLive("refuses a folder as standard input", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({})
      const fd = yield* Effect.acquireRelease(
        Effect.sync(() => fs.openSync(cwd, "r")),
        (fd) => Effect.sync(() => fs.closeSync(fd))
      )
      refused(yield* mem(["chunk", "-"], { cwd, stdin: fd }), 1, "-: it is a folder")
    }))

  it.scopedLive.skipIf(!fs.existsSync("/dev/full"))(
    "fails when its output cannot be stored",
    () =>
      Effect.gen(function*() {
        const cwd = yield* folder({ "a.jsonl": three })
        const full = yield* Effect.acquireRelease(
          Effect.sync(() => fs.openSync("/dev/full", "w")),
          (fd) => Effect.sync(() => fs.closeSync(fd))
        )
        for (const how of [[], ["--json"], ["--jsonl"]]) {
          refused(
            yield* mem(["chunk", "a.jsonl", ...how], { cwd, stdout: full }),
            1,
            "cannot write to standard output",
            "ENOSPC",
            "free some space"
          )
        }
      })
  )
})

it.scopedLive("changes nothing: no byte, no file, no lock, no native module", () =>
  Effect.gen(function*() {
    const cwd = yield* folder({
      "a.jsonl": three,
      "a.md": "# A\n",
      "sub/b.txt": "text\n",
      "bad.jsonl": "nonsense\n"
    })
    for (
      const args of [["a.jsonl"], ["a.jsonl", "--json"], ["--text", "sub/b.txt", "--jsonl"], ["bad.jsonl"], ["none"], [
        "a.md",
        "sub/b.txt"
      ], ["a.md", "--json"]]
    ) {
      const env = { HOME: cwd, TMPDIR: cwd, MEM_HOME: cwd }
      const { trace } = yield* tracedMem(["chunk", "--home", cwd, ...args], { cwd, env }).pipe(unchanged(cwd))
      assert.deepStrictEqual({ change: trace.change, native: trace.native }, { change: [], native: [] }, args.join(" "))
      assert.deepStrictEqual(
        // Documents are counted by the tokenizer of a package.
        trace.read.filter((file) => !/mem\.mjs$|node_modules/.test(file)),
        args.filter((arg) => !arg.startsWith("--"))
      )
    }
  }))
