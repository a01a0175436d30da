/**
 * The blocks of a message as text: what was said, thought, called and answered; what is no text as a description.
 *
 * @since 0.1.0
 */
import type { RecordKind } from "../../domain/Record.ts"
import { described, imageAt } from "../Blob.ts"
import { isObject, type JsonObject, textIn } from "../Json.ts"
import { membersOf } from "../Members.ts"

/**
 * A block as text.
 *
 * @since 0.1.0
 * @category models
 */
export interface Text {
  readonly _tag: "Text"
  readonly kind: RecordKind
  readonly text: string
  readonly tool_name?: string | undefined
  readonly tool_call_id?: string | undefined
  readonly is_error?: boolean | undefined
}

/**
 * A block: its text, or the type that nobody knows, or that it is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Content =
  | Text
  | { readonly _tag: "Unknown"; readonly type: string }
  | { readonly _tag: "Bad"; readonly detail: string }

const text = (kind: RecordKind, value: unknown): Text => ({ _tag: "Text", kind, text: textIn(value) ?? "" })

/** An image or a document: given whole, by its address, or as text. */
const sourced = (what: "image" | "document", { source, title }: JsonObject): Content => {
  if (!isObject(source)) return { _tag: "Bad", detail: `${what} without a source` }
  const { content, data, media_type, type, url } = source
  const named = textIn(title)
  const name = (description: string) => named === undefined ? description : `${named}\n${description}`
  if (type === "text") return text("attachment", data)
  if (type === "content") return text("attachment", partsOf(content).text)
  const at = textIn(url)
  if (at !== undefined) return text("attachment", name(what === "image" ? imageAt(at) : `[document ${at}]`))
  return typeof data === "string"
    ? text("attachment", name(described(what, textIn(media_type), data)))
    : text("attachment", name(`[${what} ${membersOf(source)}]`))
}

/** The parts of a result, or of a document, in one text. */
const partsOf = (content: unknown): { readonly text: string; readonly unknown: ReadonlyArray<string> } => {
  if (typeof content === "string") return { text: content.toWellFormed(), unknown: [] }
  if (!Array.isArray(content)) return { text: content === undefined ? "" : membersOf(content), unknown: [] }
  const texts: Array<string> = []
  const unknown: Array<string> = []
  for (const part of content) {
    const one = partOf(part)
    if (one._tag === "Text") texts.push(one.text)
    else {
      if (one._tag === "Unknown") unknown.push(one.type)
      // Whatever it is, a result without it would say something else.
      texts.push(membersOf(part))
    }
  }
  return { text: texts.filter((one) => one !== "").join("\n"), unknown }
}

const partOf = (part: unknown): Content => {
  if (!isObject(part)) return text("text", typeof part === "string" ? part : membersOf(part))
  switch (part["type"]) {
    case "text":
      return text("text", part["text"])
    case "image":
      return sourced("image", part)
    case "document":
      return sourced("document", part)
    case "tool_reference":
      return text("text", `[tool_reference ${textIn(part["tool_name"]) ?? textIn(part["name"]) ?? membersOf(part)}]`)
    default:
      return { _tag: "Unknown", type: `result part ${textIn(part["type"]) ?? "without a type"}` }
  }
}

const call = ({ id, input, name }: JsonObject): Content => ({
  ...text("tool_call", membersOf(input ?? {})),
  tool_name: textIn(name),
  tool_call_id: textIn(id)
})

const result = ({ content, is_error, tool_use_id }: JsonObject): ReadonlyArray<Content> => {
  const { text: answer, unknown } = partsOf(content)
  return [
    {
      ...text("tool_result", answer),
      tool_call_id: textIn(tool_use_id),
      is_error: typeof is_error === "boolean" ? is_error : undefined
    },
    ...unknown.map((type): Content => ({ _tag: "Unknown", type }))
  ]
}

/**
 * What a block of a message is. A block of an unknown type is named, and its text, where it has one, is kept.
 *
 * @since 0.1.0
 * @category reading
 */
export const contentOf = (block: unknown): ReadonlyArray<Content> => {
  if (typeof block === "string") return [text("text", block)]
  if (!isObject(block)) return [{ _tag: "Bad", detail: "a block that is no block" }]
  const type = textIn(block["type"]) ?? ""
  switch (type) {
    case "text":
      return [text("text", block["text"])]
    case "thinking":
      return [text("thinking", block["thinking"])]
    case "redacted_thinking":
      return []
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return [call(block)]
    case "image":
      return [sourced("image", block)]
    case "document":
      return [sourced("document", block)]
    default:
      if (type.endsWith("tool_result")) return result(block)
      return [{ _tag: "Unknown", type: `block ${type || "without a type"}` }, text("text", block["text"])]
  }
}
