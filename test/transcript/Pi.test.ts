import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { Record } from "../../src/domain/Record.ts"
import type { Format } from "../../src/transcript/Format.ts"
import { pi } from "../../src/transcript/Pi.ts"
import { sessionFile, sessionId } from "../../src/transcript/Pi/SessionPath.ts"
import * as Tree from "../../src/transcript/Pi/Tree.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { line, lines, records, said, warnings } from "../fixtures/Transcripts.ts"

const format = pi(memoryTags)

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-05-01T10:00:00.000Z", cwd: "/w/demo" }

const time = (n: number) => `2026-05-01T10:00:${String(n).padStart(2, "0")}.000Z`

const entry = (n: number, message: object) => ({
  type: "message",
  id: `0000000${n}`,
  parentId: n === 1 ? null : `0000000${n - 1}`,
  timestamp: time(n),
  message
})

const user = (content: unknown) => ({ role: "user", content })

const brief = (content: string) =>
  records(format, content).map(({ derived, kind, role, text }) => [
    role,
    kind,
    text,
    ...(derived === false ? [] : [derived.by])
  ])

const texts = (content: string) => records(format, content).map(({ text }) => text)
const keys = (content: string) => records(format, content).map(({ key }) => key)

/** What the step says when it was shown the lines before. */
const surveyed = <S>(of: Format<S>, content: string) => {
  const { initial, survey } = of
  let offset = 0
  const seen = content.split("\n").slice(0, -1).reduce((state, one) => {
    const next = survey?.(state, { bytes: Buffer.from(one), offset }) ?? state
    offset += Buffer.byteLength(one) + 1
    return next
  }, initial)
  return records({ ...of, initial: seen }, content)
}

const session = [
  header,
  entry(1, user("run the tests")),
  entry(2, {
    role: "assistant",
    model: "m-1",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Running." },
      { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "npm test" } }
    ],
    stopReason: "toolUse"
  }),
  entry(3, {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "bash",
    content: [{ type: "text", text: "42 passed" }, { type: "image", data: "aGk=", mimeType: "image/png" }],
    isError: false
  }),
  entry(4, { role: "assistant", content: [], stopReason: "aborted" })
]

describe("Pi", () => {
  it("makes Records of messages, calls and results, and none of an empty answer", () => {
    const all = records(format, lines(...session))
    const hi = createHash("sha256").update("hi").digest("hex")
    assert.deepStrictEqual(brief(lines(...session)), [
      ["user", "text", "run the tests"],
      ["assistant", "thinking", "hm"],
      ["assistant", "text", "Running."],
      ["assistant", "tool_call", "command: npm test"],
      ["tool", "tool_result", `42 passed\n[image image/png 2 B sha256:${hi}]`]
    ])
    assert.deepStrictEqual(all.map(({ tool_call_id, tool_name }) => [tool_name, tool_call_id]).slice(3), [
      ["bash", "call_1"],
      ["bash", "call_1"]
    ])
    assert.deepStrictEqual(all.map(({ is_error }) => is_error), [undefined, undefined, undefined, undefined, false])
    assert.deepStrictEqual([all[0]?.meta.cwd, all[2]?.meta.model, all[0]?.at], ["/w/demo", "m-1", time(1)])
    assert.deepStrictEqual(all.map(({ parent_key }) => parent_key), [
      undefined,
      all[0]?.key,
      all[0]?.key,
      all[0]?.key,
      all[1]?.key
    ])
    for (const record of all) {
      assert.match(record.key, /^pi:[0-9a-f]{64}#\d$/)
      assert.deepStrictEqual(Schema.decodeSync(Record)(Schema.encodeSync(Record)(record)), record)
    }
  })

  it("takes a shell of the user's as the tool bash, and nothing of one that he kept to himself", () => {
    const bash = (more: object) =>
      entry(1, { role: "bashExecution", command: "ls", output: "a b", exitCode: 0, ...more })
    assert.deepStrictEqual(
      records(format, line(bash({}))).map((r) => [r.role, r.kind, r.text, r.tool_name, r.is_error]),
      [
        ["user", "tool_call", "ls", "bash", undefined],
        ["tool", "tool_result", "a b", "bash", false]
      ]
    )
    assert.deepStrictEqual(records(format, line(bash({ exitCode: 2 })))[1]?.is_error, true)
    assert.deepStrictEqual(records(format, line(bash({ cancelled: true })))[1]?.is_error, true)
    assert.deepStrictEqual(said(format, line(bash({ excludeFromContext: true }))), [])
  })

  it("calls derived what extensions, compactions and summaries of branches wrote, and what memory tools put in", () => {
    assert.deepStrictEqual(
      brief(lines(
        entry(1, { role: "custom", customType: "x", content: "put in", display: true }),
        entry(2, { role: "hookMessage", customType: "x", content: [{ type: "text", text: "hooked" }] }),
        { type: "compaction", id: "c", parentId: "b", timestamp: time(3), summary: "recap", firstKeptEntryId: "a" },
        { type: "branch_summary", id: "d", parentId: "c", timestamp: time(4), fromId: "a", summary: "branch" },
        { type: "custom_message", id: "e", parentId: "d", timestamp: time(5), customType: "x", content: "words" },
        entry(6, user("a <memory>b</memory>"))
      )),
      [
        ["system", "text", "put in", "harness"],
        ["system", "text", "hooked", "harness"],
        ["system", "summary", "recap", "compaction"],
        ["system", "summary", "branch", "compaction"],
        ["system", "text", "words", "harness"],
        ["user", "text", "a "],
        ["user", "text", "<memory>b</memory>", "injected-memory"]
      ]
    )
  })

  it("passes over entries that hold no talk, and names what it does not know", () => {
    const silent = ["model_change", "thinking_level_change", "label", "custom", "session_info", "title"]
    assert.deepStrictEqual(said(format, lines(...silent.map((type) => ({ type, id: "a", name: "x" })))), [])
    assert.deepStrictEqual(
      warnings(said(format, lines({ type: "dream" }, entry(1, { role: "ghost" }), entry(2, user([{ type: "smell" }])))))
        .map((warning) => warning.replace(/^unknown@\d+\+\d+ of an unknown type: /, "")),
      ["dream", "message of ghost", "block smell"]
    )
    assert.match(
      warnings(said(format, line({ type: "message", message: "error" }))).join(),
      /its message is no message/
    )
    assert.match(warnings(said(format, line(entry(1, user(7))))).join(), /its content is no content/)
    assert.match(warnings(said(format, line({ type: "compaction" }))).join(), /a summary without a text/)
    assert.match(warnings(said(format, line({ id: 1 }))).join(), /an entry without a type/)
  })

  it("gives the same keys before and after pi migrates a file, and in a fork of it", () => {
    const messages = session.slice(1)
    const hook = { role: "hookMessage", customType: "x", content: "hooked" }
    const compaction = { type: "compaction", timestamp: time(9), summary: "recap", tokensBefore: 9 }
    const v1 = lines(
      { type: "session", id: "s1", timestamp: time(0), cwd: "/w/demo" },
      ...messages.map(({ id: _, parentId: __, ...one }: { id?: string; parentId?: string | null }) => one),
      { type: "message", timestamp: time(8), message: hook },
      { ...compaction, firstKeptEntryIndex: 2 }
    )
    const migrated = lines(
      header,
      ...messages.map((one, i) => ({ ...one, id: `random${i}`, parentId: i === 0 ? null : `random${i - 1}` })),
      { type: "message", id: "r8", parentId: "r7", timestamp: time(8), message: { ...hook, role: "custom" } },
      { ...compaction, id: "r9", parentId: "r8", firstKeptEntryId: "random2" }
    )
    assert.deepStrictEqual(keys(v1), keys(migrated))
    assert.strictEqual(new Set(keys(v1)).size, 7)
    // A fork of a v1 file: the header of v3 over entries without ids.
    assert.deepStrictEqual(keys(line(header) + v1.slice(v1.indexOf("\n") + 1)), keys(v1))
    // The order of members, and how a string is escaped, is the writer's.
    assert.deepStrictEqual(
      keys("{\"message\":{\"content\":\"\\u0061\",\"role\":\"user\"},\"timestamp\":\"t\",\"type\":\"message\"}\n"),
      keys(line({ type: "message", timestamp: "t", message: user("a") }))
    )
  })

  it("counts what says the same at the same time", () => {
    const twice = keys(
      lines(entry(1, user("yes")), entry(1, user("yes")), entry(2, user("yes")), entry(1, user("yes")))
    )
    assert.strictEqual(new Set(twice).size, 4)
    assert.match(twice[1] ?? "", /~1#0$/)
    assert.match(twice[3] ?? "", /~2#0$/)
  })

  it("takes the first of any number of headers, wherever it stands, and none", () => {
    const cwds = (content: string) => records(format, content).map(({ meta: { cwd } }) => cwd)
    const one = entry(1, user("a"))
    assert.deepStrictEqual(cwds(lines(header, { ...header, cwd: "/other" }, one)), ["/w/demo"])
    assert.deepStrictEqual(cwds(lines(one, header, entry(2, user("b")))), [undefined, "/w/demo"])
    assert.deepStrictEqual(cwds(lines(one)), [undefined])
    assert.deepStrictEqual(cwds(`{"type":"sess\n${lines(header, one)}`), ["/w/demo"])
    const future = lines({ ...header, version: 4 }, one)
    assert.deepStrictEqual(texts(future), ["a"])
    assert.match(warnings(said(format, future)).join(), /^unknown@.*session of version 4$/)
  })

  it("keeps abandoned branches, and says that they were abandoned", () => {
    const at = (id: string, parentId: string | null, text: string) => ({
      type: "message",
      id,
      parentId,
      timestamp: `t-${id}`,
      message: user(text)
    })
    const tree = lines(
      header,
      at("a", null, "1"),
      at("b", "a", "2"),
      at("c", "b", "3"),
      at("d", "a", "4"),
      at("e", "d", "5")
    )
    const onLeaf = (content: string) => surveyed(format, content).map(({ branch, text }) => [text, branch.on_leaf])
    assert.deepStrictEqual(onLeaf(tree), [["1", true], ["2", false], ["3", false], ["4", true], ["5", true]])
    // Going back to an abandoned branch takes it up again.
    assert.deepStrictEqual(onLeaf(tree + line(at("f", "c", "6"))).map(([, kept]) => kept), [
      true,
      true,
      true,
      false,
      false,
      true
    ])
    // Without ids there are no branches; a damaged line breaks none.
    assert.deepStrictEqual(
      onLeaf(lines({ type: "message", message: user("a") }, { type: "message", message: user("b") })),
      [
        ["a", true],
        ["b", true]
      ]
    )
    const damaged = lines(at("a", null, "1"), at("b", "a", "2")) + "{\"type\":\"mess\n" + lines(at("d", "lost", "4"))
    assert.deepStrictEqual(onLeaf(damaged).map(([, kept]) => kept), [true, true, true])
  })

  it("finds ids by the whole line where they do not stand as pi writes them", () => {
    const add = (text: string) => Tree.add(Tree.empty, Buffer.from(text))
    assert.deepStrictEqual(add(line({ parentId: "p", x: "\"id\":\"no\"", id: "i", type: "message" })).leaf, "i")
    assert.deepStrictEqual(add(line(header)).leaf, undefined)
    assert.deepStrictEqual(add("{\"type\":\"message\",\"id\":\"i\",\"parentId\":null,cut").leaf, "i")
    assert.deepStrictEqual(add("nonsense").leaf, undefined)
  })

  it("never loops in a tree that is none", () => {
    const ids = FastCheck.constantFrom("a", "b", "c", "d")
    FastCheck.assert(FastCheck.property(FastCheck.array(FastCheck.tuple(ids, ids)), (edges) => {
      const tree = edges.reduce(
        (tree, [id, parentId]) => Tree.add(tree, Buffer.from(line({ type: "message", id, parentId, x: 1 }))),
        Tree.empty
      )
      assert.isFalse(Tree.abandoned(tree).has(tree.leaf ?? ""))
    }))
  })

  it("is called by the id in its name", () => {
    assert.strictEqual(sessionId("2026-05-01T10-00-00-000Z_0a1b"), "0a1b")
    assert.strictEqual(sessionId("notes_1"), "notes_1")
    assert.strictEqual(String(sessionFile("/p/.jsonl").session_key), "unnamed")
  })
})
