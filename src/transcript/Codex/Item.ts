/**
 * What an item of a Codex rollout says. Only one of its layers is read: the items that went to the model and came from
 * it. Events tell the same once more, and count where there is nothing else.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { imageAt } from "../Blob.ts"
import { isObject, isTooDeep, type JsonObject, textIn } from "../Json.ts"
import { membersOf } from "../Members.ts"
import * as Said from "../Said.ts"
import { text } from "../Said.ts"

const blocksOf = Said.blocksOf((role, block) => {
  switch (block["type"]) {
    case "input_text":
    case "output_text":
    case "text":
    case "Text":
      return text(role, "text", block["text"])
    case "input_image":
    case "image": {
      const url = textIn(block["image_url"])
      return text(role, "attachment", url === undefined ? `[image ${membersOf(block)}]` : imageAt(url))
    }
    default:
      return undefined
  }
})

const parsed = (json: string): unknown => {
  const value = Either.getOrUndefined(Either.try((): unknown => JSON.parse(json)))
  return isTooDeep(value) ? undefined : value
}

/** Arguments are a text of JSON; what is none is taken as it is. */
const argumentsOf = (value: unknown): string => {
  if (typeof value !== "string") return membersOf(value ?? {})
  const json = parsed(value)
  return isObject(json) ? membersOf(json) : value.toWellFormed()
}

const call = (payload: JsonObject, name: string | undefined, words: string): ReadonlyArray<Said.Said> => [{
  ...text("assistant", "tool_call", words),
  tool_name: name,
  tool_call_id: textIn(payload["call_id"]) ?? textIn(payload["id"])
}]

/** An output is a text, a text of JSON around one, an object around one, or blocks. */
const outputOf = (payload: JsonObject): ReadonlyArray<Said.Said> => {
  const { output } = payload
  const json = typeof output === "string" && output.startsWith("{") ? parsed(output) : output
  const inner = isObject(json) ? json["output"] ?? json["content"] : undefined
  const content = typeof inner === "string" || Array.isArray(inner) ? inner : output
  const parts = Array.isArray(content) ? blocksOf("tool", content) : []
  const { exit_code } = isObject(json) && isObject(json["metadata"]) ? json["metadata"] : {}
  const success = isObject(json) ? json["success"] : undefined
  return [
    {
      ...text(
        "tool",
        "tool_result",
        Array.isArray(content)
          ? Said.joined(parts)
          : typeof content === "string"
          ? content
          : membersOf(content ?? "")
      ),
      tool_call_id: textIn(payload["call_id"]),
      is_error: typeof exit_code === "number"
        ? exit_code !== 0
        : typeof success === "boolean"
        ? !success
        : undefined
    },
    ...parts.filter((part) => part._tag !== "Text")
  ]
}

/** Those hold nothing that was said, or hold it in a way that nobody can read. */
const silent: ReadonlySet<unknown> = new Set([
  "reasoning",
  "ghost_snapshot",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction"
])

/**
 * What an item says; nothing, where it is a word to the model that no person said.
 *
 * @since 0.1.0
 * @category reading
 */
export const itemOf = (payload: JsonObject): ReadonlyArray<Said.Said> => {
  const { action, role, type } = payload
  switch (type) {
    case "message":
      if (role === "developer" || role === "system") return []
      return role === "user" || role === "assistant"
        ? blocksOf(role, payload["content"])
        : [{ _tag: "Unknown", type: `message of ${textIn(role) ?? "nobody"}` }]
    case "function_call":
      return call(payload, textIn(payload["name"]), argumentsOf(payload["arguments"]))
    case "custom_tool_call":
      return call(payload, textIn(payload["name"]), argumentsOf(payload["input"]))
    case "local_shell_call":
      return call(payload, "local_shell", membersOf(action ?? {}))
    case "web_search_call":
      return call(payload, "web_search", membersOf(action ?? {}))
    case "function_call_output":
    case "custom_tool_call_output":
      return outputOf(payload)
    default:
      if (silent.has(type)) return []
      return [{ _tag: "Unknown", type: `response_item ${textIn(type) ?? "without a type"}` }]
  }
}

/**
 * What an event says that a person or the model said; nothing for all others.
 *
 * @since 0.1.0
 * @category reading
 */
export const eventOf = (payload: JsonObject): ReadonlyArray<Said.Said> => {
  const { item, message, type } = payload
  if (type === "user_message") return [text("user", "text", message)]
  if (type === "agent_message") return [text("assistant", "text", message)]
  if (type !== "item_completed" || !isObject(item)) return []
  if (item["type"] === "UserMessage") return blocksOf("user", item["content"])
  return item["type"] === "AgentMessage" ? blocksOf("assistant", item["content"]) : []
}
