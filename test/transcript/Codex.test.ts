import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { Record } from "../../src/domain/Record.ts"
import { codex } from "../../src/transcript/Codex.ts"
import * as Rollbacks from "../../src/transcript/Codex/Rollbacks.ts"
import { rollout, sessionId } from "../../src/transcript/Codex/SessionPath.ts"
import { memoryTags } from "../../src/transcript/Spans.ts"
import { line, lines, records, said, warnings } from "../fixtures/Transcripts.ts"

const format = codex("s1", memoryTags)

const timestamp = "2026-05-01T12:00:00.000Z"

const meta = {
  timestamp,
  type: "session_meta",
  payload: { id: "s1", cwd: "/w/demo", cli_version: "0.150.0", git: { branch: "main" } }
}

const item = (payload: object, more: object = {}) => ({ timestamp, type: "response_item", payload, ...more })

const event = (payload: object) => ({ timestamp, type: "event_msg", payload })

const user = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] })

const assistant = (text: string) =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] })

const userEvent = (message: string) => event({ type: "user_message", message, kind: "plain" })
const agentEvent = (message: string) => event({ type: "agent_message", message })

const brief = (content: string) =>
  records(format, content).map(({ derived, kind, role, text }) => [
    role,
    kind,
    text,
    ...(derived === false ? [] : [derived.by])
  ])

const texts = (content: string) => records(format, content).map(({ text }) => text)

describe("Codex", () => {
  it("makes Records of messages, calls and outputs, and names the tool of an output", () => {
    const content = lines(
      meta,
      { timestamp, type: "turn_context", payload: { cwd: "/w/demo", model: "m-1" } },
      user("list files"),
      item({ type: "reasoning", encrypted_content: "x", summary: [] }),
      item({ type: "function_call", name: "shell", arguments: "{\"command\":[\"ls\",\"-a\"]}", call_id: "c1" }),
      item({
        type: "function_call_output",
        call_id: "c1",
        output: "{\"output\":\"a\\nb\",\"metadata\":{\"exit_code\":1}}"
      }),
      item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch\n+x", call_id: "c2" }),
      item({ type: "custom_tool_call_output", call_id: "c2", output: "Done" }),
      item({ type: "local_shell_call", call_id: "c3", action: { type: "exec", command: ["pwd"] } }),
      item({ type: "function_call_output", call_id: "c3", output: { content: "/w/demo", success: true } }),
      item({ type: "web_search_call", action: { type: "search", query: "effect" } }),
      item({ type: "function_call_output", call_id: "c4", output: [{ type: "input_text", text: "x" }] }),
      assistant("Two files.")
    )
    const all = records(format, content)
    assert.deepStrictEqual(brief(content), [
      ["user", "text", "list files"],
      ["assistant", "tool_call", "command[0]: ls\ncommand[1]: -a"],
      ["tool", "tool_result", "a\nb"],
      ["assistant", "tool_call", "*** Begin Patch\n+x"],
      ["tool", "tool_result", "Done"],
      ["assistant", "tool_call", "type: exec\ncommand[0]: pwd"],
      ["tool", "tool_result", "/w/demo"],
      ["assistant", "tool_call", "type: search\nquery: effect"],
      ["tool", "tool_result", "x"],
      ["assistant", "text", "Two files."]
    ])
    assert.deepStrictEqual(all.map(({ tool_name }) => tool_name), [
      undefined,
      "shell",
      "shell",
      "apply_patch",
      "apply_patch",
      "local_shell",
      "local_shell",
      "web_search",
      undefined,
      undefined
    ])
    assert.deepStrictEqual(all.map(({ is_error }) => is_error).filter((is) => is !== undefined), [true, false])
    assert.deepStrictEqual({ ...all[0]?.meta }, { cwd: "/w/demo", git_branch: "main", model: "m-1" })
    for (const record of all) {
      assert.match(record.key, /^codex:[0-9a-f]{64}#0$/)
      assert.deepStrictEqual(Schema.decodeSync(Record)(Schema.encodeSync(Record)(record)), record)
    }
    assert.strictEqual(new Set(all.map(({ key }) => key)).size, all.length)
  })

  it("takes one layer: what is an item and an event is said once, in whatever order", () => {
    assert.deepStrictEqual(
      texts(lines(meta, user("list files"), userEvent("list files"), agentEvent("ok"), assistant("ok"))),
      [
        "list files",
        "ok"
      ]
    )
    assert.deepStrictEqual(
      texts(lines(meta, userEvent("list files"), user("list files"), assistant("ok"), agentEvent("ok"))),
      ["list files", "ok"]
    )
    // Said again, it is said twice.
    assert.deepStrictEqual(
      texts(lines(meta, userEvent("yes"), user("yes"), userEvent("yes"), user("yes"))),
      ["yes", "yes"]
    )
    // Calls alone are no message: the events still tell who said what.
    const call = item({ type: "function_call", name: "f", arguments: "{}", call_id: "c" })
    assert.deepStrictEqual(texts(lines(meta, call, userEvent("a"), agentEvent("b"))), ["{}", "a", "b"])
  })

  it("reads events where there is nothing else, the older and the newer ones", () => {
    const completed = (item: object) => event({ type: "item_completed", item })
    assert.deepStrictEqual(
      brief(lines(
        meta,
        userEvent("a"),
        agentEvent("b"),
        completed({ type: "UserMessage", content: [{ type: "text", text: "c" }] }),
        completed({ type: "AgentMessage", content: [{ type: "Text", text: "d" }] }),
        completed({ type: "Plan", text: "no" }),
        event({ type: "token_count", info: null })
      )),
      [["user", "text", "a"], ["assistant", "text", "b"], ["user", "text", "c"], ["assistant", "text", "d"]]
    )
  })

  it("calls derived what the harness put in a user's place, and leaves the prompt that follows", () => {
    const harness = [
      "# AGENTS.md instructions for /w/demo\n<INSTRUCTIONS>x</INSTRUCTIONS>",
      "<environment_context>x</environment_context>",
      "<INSTRUCTIONS>x</INSTRUCTIONS>",
      "<user_instructions>x</user_instructions>",
      "\n<environment_context>"
    ]
    for (const text of harness) {
      assert.deepStrictEqual(brief(line(user(text))), [["user", "text", text, "harness"]])
      assert.deepStrictEqual(brief(line(assistant(text))), [["assistant", "text", text]])
    }
    const prompted = "# Context from my IDE setup:\n\n- a.ts\n\n## My request for Codex:\nfix <memory>x</memory> it"
    assert.deepStrictEqual(
      records(format, line(user(prompted))).map(({ derived, key, text }) => [
        key.replace(/^.*#/, ""),
        text,
        derived !== false && derived.by
      ]),
      [
        ["0.d1", "# Context from my IDE setup:\n\n- a.ts\n\n## My request for Codex:", "harness"],
        ["0", "\nfix  it", false],
        ["0.d2", "<memory>x</memory>", "injected-memory"]
      ]
    )
    assert.deepStrictEqual(brief(line({ timestamp, type: "compacted", payload: { message: "recap" } })), [
      ["system", "summary", "recap", "compaction"]
    ])
  })

  it("passes over what no person and no model said, and names what it does not know", () => {
    const silent = lines(
      meta,
      item({ type: "message", role: "developer", content: [{ type: "input_text", text: "be good" }] }),
      item({ type: "ghost_snapshot" }),
      item({ type: "compaction", encrypted_content: "x" }),
      { timestamp, type: "compacted", payload: { message: "" } },
      { timestamp, type: "world_state", payload: {} },
      { timestamp, type: "inter_agent_message", payload: {} },
      { timestamp, type: "realtime_item", payload: {} }
    )
    assert.deepStrictEqual(said(format, silent), [])
    const strange = lines(
      { timestamp, type: "dream", payload: {} },
      item({ type: "smell" }),
      item({ type: "smell" }),
      item({ type: "message", role: "ghost", content: [] }),
      item({ type: "message", role: "user", content: [{ type: "input_smell" }] }),
      item({ type: "message", role: "user", content: 7 }),
      { timestamp, type: "response_item", payload: "error" },
      { timestamp, payload: {} }
    )
    assert.deepStrictEqual(warnings(said(format, strange)).map((text) => text.replace(/@\d+\+\d+/, "")), [
      "unknown of an unknown type: dream",
      "unknown of an unknown type: response_item smell",
      "unknown of an unknown type: message of ghost",
      "unknown of an unknown type: block input_smell",
      "bad its content is no content",
      "bad its payload is no object",
      "bad a line without a type"
    ])
  })

  it("describes images", () => {
    const hi = createHash("sha256").update("hi").digest("hex")
    const image = (image_url: string) =>
      line(item({ type: "message", role: "user", content: [{ type: "input_image", image_url }] }))
    assert.deepStrictEqual(texts(image("data:image/png;base64,aGk=")), [`[image image/png 2 B sha256:${hi}]`])
    assert.deepStrictEqual(texts(image("https://e.test/a.png")), ["[image https://e.test/a.png]"])
  })

  it("takes arguments that are no JSON as they are", () => {
    const call = (json: unknown) => line(item({ type: "function_call", name: "f", arguments: json, call_id: "c" }))
    assert.deepStrictEqual(texts(call("{cut")), ["{cut"])
    assert.deepStrictEqual(texts(call("[1]")), ["[1]"])
    assert.deepStrictEqual(texts(call({ a: 1 })), ["a: 1"])
    const deep = "{\"a\":".repeat(300) + "1" + "}".repeat(300)
    assert.deepStrictEqual(texts(call(deep)), [deep])
  })

  it("saves what is whole in a bad line", () => {
    const good = line(user("good")).trimEnd()
    const cut = "{\"timestamp\":\"2026\",\"type\":\"response_item\",\"payload\":{\"type\":\"mess"
    assert.deepStrictEqual(texts(`${cut}${good}\n${good}${good}\n`), ["good", "good", "good"])
    assert.deepStrictEqual(warnings(said(format, `${cut}${good}\n`)), [`bad@0+${cut.length} not JSON`])
  })

  it("keys a line by its session, its place and what it says; an ordinal is its place", () => {
    const [first, second] = records(format, lines(user("a"), user("a"))).map(({ key }) => key)
    assert.notStrictEqual(first, second)
    const ordinal = (n: number, before: string) =>
      records(format, before + line({ ...user("a"), ordinal: n })).at(-1)?.key
    assert.strictEqual(ordinal(7, ""), ordinal(7, line(meta)))
    assert.notStrictEqual(ordinal(7, ""), ordinal(8, ""))
    const [other] = records(codex("s2", memoryTags), line(user("a")))
    assert.notStrictEqual(other?.key, first)
  })

  it("marks turns that were rolled back, and keeps them", () => {
    const back = (num_turns: number) => event({ type: "thread_rolled_back", num_turns })
    const onLeaf = (content: string) => {
      let offset = 0
      const rollbacks = content.split("\n").slice(0, -1).reduce((state, one) => {
        const next = Rollbacks.add(state, { bytes: Buffer.from(one), offset })
        offset += Buffer.byteLength(one) + 1
        return next
      }, Rollbacks.none)
      return records({ ...format, initial: { ...format.initial, rollbacks } }, content)
        .map(({ branch, text }) => `${text}${branch.on_leaf ? "" : "-"}`)
    }
    const turns = [
      user("<environment_context>"),
      user("1"),
      assistant("one"),
      user("2"),
      assistant("two"),
      user("3"),
      assistant("three")
    ]
    assert.deepStrictEqual(onLeaf(lines(meta, ...turns, back(1), user("4"))), [
      "<environment_context>",
      "1",
      "one",
      "2",
      "two",
      "3-",
      "three-",
      "4"
    ])
    assert.deepStrictEqual(
      onLeaf(lines(meta, ...turns, back(1), back(1), user("4"))).filter((text) => text.endsWith("-")),
      [
        "2-",
        "two-",
        "3-",
        "three-"
      ]
    )
    assert.deepStrictEqual(onLeaf(lines(meta, ...turns, back(99))).filter((text) => !text.endsWith("-")), [
      "<environment_context>"
    ])
    assert.deepStrictEqual(onLeaf(lines(meta, back(1), back(0), user("4"))), ["4"])
  })

  it("is called by the id in its name, wherever it is listed", () => {
    assert.strictEqual(sessionId("rollout-2026-05-01T12-00-00-0a1b-2c"), "0a1b-2c")
    assert.strictEqual(sessionId("rollout-x"), "x")
    assert.strictEqual(rollout("/c/rollout-2026-05-01T12-00-00-s9.jsonl").session_id, "s9")
  })
})
