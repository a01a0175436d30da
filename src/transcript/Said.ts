/**
 * What a line of a transcript says, block by block: what the readers of formats share that have a role for each block.
 *
 * @since 0.1.0
 */
import type { Derived, RecordKind, Role } from "../domain/Record.ts"
import { isObject, type JsonObject, textIn } from "./Json.ts"

/**
 * A block, the type that nobody knows, or what is wrong with it.
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

/**
 * A block of text; what is no text says nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const text = (role: Role, kind: RecordKind, value: unknown): Text => ({
  _tag: "Text",
  role,
  kind,
  text: textIn(value) ?? ""
})

/**
 * The blocks of a message: a text alone, or a list of texts and of what the format's own `blockOf` understands. Where
 * that has no answer, the type of the block is unknown.
 *
 * @since 0.1.0
 * @category reading
 */
export const blocksOf = (blockOf: (role: Role, block: JsonObject) => Said | undefined) =>
(
  role: Role,
  content: unknown
): ReadonlyArray<Said> => {
  const said = (block: unknown): Said => {
    if (typeof block === "string") return text(role, "text", block)
    if (!isObject(block)) return { _tag: "Bad", detail: "a block that is no block" }
    return blockOf(role, block) ?? { _tag: "Unknown", type: `block ${textIn(block["type"]) ?? "without a type"}` }
  }
  if (typeof content === "string") return [text(role, "text", content)]
  return Array.isArray(content) ? content.map(said) : [{ _tag: "Bad", detail: "its content is no content" }]
}

/**
 * The texts among these, in one.
 *
 * @since 0.1.0
 * @category reading
 */
export const joined = (parts: ReadonlyArray<Said>): string =>
  parts.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")
