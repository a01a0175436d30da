/**
 * What an entry of a pi session says, block by block. The shape is told by the entry itself: a file of any version may
 * hold entries of another.
 *
 * @since 0.1.0
 */
import type { Derived } from "../../domain/Record.ts"
import { described } from "../Blob.ts"
import { type JsonObject, textIn } from "../Json.ts"
import { membersOf } from "../Members.ts"
import * as Said from "../Said.ts"
import { text } from "../Said.ts"

const blocksOf = Said.blocksOf((role, block) => {
  switch (block["type"]) {
    case "text":
      return text(role, "text", block["text"])
    case "thinking":
      return text(role, "thinking", block["thinking"])
    case "image": {
      const { data, mimeType } = block
      const image = typeof data === "string"
        ? described("image", textIn(mimeType), data)
        : `[image ${membersOf(block)}]`
      return text(role, "attachment", image)
    }
    case "toolCall":
      return {
        ...text(role, "tool_call", membersOf(block["arguments"] ?? {})),
        tool_name: textIn(block["name"]),
        tool_call_id: textIn(block["id"])
      }
    default:
      return undefined
  }
})

/** One text, whatever it was made of: a result is one answer. */
const resultOf = ({ content, isError, toolCallId, toolName }: JsonObject): ReadonlyArray<Said.Said> => {
  const parts = blocksOf("tool", content)
  return [
    {
      ...text("tool", "tool_result", Said.joined(parts)),
      tool_name: textIn(toolName),
      tool_call_id: textIn(toolCallId),
      is_error: typeof isError === "boolean" ? isError : undefined
    },
    ...parts.filter((part) => part._tag !== "Text")
  ]
}

/** What a person ran himself. He may have kept it from the model: then it is kept from memory too. */
const bashOf = ({ cancelled, command, excludeFromContext, exitCode, output }: JsonObject): ReadonlyArray<Said.Said> => {
  if (excludeFromContext === true) return []
  const ran = { tool_name: "bash" }
  const is_error = cancelled === true || typeof exitCode === "number" && exitCode !== 0
  return [
    { ...text("user", "tool_call", command), ...ran },
    { ...text("tool", "tool_result", output), ...ran, is_error }
  ]
}

const derived = (by: Derived["by"], said: ReadonlyArray<Said.Said>): ReadonlyArray<Said.Said> =>
  said.map((one) => one._tag === "Text" ? { ...one, derived: by } : one)

/**
 * What a summary of compaction, or of an abandoned branch, says.
 *
 * @since 0.1.0
 * @category reading
 */
export const summaryOf = (summary: unknown): ReadonlyArray<Said.Said> =>
  typeof summary === "string"
    ? derived("compaction", [text("system", "summary", summary)])
    : [{ _tag: "Bad", detail: "a summary without a text" }]

/**
 * What an extension put in.
 *
 * @since 0.1.0
 * @category reading
 */
export const customOf = (content: unknown): ReadonlyArray<Said.Said> => derived("harness", blocksOf("system", content))

/**
 * What a message says.
 *
 * @since 0.1.0
 * @category reading
 */
export const messageOf = (message: JsonObject): ReadonlyArray<Said.Said> => {
  switch (message["role"]) {
    case "user":
      return blocksOf("user", message["content"])
    case "assistant":
      return blocksOf("assistant", message["content"])
    case "toolResult":
      return resultOf(message)
    case "bashExecution":
      return bashOf(message)
    case "custom":
    case "hookMessage":
      return customOf(message["content"])
    case "compactionSummary":
    case "branchSummary":
      return summaryOf(message["summary"])
    default:
      return [{ _tag: "Unknown", type: `message of ${textIn(message["role"]) ?? "nobody"}` }]
  }
}
