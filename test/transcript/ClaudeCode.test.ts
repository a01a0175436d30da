import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { SessionKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"
import { claudeCode } from "../../src/transcript/ClaudeCode.ts"
import { sessionFile } from "../../src/transcript/ClaudeCode/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { line, lines, records, said, warnings } from "../fixtures/Transcripts.ts"

const format = claudeCode(memoryTags)

const user = (uuid: string, content: unknown, more: object = {}) => ({
  type: "user",
  uuid,
  parentUuid: null,
  timestamp: "2026-05-01T09:00:00.000Z",
  message: { role: "user", content },
  ...more
})

const assistant = (uuid: string, content: unknown, more: object = {}) => ({
  type: "assistant",
  uuid,
  parentUuid: null,
  message: { id: `msg_${uuid}`, role: "assistant", model: "m-1", content },
  ...more
})

const answer = (uuid: string, id: string, content: unknown) => ({
  type: "assistant",
  uuid,
  message: { id, role: "assistant", content }
})

const brief = (content: string | Uint8Array) =>
  records(format, content).map(({ derived, key, kind, role, text }) => [
    key,
    role,
    kind,
    text,
    ...(derived === false ? [] : [derived.by])
  ])

const texts = (content: string | Uint8Array) => records(format, content).map(({ text }) => text)

const derivedOf = (json: object) =>
  records(format, line(json)).map(({ derived, text }) => [derived === false ? "" : derived.by, text])

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** The sample of the specification sheet, in our words: the port is said once, and then only repeated. */
const ports = lines(
  user("u1", "Which port does the demo server use?", { cwd: "/w/demo", gitBranch: "main", sessionId: "s1" }),
  assistant("u2", [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/w/demo/server.ts" } }], {
    parentUuid: "u1"
  }),
  user("u3", [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "listen(4317)" }] }], {
    parentUuid: "u2"
  }),
  { type: "system", subtype: "compact_boundary", uuid: "u4", parentUuid: null, logicalParentUuid: "u3" },
  user("u5", "This session is being continued ... port 4317", { isCompactSummary: true, parentUuid: "u4" })
)

describe("ClaudeCode", () => {
  it("makes Records of what was said, called and answered, and names the tool of a result", () => {
    const all = records(format, ports)
    assert.deepStrictEqual(brief(ports), [
      ["claude:u1#0", "user", "text", "Which port does the demo server use?"],
      ["claude:u2#0", "assistant", "tool_call", "file_path: /w/demo/server.ts"],
      ["claude:u3#0", "tool", "tool_result", "listen(4317)"],
      ["claude:u5#0", "user", "text", "This session is being continued ... port 4317", "compaction"]
    ])
    assert.deepStrictEqual(all.map(({ seq }) => seq), [0, 1, 2, 3])
    assert.deepStrictEqual(all.map(({ tool_call_id, tool_name }) => [tool_name, tool_call_id]), [
      [undefined, undefined],
      ["Read", "toolu_1"],
      ["Read", "toolu_1"],
      [undefined, undefined]
    ])
    assert.deepStrictEqual(all.map(({ parent_key }) => parent_key), [
      undefined,
      "claude:u1#0",
      "claude:u2#0",
      "claude:u4#0"
    ])
    assert.deepStrictEqual([all[0]?.meta.cwd, all[0]?.meta.git_branch, all[1]?.meta.model], ["/w/demo", "main", "m-1"])
    assert.deepStrictEqual(all.map(({ at }) => at), [
      "2026-05-01T09:00:00.000Z",
      null,
      "2026-05-01T09:00:00.000Z",
      "2026-05-01T09:00:00.000Z"
    ])
    assert.strictEqual(all.filter(({ derived, text }) => derived === false && text.includes("4317")).length, 1)
  })

  it("makes Records that their schema takes, and says where each was read", () => {
    const content = Buffer.from(ports)
    for (const record of records(format, ports)) {
      assert.deepStrictEqual(Schema.decodeSync(Record)(Schema.encodeSync(Record)(record)), record)
      const { byte_length, byte_offset, line_sha256, path } = record.origin ?? assert.fail()
      const bytes = content.subarray(byte_offset, byte_offset + byte_length)
      assert.strictEqual(path, "/t/s1.jsonl")
      assert.strictEqual(line_sha256, sha256(bytes))
      assert.include(bytes.toString(), record.key.slice("claude:".length, -2))
    }
  })

  it("takes every shape of content: strings, bare strings among blocks, thoughts", () => {
    assert.deepStrictEqual(
      brief(lines(
        user("a", ["bare", { type: "text", text: "block" }]),
        assistant("b", [{ type: "thinking", thinking: "hm", signature: "x" }, { type: "text", text: "so" }]),
        assistant("c", [{ type: "thinking", thinking: "", signature: "x" }, { type: "redacted_thinking", data: "x" }])
      )),
      [
        ["claude:a#0", "user", "text", "bare"],
        ["claude:a#1", "user", "text", "block"],
        ["claude:b#0", "assistant", "thinking", "hm"],
        ["claude:b#1", "assistant", "text", "so"]
      ]
    )
  })

  it("describes images and documents, and keeps no base64", () => {
    const png = Buffer.alloc(187_000, 7)
    const data = png.toString("base64")
    const source = { type: "base64", media_type: "image/png", data }
    const image = `[image image/png 183 KB sha256:${sha256(png)}]`
    const pdf = { type: "base64", media_type: "application/pdf", data: "aGk=" }
    assert.deepStrictEqual(
      texts(lines(
        user("a", [{ type: "image", source }, { type: "image", source: { type: "url", url: "https://e.test/a.png" } }]),
        user("b", [{ type: "document", title: "Plan", source: pdf }]),
        user("c", [{ type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }]),
        user("d", [{
          type: "tool_result",
          tool_use_id: "t",
          is_error: true,
          content: ["bare", { type: "text", text: "before" }, { type: "image", source }, {
            type: "tool_reference",
            tool_name: "Grep"
          }]
        }]),
        assistant("e", [{ type: "tool_use", id: "t", name: "Upload", input: { file: data } }])
      )),
      [
        image,
        "[image https://e.test/a.png]",
        `Plan\n[document application/pdf 2 B sha256:${sha256("hi")}]`,
        "words",
        `bare\nbefore\n${image}\n[tool_reference Grep]`,
        `file: [data 183 KB sha256:${sha256(png)}]`
      ]
    )
  })

  it("shows what a tool was given line by line, with the texts as they are", () => {
    const input = { path: "a", edits: [{ old: "x\ny", deep: { n: 1, no: null, on: true } }], none: [], nil: {} }
    assert.deepStrictEqual(texts(line(assistant("a", [{ type: "tool_use", id: "t", name: "Edit", input }]))), [
      "path: a\nedits[0].old: x\ny\nedits[0].deep.n: 1\nedits[0].deep.no: null\nedits[0].deep.on: true\nnone: []\nnil: {}"
    ])
  })

  it("passes over lines that hold no talk, and says each unknown type once", () => {
    const silent = [
      "system",
      "attachment",
      "agent-name",
      "agent-setting",
      "last-prompt",
      "mode",
      "permission-mode",
      "pr-link",
      "bridge-session",
      "continued-in",
      "file-history-snapshot",
      "file-history-delta",
      "queue-operation",
      "progress"
    ]
    const content = lines(...silent.map((type) => ({ type, messageId: "u1", content: "words" })))
    assert.deepStrictEqual(said(format, content), [])
    const strange = lines({ type: "dream" }, { type: "dream" }, { type: "wish", x: 1 })
    assert.deepStrictEqual(warnings(said(format, strange)), [
      "unknown@0+16 of an unknown type: dream",
      "unknown@34+21 of an unknown type: wish"
    ])
    const blocks = line(assistant("a", [{ type: "hologram", text: "seen" }, { type: "text", text: "b" }]))
    assert.deepStrictEqual(texts(blocks), ["seen", "b"])
    assert.match(warnings(said(format, blocks)).join(), /of an unknown type: block hologram$/)
  })

  it("keeps titles as titles, once for each text", () => {
    const titles = records(
      format,
      lines(
        { type: "summary", summary: "Ports", leafUuid: "u3" },
        { type: "custom-title", customTitle: "Mine", sessionId: "s1" },
        { type: "ai-title", aiTitle: "Theirs", sessionId: "s1" },
        { type: "custom-title", customTitle: "Mine", sessionId: "s1" },
        { type: "summary" }
      )
    )
    assert.deepStrictEqual(titles.map(({ derived, kind, text }) => [derived !== false && derived.by, kind, text]), [
      ["title", "summary", "Ports"],
      ["title", "summary", "Mine"],
      ["title", "summary", "Theirs"],
      ["title", "summary", "Mine"]
    ])
    assert.strictEqual(new Set(titles.map(({ key }) => key)).size, 3)
  })

  it("calls derived what the harness and the compaction wrote", () => {
    const harness = [
      "[Request interrupted by user]",
      "<task-notification>done</task-notification>",
      "<command-name>/clear</command-name>",
      "<command-message>x</command-message>",
      "<local-command-stdout>x</local-command-stdout>",
      "Stop hook feedback:\n- no",
      "Caveat: The messages below were generated"
    ]
    for (const text of harness) {
      assert.deepStrictEqual(derivedOf(user("a", text)), [["harness", text]])
      // An agent that quotes such words says them.
      assert.deepStrictEqual(derivedOf(assistant("a", [{ type: "text", text }])), [["", text]])
    }
    assert.deepStrictEqual(derivedOf(user("a", "  This session is being continued from")), [[
      "compaction",
      "  This session is being continued from"
    ]])
    assert.deepStrictEqual(derivedOf(user("a", "hello", { isMeta: true })), [["harness", "hello"]])
    assert.deepStrictEqual(derivedOf(user("a", "hello", { isCompactSummary: true })), [["compaction", "hello"]])
    assert.deepStrictEqual(
      derivedOf(assistant("a", [{ type: "text", text: "API Error" }], { isApiErrorMessage: true })),
      [
        ["harness", "API Error"]
      ]
    )
  })

  it("cuts injected blocks out of what was said around them", () => {
    const text = "before <system-reminder>do not tell</system-reminder>and\n<memory id=\"1\">old</memory> after"
    assert.deepStrictEqual(brief(line(user("a", text))), [
      ["claude:a#0", "user", "text", "before and\n after"],
      ["claude:a#0.d1", "user", "text", "<system-reminder>do not tell</system-reminder>", "harness"],
      ["claude:a#0.d2", "user", "text", "<memory id=\"1\">old</memory>", "injected-memory"]
    ])
    // Nothing but the block is left: the rest is no Record.
    assert.deepStrictEqual(brief(line(user("a", "<relevant-memories>x</relevant-memories>\n"))), [
      ["claude:a#0.d1", "user", "text", "<relevant-memories>x</relevant-memories>", "injected-memory"]
    ])
    const result = { type: "tool_result", tool_use_id: "t", content: "1\n<system-reminder>x</system-reminder>" }
    assert.deepStrictEqual(brief(line(user("a", [result]))), [
      ["claude:a#0", "tool", "tool_result", "1\n"],
      ["claude:a#0.d1", "tool", "tool_result", "<system-reminder>x</system-reminder>", "harness"]
    ])
    for (const mentioned of ["what does <memory> do?", "</memory> <system-reminder>", "<memoryx>a</memoryx>"]) {
      assert.deepStrictEqual(brief(line(user("a", mentioned))), [["claude:a#0", "user", "text", mentioned]])
    }
    assert.deepStrictEqual(
      records(claudeCode(["notes"]), line(user("a", "<notes>x</notes><memory>y</memory>"))).map(({ text }) => text),
      ["<memory>y</memory>", "<notes>x</notes>"]
    )
  })

  it("puts the longer form of an answer in the place of its snapshots, and nothing in that of other blocks", () => {
    const supersedes = (content: string) =>
      records(format, content).flatMap(({ key, supersedes }) => supersedes === undefined ? [] : [[key, supersedes]])
    const text = (text: string) => [{ type: "text", text }]
    assert.deepStrictEqual(
      supersedes(lines(
        answer("a", "m1", text("The port")),
        answer("b", "m1", text("The port is")),
        answer("c", "m1", [{ type: "thinking", thinking: "The port is 4317" }]),
        answer("d", "m2", text("The port is 4317 too")),
        answer("e", "m1", text("The port is 4317"))
      )),
      [["claude:b#0", "claude:a#0"], ["claude:e#0", "claude:b#0"]]
    )
    // Two calls that look the same, two blocks of one line, and a copy of a line are what they are.
    const call = (id: string) => [{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }]
    assert.deepStrictEqual(
      supersedes(lines(
        answer("a", "m1", call("t1")),
        answer("b", "m1", call("t2")),
        answer("c", "m3", [...text("Let me"), ...text("Let me see")]),
        answer("c", "m3", [...text("Let me"), ...text("Let me see")])
      )),
      []
    )
    assert.deepStrictEqual(supersedes(lines(user("a", "The"), user("b", "The port"))), [])
  })

  it("keeps side chains apart, by their agent", () => {
    const side = { isSidechain: true, agentId: "ab12" }
    const [main, inline] = records(format, lines(user("a", "m", { isSidechain: false }), user("b", "s", side)))
    assert.deepStrictEqual([main?.session_key, main?.branch.sidechain], ["s1", false])
    assert.deepStrictEqual([inline?.session_key, inline?.branch.sidechain], ["s1/agent-ab12", true])
    const own = sessionFile("/c/projects/p/s1/subagents/agent-ab12.jsonl")
    const [record] = said(format, line(user("b", "s", side)), own)
    assert.deepStrictEqual(record instanceof Record && [record.session_key, record.branch.sidechain], [
      SessionKey.make("s1/agent-ab12"),
      true
    ])
    assert.deepStrictEqual(
      [own.session_key, own.sessionFolder, sessionFile("/c/p/s2.jsonl").sessionFolder],
      [SessionKey.make("s1/agent-ab12"), "/c/projects/p/s1", "/c/p/s2"]
    )
    const older = sessionFile("/c/projects/p/agent-ab12.jsonl")
    assert.deepStrictEqual([older.session_key, older.isSidechain, older.sessionFolder], [
      SessionKey.make("agent-ab12"),
      true,
      undefined
    ])
  })

  it("never asks whose session a line is of", () => {
    assert.deepStrictEqual(
      texts(lines(user("a", "1", { sessionId: "s1" }), user("b", "2", { sessionId: "other" }))),
      ["1", "2"]
    )
  })
})

describe("ClaudeCode, of lines that are none", () => {
  const good = JSON.stringify(user("y", "good"))

  const bads: ReadonlyArray<readonly [line: string, texts: ReadonlyArray<string>, warnings: ReadonlyArray<string>]> = [
    [`{"type":"user","message":{"ro${good}`, ["good"], ["bad@0+29 not JSON"]],
    [`${good}${good.replace("\"y\"", "\"z\"")}`, ["good", "good"], [`bad@0+${2 * good.length} 2 objects in one line`]],
    [`${good} and more`, ["good"], [`bad@${good.length}+9 not JSON`]],
    [`\0\0\0${good}`, ["good"], ["bad@0+3 NUL bytes"]],
    ["\0\0\0\0", [], ["bad@0+4 NUL bytes"]],
    ["42", [], ["bad@0+2 no JSON object"]],
    ["\"text\"", [], ["bad@0+6 no JSON object"]],
    ["[1]", [], ["bad@0+3 no JSON object"]],
    ["null", [], ["bad@0+4 no JSON object"]],
    ["nonsense", [], ["bad@0+8 not JSON"]],
    ["{}", [], ["bad@0+2 a line without a type"]],
    ["{\"type\":\"user\",\"message\":\"error\"}", [], ["bad@0+33 its message is no message"]],
    ["{\"type\":\"user\",\"message\":{\"0\":\"a\"}}", [], ["bad@0+35 its message is no message"]],
    ["{\"type\":\"user\",\"message\":{\"content\":[7]}}", [], ["bad@0+41 a block that is no block"]],
    // What stands within a cut line is no line, though it is whole.
    [
      `{"type":"assistant","message":{"content":[{"type":"text","text":"cut"},{"type":"te${good}`,
      ["good"],
      ["bad@0+82 not JSON"]
    ],
    [`{"type":"user","uuid":"q","message":{"content":"half${good}`, ["good"], ["bad@0+52 not JSON"]]
  ]

  it("saves what is whole in a bad line, names the rest by its place, and goes on", () => {
    for (const [bad, saved, says] of bads) {
      const content = `${bad}\n${line(user("n", "next"))}`
      assert.deepStrictEqual(texts(content), [...saved, "next"], bad)
      assert.deepStrictEqual(warnings(said(format, content)), says, bad)
    }
  })

  it("says of a Record from a bad line the very bytes that it was read from", () => {
    const [record] = records(format, `{"type":"user","message":{"ro${good}\n`)
    assert.deepStrictEqual([record?.origin?.byte_offset, record?.origin?.byte_length, record?.origin?.line_sha256], [
      29,
      good.length,
      sha256(good)
    ])
  })

  it("bears a BOM, CRLF, blank lines, lone surrogates, NUL, and separators that are none", () => {
    assert.deepStrictEqual(texts(`\uFEFF${good}\r\n\r\n \n${line(user("b", "2"))}`), ["good", "2"])
    const cut = "{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":\"cut \\ud83d end\\u0000\"}}\n"
    assert.deepStrictEqual(texts(cut), ["cut \uFFFD end\0"])
    assert.deepStrictEqual(texts(line(user("a", "one\u2028two\u0085three\rfour"))), ["one\u2028two\u0085three\rfour"])
    const keyed = "{\"type\":\"user\",\"uuid\":\"\\ud83d\",\"cwd\":\"\\ud83d\",\"message\":{\"content\":\"a\"}}\n"
    const [record] = records(format, keyed)
    assert.deepStrictEqual([record?.key, record?.meta.cwd], ["claude:\uFFFD#0", "\uFFFD"])
  })

  it("reads a line that is not UTF-8, and says so", () => {
    const bytes = Buffer.from(line(user("a", "caf\xe9")), "latin1")
    assert.deepStrictEqual(texts(bytes), ["caf\uFFFD"])
    assert.deepStrictEqual(warnings(said(format, bytes)), [
      `bad@0+${bytes.length - 1} not UTF-8; what is wrong in it became U+FFFD`
    ])
  })

  it("calls a line without a name by its bytes, the same each time", () => {
    const nameless = "{\"type\":\"user\",\"message\":{\"content\":\"a\"}}"
    assert.deepStrictEqual(records(format, `${nameless}\n${nameless}\n`).map(({ key }) => key), [
      `claude:line-${sha256(nameless)}#0`,
      `claude:line-${sha256(nameless)}#0`
    ])
  })

  it("bears nesting beyond any stack, and a time that is none", () => {
    const deep = `{"type":"user","uuid":"a","message":{"content":${"[".repeat(100_000)}${"]".repeat(100_000)}}}\n`
    assert.deepStrictEqual(warnings(said(format, deep)), [`bad@0+${deep.length - 1} nested too deep`])
    const times = ["yesterday", 7e20, -1, {}, "2026-13-01T00:00:00Z", "+275760-09-13T00:00:00.000Z"]
    assert.deepStrictEqual(
      records(format, lines(...times.map((timestamp, i) => user(`t${i}`, "x", { timestamp })))).map(({ at }) => at),
      times.map(() => null)
    )
    const [record] = records(format, line(user("a", "x", { timestamp: "2026-05-01T11:00:00.5+02:00" })))
    assert.strictEqual(record?.at, "2026-05-01T09:00:00.500Z")
  })

  it("stays in proportion to a hostile line", () => {
    const time = (content: string) => {
      const began = performance.now()
      said(format, content)
      return performance.now() - began
    }
    const hostile = [
      (n: number) => "{\"type\":\"".repeat(n),
      (n: number) => "{\"type\":{\"a\":[".repeat(n),
      (n: number) => line(user("a", "<memory><system-reminder>".repeat(n) + "</x>")),
      (n: number) => line(user("a", `${"<memory>".repeat(n)}${"</memory>".repeat(n)}`))
    ]
    for (const make of hostile) {
      const [small, large] = [make(20_000), make(160_000)]
      time(small)
      assert.isBelow(time(large), 40 * Math.max(time(small), 2), make(1))
    }
  })
})
