/**
 * The transcripts of Claude Code. A line is a message with its blocks; the lines of one answer are several, and copies
 * of old lines keep their names, so that a Record's key is the line's own uuid and the number of the block.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { Derived, Role } from "../domain/Record.ts"
import { contentOf } from "./ClaudeCode/Content.ts"
import { harnessTags, lineDerived, textDerived } from "./ClaudeCode/Derived.ts"
import { isLine, isSilent, isTalk, isTitle } from "./ClaudeCode/LineType.ts"
import { note, type Snapshots } from "./ClaudeCode/Snapshots.ts"
import { type Draft, metaOf, withoutSpans } from "./Draft.ts"
import type { Entry } from "./Entry.ts"
import { bad, block, type Format, type Part, unknown } from "./Format.ts"
import { isObject, type JsonObject, textIn } from "./Json.ts"
import { momentOf } from "./Moment.ts"
import { type Tags, tagsOf } from "./Spans.ts"
import * as Window from "./Window.ts"

/**
 * The names of the tools by the ids of their calls, and the blocks of answers that may still grow.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly tools: Window.Window<string>
  readonly snapshots: Snapshots
}

const keyPrefix = "claude:"

/** A line without a name is called by its bytes. */
const nameOf = ({ bytes, json }: Entry): string => textIn(json["uuid"]) ?? `line-${hash("sha256", bytes, "hex")}`

/** What the lines of a side chain are called together, where they stand in the file of their session. */
const sidechainOf = ({ agentId, isSidechain }: JsonObject): string | undefined =>
  isSidechain === true ? `agent-${textIn(agentId) ?? "unnamed"}` : undefined

const roleOf = (kind: Draft["kind"], role: Role): Role => kind === "tool_result" ? "tool" : role

/** An output too large for its line begins so, names the file that holds it, and shows how it starts. */
const persisted = /^\s*<persisted-output>[^/~]{0,512}?saved to:? *([^\r\n]+)/

const titleOf = ({ aiTitle, customTitle, summary, title }: JsonObject): string | undefined =>
  textIn(summary) ?? textIn(aiTitle) ?? textIn(customTitle) ?? textIn(title)

const read = (tags: Tags) => (state: State, entry: Entry): readonly [State, ReadonlyArray<Part>] => {
  const { json, offset } = entry
  const type = textIn(json["type"])
  if (type === undefined) return [state, [bad("a line without a type")]]
  const meta = { cwd: textIn(json["cwd"]), git_branch: textIn(json["gitBranch"]) }
  const at = momentOf(json["timestamp"])
  if (isTitle(type)) {
    const text = titleOf(json)
    return [
      state,
      text === undefined ? [] : [block({
        key: `${keyPrefix}title:${
          hash("sha256", `${textIn(json["leafUuid"]) ?? textIn(json["sessionId"])}\n${text}`, "hex")
        }`,
        role: "system",
        kind: "summary",
        text,
        at,
        derived: "title",
        meta: metaOf(meta)
      })]
    ]
  }
  if (isSilent(type)) return [state, []]
  if (!isTalk(type)) return [state, [unknown(type)]]

  const { message } = json
  const content = isObject(message) ? message["content"] : undefined
  if (!isObject(message) || !(typeof content === "string" || Array.isArray(content))) {
    return [state, [bad("its message is no message")]]
  }
  const role = type === "assistant" ? "assistant" : "user"
  const answer = role === "assistant" ? textIn(message["id"]) : undefined
  const parent = textIn(json["parentUuid"])
  const ofLine = {
    at,
    meta: metaOf({ ...meta, model: textIn(message["model"]) }),
    parent_key: parent === undefined ? undefined : `${keyPrefix}${parent}#0`,
    sidechain: sidechainOf(json)
  }
  const derived = lineDerived(json)
  const name = nameOf(entry)
  const parts: Array<Part> = []
  let { snapshots, tools } = state

  const blocks: ReadonlyArray<unknown> = typeof content === "string" ? [content] : content
  for (const [i, one] of blocks.entries()) {
    for (const part of contentOf(one)) {
      if (part._tag === "Bad") parts.push(bad(part.detail))
      else if (part._tag === "Unknown") parts.push(unknown(part.type))
      else {
        const { is_error, kind, text, tool_call_id: call } = part
        if (kind === "tool_call" && call !== undefined && part.tool_name !== undefined) {
          tools = Window.set(tools, call, part.tool_name, offset)
        }
        const key = `${keyPrefix}${name}#${i}`
        let supersedes: string | undefined = undefined
        if (answer !== undefined) {
          const which = `${answer} ${kind} ${call ?? ""}`
          const noted = note(snapshots, which, { key, line: offset, text })
          snapshots = noted[0]
          supersedes = noted[1]
        }
        const by: Derived["by"] | undefined = derived
          ?? (role === "user" && kind === "text" ? textDerived(text) : undefined)
        const draft: Draft = {
          ...ofLine,
          key,
          role: roleOf(kind, role),
          kind,
          text,
          tool_name: part.tool_name ?? (call === undefined ? undefined : Window.get(tools, call, offset)),
          tool_call_id: call,
          is_error,
          derived: by,
          supersedes
        }
        const saved = kind === "tool_result" ? persisted.exec(text)?.[1]?.trim() : undefined
        // What an agent says is its own, whatever tags it writes.
        parts.push(...withoutSpans(draft, role === "assistant" ? new Map() : tags).map(block))
        if (saved !== undefined) parts.push({ _tag: "Elsewhere", draft: { ...draft, key: `${key}.saved` }, saved })
      }
    }
  }
  return [{ snapshots, tools }, parts]
}

/**
 * The format; `memoryTags` are those between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category constructors
 */
export const claudeCode = (memoryTags: ReadonlyArray<string>): Format<State> => ({
  source: "claude-code",
  head: 0,
  initial: { tools: Window.empty(), snapshots: Window.empty() },
  isLine,
  read: read(new Map([...tagsOf(memoryTags, "injected-memory"), ...tagsOf(harnessTags, "harness")]))
})
