/**
 * The sessions of pi. pi rewrites a file when its format changes, and gives old entries new ids at random, so that a
 * Record's key is made of what was said and when: it is the same before and after, and in every fork.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { type Draft, metaOf, withoutSpans } from "./Draft.ts"
import type { Entry } from "./Entry.ts"
import { bad, block, type Format, type Part, unknown } from "./Format.ts"
import { canonical, isObject, type JsonObject, textIn } from "./Json.ts"
import { momentOf } from "./Moment.ts"
import { customOf, messageOf, summaryOf } from "./Pi/Message.ts"
import * as Tree from "./Pi/Tree.ts"
import type { Said } from "./Said.ts"
import { type Tags, tagsOf } from "./Spans.ts"
import * as Window from "./Window.ts"

/**
 * `names` are those that entries were given here, by their ids in the file; `places` are those of entries that say the
 * same at the same time.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly isHeaded: boolean
  readonly cwd: string | undefined
  readonly names: Window.Window<string>
  readonly places: Window.Window<ReadonlyArray<number>>
  readonly tree: Tree.Tree
  /** Known once the first entry is read. */
  readonly abandoned: ReadonlySet<string> | undefined
}

/** Headers are found this far from the front, whatever stands before them. */
const head = 64 * 1024

const lastVersion = 3

/** Entries that hold nothing that was said. */
const silent: ReadonlySet<unknown> = new Set([
  "model_change",
  "thinking_level_change",
  "label",
  "custom",
  "session_info",
  "title"
])

const talk: ReadonlySet<unknown> = new Set(["message", "compaction", "branch_summary", "custom_message"])

const isLine = ({ message, type }: JsonObject): boolean =>
  type === "message" ? isObject(message) : type === "session" || talk.has(type) || silent.has(type)

const saidIn = (entry: JsonObject): ReadonlyArray<Said> => {
  const { message, type } = entry
  if (type === "custom_message") return customOf(entry["content"])
  if (type !== "message") return summaryOf(entry["summary"])
  return isObject(message) ? messageOf(message) : [{ _tag: "Bad", detail: "its message is no message" }]
}

/** What of an entry is the same wherever it stands. */
const lasting = ({ message, ...entry }: JsonObject): unknown => {
  if (isObject(message)) return message["role"] === "hookMessage" ? { ...message, role: "custom" } : message
  return Object.fromEntries(
    Object.entries(entry).filter(([name]) => name !== "id" && name !== "parentId" && !name.startsWith("firstKept"))
  )
}

const nameOf = (json: JsonObject): string =>
  `pi:${hash("sha256", `pi\n${canonical(json["timestamp"])}\n${canonical(lasting(json))}`, "hex")}`

const headed = (state: State, { cwd, version }: JsonObject): readonly [State, ReadonlyArray<Part>] => [
  state.isHeaded ? state : { ...state, isHeaded: true, cwd: textIn(cwd) },
  typeof version === "number" && version > lastVersion ? [unknown(`session of version ${version}`)] : []
]

const read = (tags: Tags) => (before: State, { json, offset }: Entry): readonly [State, ReadonlyArray<Part>] => {
  const state: State & { readonly abandoned: ReadonlySet<string> } = {
    ...before,
    abandoned: before.abandoned ?? Tree.abandoned(before.tree),
    tree: Tree.empty
  }
  const type = textIn(json["type"])
  if (type === undefined) return [state, [bad("an entry without a type")]]
  if (type === "session") return headed(state, json)
  if (silent.has(type)) return [state, []]
  if (!talk.has(type)) return [state, [unknown(type)]]

  const name = nameOf(json)
  const places = (Window.get(state.places, name, offset) ?? []).filter((at) => Window.isInReach(at, offset))
  const own = places.length === 0 ? name : `${name}~${places.length}`
  const id = textIn(json["id"])
  const parent = textIn(json["parentId"])
  const parentName = parent === undefined ? undefined : Window.get(state.names, parent, offset)
  const message = isObject(json["message"]) ? json["message"] : {}
  const ofEntry = {
    at: momentOf(json["timestamp"]) ?? momentOf(message["timestamp"]),
    parent_key: parentName === undefined ? undefined : `${parentName}#0`,
    abandoned: id !== undefined && state.abandoned.has(id),
    meta: metaOf({ cwd: state.cwd, model: textIn(message["model"]) })
  }
  const parts = saidIn(json).flatMap((said, i): ReadonlyArray<Part> => {
    if (said._tag === "Bad") return [bad(said.detail)]
    if (said._tag === "Unknown") return [unknown(said.type)]
    const draft: Draft = { ...ofEntry, ...said, key: `${own}#${i}` }
    return withoutSpans(draft, said.role === "assistant" ? new Map() : tags).map(block)
  })
  return [{
    ...state,
    names: id === undefined ? state.names : Window.set(state.names, id, own, offset),
    places: Window.set(state.places, name, [...places, offset], offset)
  }, parts]
}

/**
 * The format; `memoryTags` are those between which memory tools put what they recall.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pi = (memoryTags: ReadonlyArray<string>): Format<State> => ({
  source: "pi",
  head,
  initial: {
    isHeaded: false,
    cwd: undefined,
    names: Window.empty(),
    places: Window.empty(),
    tree: Tree.empty,
    abandoned: undefined
  },
  isLine,
  read: read(tagsOf(memoryTags, "injected-memory")),
  survey: (state, { bytes }) => ({ ...state, tree: Tree.add(state.tree, bytes) })
})
