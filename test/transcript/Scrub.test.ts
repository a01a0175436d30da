import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { SecretKind } from "../../src/domain/SecretKind.ts"
import { scrub } from "../../src/transcript/Scrub.ts"
import { shapes } from "../../src/transcript/SecretShapes.ts"
import { alphanumeric, anySample, base64url, kinds, samples } from "../fixtures/SecretSamples.ts"

const markerOf = (kind: SecretKind, secret: string) =>
  `[secret ${kind} ${createHash("sha256").update(secret).digest("hex").slice(0, 8)}]`

describe("what is taken out", () => {
  it("of each kind, wherever it stands, with a marker in its place that tells it from others", () => {
    for (const kind of kinds) {
      for (const sample of samples[kind]) {
        FastCheck.assert(
          FastCheck.property(
            sample,
            FastCheck.constantFrom("", "\n", "set ", "a\tb\n"),
            ({ after = "", before, secret }, lead) => {
              const { found, text } = scrub(`${lead}${before}${secret}${after}`)
              assert.strictEqual(text, `${lead}${before}${markerOf(kind, secret)}${after}`)
              assert.deepStrictEqual([...found], [[kind, 1]])
            }
          ),
          { numRuns: 20 }
        )
      }
    }
  })

  it("each of many, in order, counted by kind", () => {
    const [one, two] = FastCheck.sample(alphanumeric(36), 2)
    const [a, b] = [`gh` + `p_${one}`, `gh` + `o_${two}`]
    const { found, text } = scrub(`${a} ${b},${a}\nDB_PASSWORD=hunter22`)
    const [ma, mb] = [a, b].map((token) => markerOf("github-token", token))
    assert.strictEqual(text, `${ma} ${mb},${ma}\nDB_PASSWORD=${markerOf("assignment", "hunter22")}`)
    assert.deepStrictEqual(Object.fromEntries(found), { "github-token": 3, assignment: 1 })
  })

  it("all of a secret, however long it is", () => {
    const long = "aB3".repeat(1_000_000)
    for (const [before, kind] of [["Authorization: Bearer ", "authorization"], ["A_TOKEN=", "assignment"]] as const) {
      assert.strictEqual(scrub(before + long).text, before + markerOf(kind, long))
    }
  })

  it("from texts of millions of characters in a row", () => {
    const long = "漢".repeat(5_000_000)
    for (const before of ["", "A_TOKEN=\"", "://a:", "-----BEGIN PRIVATE KEY-----", "A_PASSWORD=", "token="]) {
      assert.isAtMost(scrub(`${before}${long}`).text.length, before.length + long.length)
    }
  })

  it("also where the engine has stopped optimising patterns, as in a process that has compiled many", () => {
    const script = `import { scrub } from ${
      JSON.stringify(new URL("../../src/transcript/Scrub.ts", import.meta.url).href)
    }
      const run = "\u6f22".repeat(5_000_000)
      const { found, text } = scrub("DB_PASSWORD=hunter22\\nA_TOKEN=\\"" + run + "\\nDB_PASSWORD=hunter33\\n")
      console.log(text.length - run.length, JSON.stringify([...found]))`
    const args = ["--no-regexp-optimization", "--import", "tsx", "--input-type=module", "--eval", script]
    const { stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
    const marked = markerOf("assignment", "hunter22").length
    const length = `DB_PASSWORD=\nA_TOKEN="\nDB_PASSWORD=\n`.length + 2 * marked
    assert.strictEqual(stdout, `${length} [["assignment",2]]\n`, stderr)
  })

  it("has a sample of each shape that is looked for", () =>
    assert.deepStrictEqual(new Set(shapes.map(({ kind }) => kind)), new Set(kinds)))
})

/** Almost a secret, and none. */
const misses: Readonly<Record<SecretKind, ReadonlyArray<string>>> = {
  "private-key": [
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "starts with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----",
    `-----BEGIN PUBLIC KEY-----\n${"A1b2".repeat(32)}\n-----END PUBLIC KEY-----`,
    `-----BEGIN CERTIFICATE-----\n${"A1b2".repeat(32)}\n-----END CERTIFICATE-----`
  ],
  "aws-key-id": [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AKIA" + "ABCDEFGH",
    "XAKIA" + "ABCDEFGH234567AB",
    "AKIA" + "ABCDEFGH234567ABC"
  ],
  "aws-secret": [
    `aws_secret_access_key = ${"a".repeat(40)}`,
    `aws_secret_access_key = ${"aB3".repeat(13)}`,
    "aws_secret_access_key = process.env.AWS_SECRET",
    `sha1 = ${"aB3d".repeat(10)}`
  ],
  "google-key": ["AI" + "zaSyShort", `AI` + `za${"aB3".repeat(15)}`, "ya29.short", `ya29.${"a".repeat(60)}`],
  "azure-key": ["AccountKey=<your key>", "AccountKey=abc==", "?sig=abc&x", "8Q~", `sig=${"a".repeat(50)}`],
  "github-token": [
    "ghp_short",
    `gh` + `p_${"x".repeat(36)}`,
    `ghq_${"aB3".repeat(12)}`,
    `a_gh` + `p_${"aB3".repeat(12)}`,
    "github_pat_abc"
  ],
  "gitlab-token": ["glpat-short", "glpat-your-access-token-here"],
  "npm-token": ["npm_config_registry", "npm_package_devDependencies_typescript_version", `npm_${"x".repeat(36)}`],
  "pypi-token": ["pypi-AgE", "pypi-publish", "pypi-server-with-a-very-long-name-that-goes-on-and-on-and-on"],
  "slack-token": ["xoxb-your-token-goes-here", "xoxb-", "https://hooks.slack.com/services/T000/B000/XXXX"],
  "stripe-key": [`sk_` + `test_${"aB3".repeat(8)}`, "sk_live_key", "whsec_..."],
  "anthropic-key": ["sk-ant-...", "sk-ant-api03-your-key", "sk-ant-"],
  "openai-key": [
    "sk-...",
    "sk-fading-circle-with-a-very-long-class-name-indeed",
    `task-${"aB3".repeat(16)}`,
    "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
  ],
  "huggingface-token": ["hf_hub_download", "hf_" + "x".repeat(34), "hf_transfer"],
  jwt: [
    "eyJhbGciOiJIUzI1NiJ9.e30",
    `${base64url({ version: 3, sources: [] })}.${"a".repeat(40)}.b`,
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
  ],
  authorization: [
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "`Authorization: Bearer ${token}`",
    "\"Authorization\": \"Bearer \" + token",
    "Authorization: Bearer",
    "authorization: required"
  ],
  "url-password": [
    "http://user:pass@host/",
    "postgres://postgres:postgres@localhost/db",
    "https://user:password@example.com",
    "https://${user}:${password}@host",
    "https://user:<password>@host",
    "http://localhost:8080/a@b",
    "see https://a.example:443, or mail a@b.example",
    "git@github.com:owner/name.git",
    "mysql://root:secret@db"
  ],
  assignment: [
    "password = getPassword()",
    "DB_PASSWORD=$SECRET",
    "DB_PASSWORD=${DB_PASSWORD:-}",
    "DB_PASSWORD=",
    "DB_PASSWORD=changeme",
    "GITHUB_TOKEN=your_token_here",
    "GITHUB_TOKEN=$(gh auth token)",
    "API_KEY=...",
    "API_KEY=xxxxxxxx",
    "MAX_TOKENS=100000",
    "START_TOKEN=100000000",
    "const TOKEN=readToken(1);",
    "this.ACCESS_TOKEN=token1234;",
    "{ ACCESS_TOKEN: token1234, }",
    "PASSWORD: string",
    "if (TOKEN=== 12345678a) {}",
    "PWD=/home/user1/project",
    "const token = \"abc12345678\"",
    "token=next.token1()",
    "SSH_AUTH_SOCK=/tmp/ssh-1234567/agent.1",
    "PATH=/usr/local/bin:/usr/bin1",
    "CACHE_KEY=v1-deps"
  ]
}

describe("what is left", () => {
  for (const kind of kinds) {
    it(`almost a secret of the kind ${kind}`, () => {
      for (const text of misses[kind]) assert.deepStrictEqual(scrub(text), { text, found: new Map() })
    })
  }

  it.prop(
    "text without any secret",
    [FastCheck.lorem({ maxCount: 50 })],
    ([text]) => assert.deepStrictEqual(scrub(text), { text, found: new Map() })
  )
})

/** Code and prose of many hands, with tests and manuals among them. */
const sample = [
  "@effect/platform",
  "@types/node",
  "commonmark",
  "effect/src",
  "eslint/lib",
  "knip/dist",
  "markdown-it",
  "undici",
  "vite/dist",
  "yaml/dist",
  "zod/src"
]

/** All that is taken for a secret there, and is one by its shape: examples in a manual, a message and tests. */
const allowed = [
  ["@effect/platform/README.md", "authorization", 1],
  ["vite/dist/node/chunks/config.js", "url-password", 1],
  ["zod/src/v4/classic/tests/string.test.ts", "url-password", 1],
  ["zod/src/v4/mini/tests/string.test.ts", "jwt", 2]
] as const

it("leaves the sources of packages as they are, but for the hits that are listed here", () => {
  const hits: Array<readonly [string, string, number]> = []
  let characters = 0
  for (const part of sample) {
    for (const entry of fs.readdirSync(`node_modules/${part}`, { withFileTypes: true, recursive: true })) {
      const file = path.join(entry.parentPath, entry.name)
      if (!entry.isFile() || !/\.(?:[cm]?[jt]s|md)$/.test(file) || file.split("node_modules").length > 2) continue
      const text = fs.readFileSync(file, "utf8")
      characters += text.length
      const { found } = scrub(text)
      for (const [kind, n] of found) hits.push([path.relative("node_modules", file), kind, n])
    }
  }
  assert.isAbove(characters, 20_000_000)
  assert.deepStrictEqual(hits.sort(), allowed.map((hit) => [...hit]))
})

const glue = FastCheck.constantFrom(
  ..."|\n| |\"|'|`|,|;|:|=|@|/|-|_|.|a|B|9|[|]|{|}|\\n|://|://u:|@h|-----|sk-|eyJ|ghp_|AKIA|A_TOKEN=|A_PASSWORD=\"|A_PASSWORD: |Authorization: Bearer |sig=|[secret |[secret jwt 12345678]|é|漢|\ud800"
    .split("|"),
  "|"
)

/** Secrets, parts of secrets and what stands around them, side by side. */
const soup = FastCheck.array(
  FastCheck.oneof(
    { weight: 4, arbitrary: glue },
    { weight: 2, arbitrary: anySample.map(({ before, secret }) => before + secret) },
    { weight: 1, arbitrary: anySample.map(({ secret }) => secret.slice(0, 20)) },
    { weight: 1, arbitrary: alphanumeric(9) }
  ),
  { maxLength: 14 }
).map((parts) => parts.join(""))

describe("laws", () => {
  it("scrubbing twice is scrubbing once", () =>
    FastCheck.assert(
      FastCheck.property(soup, (text) => {
        const once = scrub(text).text
        assert.deepStrictEqual(scrub(once), { text: once, found: new Map() })
      }),
      { numRuns: 6000 }
    ))

  it.prop(
    "no marker holds a part of its secret",
    [anySample, FastCheck.string()],
    ([{ after = "", before, secret }, tail]) => {
      const { text } = scrub(`${before}${secret}${after}\n${tail}`)
      assert.notInclude(text, secret)
      assert.notInclude(text, secret.slice(-6))
    }
  )

  it("the kinds are the ones that a report may name", () => {
    const { found } = scrub(
      FastCheck.sample(anySample, 200).map(({ before, secret }) => `${before}${secret}\n`).join("\n")
    )
    for (const kind of found.keys()) assert.isTrue(Schema.is(SecretKind)(kind))
    assert.isAbove(found.size, 10)
  })
})
