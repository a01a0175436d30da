import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { maxBytes } from "../../src/config/YamlTree.ts"

const whole = `# my memory
connectors:
  notes:
    kind: folder
    path: ./vault
    include: ["**/*.md", "**/*.txt"]
    max_concurrent_fetches: 4
    fetch_timeout: 90s
    starts_per_second: 0.5
    chunking: { markdown: paragraph, max_tokens: 240 }
  papers:
    kind: paperless
    url: http://localhost:8000
    token: \${PAPERLESS_TOKEN}
chunking:
  folder: { text: heading, max_tokens: 100 }
  paperless: { markdown: paragraph }
embedder:
  kind: ollama
  model: small
guards: { max_removed_ratio: 0.25 }
`

const read = (text: string) => Either.getOrThrowWith(parse(text), (error) => error)

/** The message, or what the text was taken for. */
const refused = (text: string, file?: string): string =>
  Either.match(parse(text, file), {
    onLeft: ({ message }) => message.replace("; nothing was done: correct it and run the command again", ""),
    onRight: (file) => `accepted: ${JSON.stringify(file.connectors)}`
  })

const notes = (rest: string) => `connectors:\n  notes:\n    kind: folder\n${rest}`

describe("ConnectorsYaml", () => {
  it("reads the whole of a file", () => {
    const file = read(whole)
    const [first, second] = file.connectors
    assert.deepStrictEqual(file.connectors.map(({ kind, name }) => [name, kind]), [
      ["notes", "folder"],
      ["papers", "paperless"]
    ])
    assert.deepStrictEqual(first?.limits, {
      max_concurrent_fetches: 4,
      fetch_timeout: Duration.seconds(90),
      starts_per_second: 0.5
    })
    assert.deepStrictEqual(first?.options, { path: "./vault", include: ["**/*.md", "**/*.txt"] })
    assert.deepStrictEqual(second?.options, { url: "http://localhost:8000", token: "${PAPERLESS_TOKEN}" })
    assert.deepStrictEqual(second?.limits, {})
    assert.deepStrictEqual([file.embedder.kind, file.embedder.options], ["ollama", { model: "small" }])
    assert.deepStrictEqual([file.guards.max_removed_ratio, file.guards.max_removed_min], [0.25, 10])
  })

  it("lets a connector's chunking go before its kind's, and that before the default", () => {
    const file = read(whole)
    assert.deepStrictEqual(file.connectors.map((connector) => file.chunkingOf(connector)), [
      { markdown: "paragraph", text: "heading", max_tokens: 240 },
      { markdown: "paragraph", text: "paragraph" }
    ])
  })

  it.each([
    "",
    "# nothing\n",
    "connectors:\n",
    "connectors: {}\nguards:\nembedder:\nchunking:\n",
    "\uFEFFconnectors: {}"
  ])(
    "takes %j for the defaults",
    (text) => {
      const file = read(text)
      assert.deepStrictEqual(file.connectors, [])
      assert.deepStrictEqual([file.embedder.kind, file.guards.max_removed_ratio, file.guards.max_removed_min], [
        "minilm",
        0.5,
        10
      ])
    }
  )

  it("keeps the order of the file, of names that look like numbers too", () => {
    const names = ["b", "10", "constructor", "2", "a", "tostring"]
    const file = read(`connectors:\n${names.map((name) => `  ${name}: { kind: x }\n`).join("")}`)
    assert.deepStrictEqual(file.connectors.map(({ name }) => String(name)), names)
  })

  const times: ReadonlyArray<readonly [string, Duration.DurationInput]> = [
    ["500ms", "500 millis"],
    ["60s", "60 seconds"],
    ["1.5s", "1500 millis"],
    ["2m", "2 minutes"],
    ["24h", "24 hours"]
  ]
  it.each(times)("reads %s as a time", (text, time) => {
    const [connector] = read(notes(`    fetch_timeout: ${text}`)).connectors
    assert.deepStrictEqual(connector?.limits.fetch_timeout, Duration.decode(time))
  })

  const a = "connectors.yaml"
  const badFiles: ReadonlyArray<readonly [what: string, text: string, says: string | RegExp]> = [
    ["an unknown section", "conectors:\n", /^connectors.yaml:1: conectors: unknown key; known here: .*"connectors"/],
    ["a section that is a list", "guards:\n  - 1\n", `${a}:1: guards: expected a map of options`],
    ["a file that is a word", "hello", `${a}: expected a map of options`],
    ["a file that is a list", "- a", `${a}: expected a map of options`],
    ["a connector without a kind", "connectors:\n  a:\n    path: x", `${a}:2: connectors.a.kind: this key is missing`],
    ["a connector of nothing", "connectors:\n  a:", `${a}:2: connectors.a.kind: this key is missing`],
    ["a kind that is empty", "connectors:\n  a: { kind: \"\" }", /:2: connectors.a.kind: expected the kind/],
    ["a kind that is a number", "connectors:\n  a: { kind: 1 }", `${a}:2: connectors.a.kind: expected string`],
    [
      "too many fetches",
      notes("    max_concurrent_fetches: 257"),
      /:4: .*fetches: expected a whole number from 1 to 256$/
    ],
    ["no fetches", notes("    max_concurrent_fetches: 0"), /:4: .*fetches: expected a whole number from 1 to 256$/],
    ["half a fetch", notes("    max_concurrent_fetches: 1.5"), /:4: .*fetches: expected a whole number from 1 to 256$/],
    [
      "a time without a unit",
      notes("    fetch_timeout: 60"),
      /:4: connectors.notes.fetch_timeout: expected a time like/
    ],
    [
      "a time of another unit",
      notes("    fetch_timeout: 60 weeks"),
      /:4: connectors.notes.fetch_timeout: expected a time/
    ],
    ["no time", notes("    fetch_timeout: 0s"), /:4: connectors.notes.fetch_timeout: expected a time/],
    ["too much time", notes("    fetch_timeout: 25h"), /:4: connectors.notes.fetch_timeout: expected a time/],
    [
      "a rate of nothing",
      notes("    starts_per_second: 0"),
      /:4: connectors.notes.starts_per_second: expected a number/
    ],
    [
      "a rate of .nan",
      notes("    starts_per_second: .nan"),
      /:4: connectors.notes.starts_per_second: expected a number/
    ],
    [
      "another chunker",
      notes("    chunking:\n      text: words"),
      /:5: connectors.notes.chunking.text: expected "heading"/
    ],
    ["a key of chunking", notes("    chunking: { max: 1 }"), /:4: connectors.notes.chunking.max: unknown key/],
    ["a budget of 0", "chunking:\n  folder: { max_tokens: 0 }", /:2: chunking.folder.max_tokens: /],
    [
      "a ratio above 1",
      "guards:\n\n  max_removed_ratio: 2",
      /:3: guards.max_removed_ratio: expected a number from 0 to 1$/
    ],
    ["a key of guards", "guards: { min: 2 }", /:1: guards.min: unknown key/],
    [
      "a profile of no questions",
      "profiles: { ops: [] }",
      `${a}:1: profiles.ops: this list is empty: write at least one question`
    ],
    ["an embedder without a kind", "embedder: { model: a }", `${a}:1: embedder.kind: this key is missing`],
    [
      "a reference that is none",
      notes("    a: [\"x\", \"${A-B}\"]"),
      /:4: connectors.notes.a.1: "\$\{" begins no variable/
    ],
    [
      "a reference without an end",
      "embedder: { kind: a, key: \"${A\" }",
      /:1: embedder.key: "\$\{" begins no variable/
    ],
    ["a key twice", notes("    path: a\n    path: b"), `${a}:5: connectors.notes.path: this key is there twice`],
    [
      "a key twice, once in quotes",
      notes("    1: a\n    \"1\": b"),
      `${a}:5: connectors.notes.1: this key is there twice`
    ],
    [
      "a connector twice",
      "connectors:\n  a: {kind: x}\n  a: {kind: y}",
      `${a}:3: connectors.a: this key is there twice`
    ],
    ["an alias", "connectors:\n  a: &x { kind: f }\n  b: *x", /:3: connectors.b: aliases/],
    [
      "a merge key",
      "connectors:\n  a: &x { kind: f }\n  b:\n    <<: { kind: f }",
      /:4: connectors.b.<<: merge keys|"<<": merge keys/
    ],
    ["a merge key of YAML 1.1", "%YAML 1.1\n---\nconnectors:\n  b:\n    <<: { kind: f }", /:1: YAML 1.2 is expected/],
    ["a key that is a list", "connectors:\n  ? [a]\n  : { kind: f }", `${a}:2: a key must be a plain word`],
    ["a tag", "connectors:\n  a: !secret { kind: f }", /:2: a tag/],
    ["a known tag", "connectors:\n  a: !!set { kind }", /:2: a tag/],
    [
      "a second document",
      "connectors: {}\n---\nguards: {}",
      `${a}:2: a second YAML document begins here; one is expected`
    ],
    ["a tab", "connectors:\n\ta: 1", /:2: /],
    ["a missing bracket", "connectors: {\n", /^connectors.yaml:\d+: /],
    ["half a character", notes("    path: \"\\ud83d\""), /:4: connectors.notes.path: half of a character/],
    [
      "__proto__ as a name",
      "connectors:\n  __proto__: { kind: f }",
      `${a}:2: connectors.__proto__: no key may have this name`
    ],
    ["__proto__ as a section", "__proto__: { kind: f }", `${a}:1: __proto__: no key may have this name`],
    [
      "__proto__ as a key",
      notes("    o: { \"__proto__\": 1 }"),
      `${a}:4: connectors.notes.o.__proto__: no key may have this name`
    ]
  ]
  it.each(badFiles)("refuses %s", (_, text, says) => {
    const message = refused(text)
    if (typeof says === "string") assert.strictEqual(message, says)
    else assert.match(message, says)
  })

  it.each(["../../etc/x", "a/b", "CON", "\"\"", "a".repeat(300), "a.b", "-a", "ä", "a\\u0000b"])(
    "refuses %s as the name of a connector",
    (name) =>
      assert.match(
        refused(`connectors:\n  ${name}: { kind: f }`),
        /^connectors.yaml:2: connectors\..*no connector name/
      )
  )

  it("pollutes no prototype", () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      parse(`${key}: { polluted: 1 }`)
      parse(notes(`    ${key}: { polluted: 1, prototype: { polluted: 1 } }`))
    }
    assert.notProperty({}, "polluted")
    assert.notProperty(Object, "polluted")
  })

  it("calls the file as it was told to", () =>
    assert.match(refused("a: 1", "/home/me/connectors.yaml"), /^\/home\/me\/connectors.yaml:1: a: unknown key/))

  it("repeats no value of the file", () => {
    const canary = "hunter2-canary"
    const texts = [
      notes(`    token: "${canary}\\q"`),
      notes(`    token: !${canary} x`),
      notes(`    token: *${canary}`),
      notes(`    token: ${canary}: ${canary}: a`),
      notes(`    token: "${canary}`),
      notes(`    token: ${canary}\n   bad`),
      notes(`    token: "${canary} \${x"`),
      notes(`    fetch_timeout: ${canary}`),
      notes(`    max_concurrent_fetches: ${canary}`),
      notes(`    chunking: ${canary}`),
      notes(`    chunking: [${canary}]`),
      `connectors: ${canary}`,
      `connectors: [${canary}]`,
      `connectors:\n  a: ${canary}`,
      `guards: { max_removed_min: ${canary} }`,
      `embedder: ${canary}`,
      canary,
      `- ${canary}`,
      `@${canary}`,
      `a: |${canary}`
    ]
    for (const text of texts) {
      assert.notInclude(refused(text), canary, text)
      assert.notInclude(refused(text), "accepted", text)
    }
  })

  it("shows a key so that no terminal is led astray", () =>
    assert.strictEqual(
      refused("\"a\\u001b[2J.b\\n\": 1").split("; known")[0],
      `${a}:1: "a\\u001b[2J.b\\n": unknown key`
    ))
})

describe("ConnectorsYaml under attack", () => {
  const fill = (unit: string) => unit.repeat(Math.floor(maxBytes / unit.length))
  const hostile: ReadonlyArray<readonly [what: string, text: string]> = [
    ["[[[", fill("[")],
    ["{{{", fill("{")],
    ["{a: {a:", fill("{a: ")],
    ["- - -", fill("- ")],
    ["? ? ?", fill("? ")],
    [": : :", fill(": ")],
    ["stairs", Array.from({ length: 700 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["stairs of lists", Array.from({ length: 700 }, (_, i) => `${" ".repeat(i)}-`).join("\n")],
    ["]]]", fill("]")],
    ["}\n}", fill("}\n")],
    [",,,", `[${fill(",").slice(1)}`],
    ["&a &a", fill("&a ")],
    ["!a !a", fill("!a ")],
    ["*a *a", fill("*a ")],
    ["many keys", Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join("\n").slice(0, maxBytes)],
    ["many comments", fill("#\n")],
    ["many items", fill("- a\n")],
    ["many blank lines", fill("\n")],
    ["spaces", fill(" ")],
    ["a long word", fill("a")],
    ["a long number", fill("1")],
    ["an open quote", `"${fill("\n").slice(1)}`],
    ["escapes", `"${fill("\\q").slice(4)}"`],
    ["a block of text", `a: |\n${fill(" x\n").slice(12)}`],
    ["a folded block", `a: >\n${fill(" x\n\n").slice(12)}`],
    ["a bomb", `a: &a [x]\n${Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [${"*a, ".repeat(9)}*a]`).join("\n")}`]
  ]

  it.each(hostile)("answers %s within a second", (_, text) => {
    const begun = performance.now()
    assert.notInclude(refused(text), "accepted")
    assert.isBelow(performance.now() - begun, 1000)
  })

  it("answers 100 MB at once", () => {
    const text = "a: 1\n".repeat(20 * 1024 * 1024)
    const begun = performance.now()
    assert.strictEqual(refused(text), "connectors.yaml: larger than 256 KiB")
    assert.isBelow(performance.now() - begun, 100)
  })

  it("counts bytes, not characters", () => {
    const comment = (n: number) => `#${"é".repeat(n)}`
    assert.match(refused(comment(maxBytes / 2)), /larger than 256 KiB/)
    assert.match(refused(comment(maxBytes / 2 - 1)), /^accepted/)
  })

  it("bears 32 levels, and brackets within quotes", () => {
    const nested = (n: number) => notes(`    a: ${"[".repeat(n)}${"]".repeat(n)}`)
    assert.match(refused(nested(28)), /^accepted/)
    assert.match(refused(nested(40)), /:4: nested deeper than 32 levels/)
    assert.match(refused(notes(`    a: "${"[".repeat(400)}"\n    b: '${"{".repeat(400)}'`)), /^accepted/)
  })

  it("says where it is too deep", () =>
    assert.match(
      refused(`connectors:\n  a:\n    kind: x\n    b:${
        "\n" + Array.from({ length: 40 }, (_, i) => `${" ".repeat(i + 5)}c:`).join("\n")
      }`),
      /^connectors.yaml(:\d+)?: connectors\.a\.b\.c.*: nested deeper than 32 levels$/
    ))

  const words = FastCheck.constantFrom(
    "connectors:",
    "\n",
    "  ",
    "a:",
    "kind:",
    "folder",
    "[",
    "]",
    "{",
    "}",
    ",",
    "-",
    "?",
    ":",
    "\"",
    "'",
    "|",
    ">",
    "&a",
    "*a",
    "<<:",
    "!!str",
    "%YAML 1.1",
    "---",
    "...",
    "#",
    "\t",
    "\r",
    "__proto__:",
    "${A}",
    "${",
    "1",
    "~",
    "\u0000"
  )
  it.prop("answers any text with a value, never with an exception", [
    FastCheck.oneof(FastCheck.array(words).map((parts) => parts.join(" ")), FastCheck.fullUnicodeString())
  ], ([text]) => {
    assert.isTrue(Either.isEither(parse(text)))
  }, { fastCheck: { numRuns: 500 } })
})
