/**
 * The rollouts of Codex. A line has no name of its own: a Record's key is made of the session, the line's place, and what
 * the line says.
 *
 * What is said twice, as an item and as an event, is read once. Items count; events do as long as no item with a message
 * has come, and an item that repeats such an event is left out.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { prompt } from "./Codex/Harness.ts"
import { eventOf, itemOf } from "./Codex/Item.ts"
import * as Rollbacks from "./Codex/Rollbacks.ts"
import { type Draft, metaOf, withoutSpans } from "./Draft.ts"
import type { Entry } from "./Entry.ts"
import { bad, block, type Format, type Part, unknown } from "./Format.ts"
import { canonical, isObject, type JsonObject, textIn } from "./Json.ts"
import { momentOf } from "./Moment.ts"
import type { Said } from "./Said.ts"
import { type Tags, tagsOf } from "./Spans.ts"
import * as Window from "./Window.ts"

/**
 * `hasItems` is whether the file's head holds an item with a message, `lastItem` where the last one stood; `told` is how often
 * an event said a text that no item has repeated yet.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly cwd: string | undefined
  readonly git_branch: string | undefined
  readonly model: string | undefined
  readonly tools: Window.Window<string>
  readonly told: Window.Window<number>
  readonly hasItems: boolean
  readonly lastItem: number
  readonly rollbacks: Rollbacks.Rollbacks
}

/** The instructions of an agent, which its first lines repeat, may take a hundred KiB. */
const head = 256 * 1024

const silent: ReadonlySet<unknown> = new Set(["world_state", "realtime_item"])

const isSilent = (type: string): boolean => silent.has(type) || type.startsWith("inter_agent_")

const lineTypes: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted"
])

const isLine = ({ payload, type }: JsonObject): boolean =>
  isObject(payload) && typeof type === "string" && (lineTypes.has(type) || isSilent(type))

const isMessage = (type: string, payload: JsonObject): boolean =>
  type === "response_item" && payload["type"] === "message"

/** What of the circumstances a line tells, from here on. */
const circumstances = (state: State, type: string, payload: JsonObject): State => {
  const { cwd, git, model } = payload
  const known = { cwd: textIn(cwd) ?? state.cwd, model: textIn(model) ?? state.model }
  const git_branch = type === "session_meta" && isObject(git) ? textIn(git["branch"]) : undefined
  return { ...state, ...known, git_branch: git_branch ?? state.git_branch }
}

const readsEvents = ({ hasItems, lastItem }: State, offset: number): boolean =>
  !hasItems && !Window.isInReach(lastItem, offset)

type Told = Window.Window<number>

const textName = ({ role, text }: Extract<Said, { readonly _tag: "Text" }>): string =>
  hash("sha256", `${role}\n${text}`, "hex")

/** Notes what an event said. */
const tell = (told: Told, said: ReadonlyArray<Said>, offset: number): Told =>
  said.reduce((told, one) => {
    if (one._tag !== "Text") return told
    const name = textName(one)
    return Window.set(told, name, (Window.get(told, name, offset) ?? 0) + 1, offset)
  }, told)

/** What of an item no event has said; each is repeated once. */
const untold = (before: Told, said: ReadonlyArray<Said>, offset: number): readonly [Told, ReadonlyArray<Said>] => {
  let told = before
  const left = said.filter((one) => {
    if (one._tag !== "Text") return true
    const name = textName(one)
    const times = Window.get(told, name, offset) ?? 0
    if (times > 0) told = Window.set(told, name, times - 1, offset)
    return times === 0
  })
  return [told, left]
}

/** What a line says that no line before it has said, and what was told so far. */
const saidIn = (
  state: State,
  type: string,
  payload: JsonObject,
  offset: number
): readonly [Told, ReadonlyArray<Said>] => {
  const { told } = state
  if (type === "compacted") {
    const { message } = payload
    return [told, [{ _tag: "Text", role: "system", kind: "summary", text: textIn(message) ?? "" }]]
  }
  if (type === "event_msg") {
    const said = readsEvents(state, offset) ? eventOf(payload) : []
    return [tell(told, said, offset), said]
  }
  const said = itemOf(payload)
  return isMessage(type, payload) ? untold(told, said, offset) : [told, said]
}

/** What the harness says before a prompt is a Record of its own; the prompt keeps the key. */
const withoutHarness = (draft: Draft, tags: Tags): ReadonlyArray<Draft> => {
  if (draft.role === "assistant") return withoutSpans(draft, new Map())
  if (draft.role !== "user" || draft.kind !== "text") return withoutSpans(draft, tags)
  const { harness, own } = prompt(draft.text)
  if (harness === "") return withoutSpans(draft, tags)
  return own.trim() === ""
    ? [{ ...draft, derived: "harness" }]
    : [
      { ...draft, key: `${draft.key}.d1`, text: harness, derived: "harness" },
      ...withoutSpans({ ...draft, text: own }, tags, 2)
    ]
}

const read = (session: string, tags: Tags) => (state: State, entry: Entry): readonly [State, ReadonlyArray<Part>] => {
  const { json, offset } = entry
  const { ordinal, payload } = json
  const type = textIn(json["type"])
  if (type === undefined) return [state, [bad("a line without a type")]]
  if (isSilent(type)) return [state, []]
  if (!lineTypes.has(type)) return [state, [unknown(type)]]
  if (!isObject(payload)) return [state, [bad("its payload is no object")]]
  if (type === "session_meta" || type === "turn_context") return [circumstances(state, type, payload), []]

  const [told, said] = saidIn(state, type, payload, offset)
  const place = typeof ordinal === "number" ? `#${ordinal}` : `@${offset}`
  const name = `codex:${hash("sha256", `${session}\n${place}\n${canonical(payload)}`, "hex")}`
  const of = {
    at: momentOf(json["timestamp"]),
    abandoned: Rollbacks.isAbandoned(state.rollbacks, offset),
    meta: metaOf(state),
    derived: type === "compacted" ? "compaction" as const : undefined
  }
  let { tools } = state
  const parts = said.flatMap((one, i): ReadonlyArray<Part> => {
    if (one._tag === "Bad") return [bad(one.detail)]
    if (one._tag === "Unknown") return [unknown(one.type)]
    const { kind, tool_call_id: id } = one
    if (kind === "tool_call" && id !== undefined && one.tool_name !== undefined) {
      tools = Window.set(tools, id, one.tool_name, offset)
    }
    const tool_name = one.tool_name ?? (id === undefined ? undefined : Window.get(tools, id, offset))
    return withoutHarness({ ...of, ...one, tool_name, key: `${name}#${i}` }, tags).map(block)
  })
  const after = { ...state, tools, told }
  return [
    isMessage(type, payload)
      ? { ...after, lastItem: offset, hasItems: state.hasItems || offset + entry.bytes.length < head }
      : after,
    parts
  ]
}

/**
 * The format, for the rollout of one session; `memoryTags` are those between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category constructors
 */
export const codex = (session: string, memoryTags: ReadonlyArray<string>): Format<State> => ({
  source: "codex",
  head,
  initial: {
    cwd: undefined,
    git_branch: undefined,
    model: undefined,
    tools: Window.empty(),
    told: Window.empty(),
    hasItems: false,
    lastItem: Number.NEGATIVE_INFINITY,
    rollbacks: Rollbacks.none
  },
  isLine,
  read: read(session, tagsOf(memoryTags, "injected-memory")),
  survey: (state, line) => ({ ...state, rollbacks: Rollbacks.add(state.rollbacks, line) })
})
