/**
 * What an entry of a pi session says, block by block. The shape is told by the entry itself: a file of any version may
 * hold entries of another.
 *
 * @since 0.1.0
 */
import type { Derived, RecordKind, Role } from "../../domain/Record.ts"
import { stub } from "../Blob.ts"
import { isObject, type JsonObject, textIn } from "../Json.ts"
import { membersOf } from "../Members.ts"

/**
 * A block of an entry, or what is wrong with it.
 *
 * @since 0.1.0
 * @category models
 */
export type Said =
  | {
    readonly _tag: "Text"
    readonly role: Role
    readonly kind: RecordKind
    readonly text: string
    readonly tool_name?: string | undefined
    readonly tool_call_id?: string | undefined
    readonly is_error?: boolean | undefined
    readonly derived?: Derived["by"] | undefined
  }
  | { readonly _tag: "Unknown"; readonly type: string }
  | { readonly _tag: "Bad"; readonly detail: string }

type Text = Extract<Said, { readonly _tag: "Text" }>

const text = (role: Role, kind: RecordKind, value: unknown): Text => ({
  _tag: "Text",
  role,
  kind,
  text: textIn(value) ?? ""
})

const blockOf = (role: Role, block: unknown): Said => {
  if (typeof block === "string") return text(role, "text", block)
  if (!isObject(block)) return { _tag: "Bad", detail: "a block that is no block" }
  switch (block["type"]) {
    case "text":
      return text(role, "text", block["text"])
    case "thinking":
      return text(role, "thinking", block["thinking"])
    case "image": {
      const { data, mimeType } = block
      const image = typeof data === "string" ? stub("image", textIn(mimeType), data) : `[image ${membersOf(block)}]`
      return text(role, "attachment", image)
    }
    case "toolCall":
      return {
        ...text(role, "tool_call", membersOf(block["arguments"] ?? {})),
        tool_name: textIn(block["name"]),
        tool_call_id: textIn(block["id"])
      }
    default:
      return { _tag: "Unknown", type: `block ${textIn(block["type"]) ?? "without a type"}` }
  }
}

const blocksOf = (role: Role, content: unknown): ReadonlyArray<Said> => {
  if (typeof content === "string") return [text(role, "text", content)]
  return Array.isArray(content)
    ? content.map((block: unknown) => blockOf(role, block))
    : [{ _tag: "Bad", detail: "its content is no content" }]
}

/** One text, whatever it was made of: a result is one answer. */
const resultOf = ({ content, isError, toolCallId, toolName }: JsonObject): ReadonlyArray<Said> => {
  const parts = blocksOf("tool", content)
  return [
    {
      ...text("tool", "tool_result", parts.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")),
      tool_name: textIn(toolName),
      tool_call_id: textIn(toolCallId),
      is_error: typeof isError === "boolean" ? isError : undefined
    },
    ...parts.filter((part) => part._tag !== "Text")
  ]
}

/** What a person ran himself. He may have kept it from the model: then it is kept from memory too. */
const bashOf = ({ cancelled, command, excludeFromContext, exitCode, output }: JsonObject): ReadonlyArray<Said> => {
  if (excludeFromContext === true) return []
  const ran = { tool_name: "bash" }
  const is_error = cancelled === true || typeof exitCode === "number" && exitCode !== 0
  return [
    { ...text("user", "tool_call", command), ...ran },
    { ...text("tool", "tool_result", output), ...ran, is_error }
  ]
}

const derived = (by: Derived["by"], said: ReadonlyArray<Said>): ReadonlyArray<Said> =>
  said.map((one) => one._tag === "Text" ? { ...one, derived: by } : one)

/**
 * What a summary of compaction, or of an abandoned branch, says.
 *
 * @since 0.1.0
 * @category reading
 */
export const summaryOf = (summary: unknown): ReadonlyArray<Said> =>
  typeof summary === "string"
    ? derived("compaction", [text("system", "summary", summary)])
    : [{ _tag: "Bad", detail: "a summary without a text" }]

/**
 * What an extension put in.
 *
 * @since 0.1.0
 * @category reading
 */
export const customOf = (content: unknown): ReadonlyArray<Said> => derived("harness", blocksOf("system", content))

/**
 * What a message says.
 *
 * @since 0.1.0
 * @category reading
 */
export const messageOf = (message: JsonObject): ReadonlyArray<Said> => {
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
