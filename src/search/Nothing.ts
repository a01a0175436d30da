/**
 * Why a search found nothing, where what was asked for cannot be there at all: a tool that nobody used, a connector without
 * sessions, a time before the first Record. What is there is read from the log; nothing of it where it has no part in it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import type { SearchQuery } from "../../services/Search.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import { apply, type Change, empty } from "../log/Live.ts"
import { some } from "../text/Amounts.ts"
import { matcher } from "../text/Glob.ts"
import type { RecordFilter } from "./search.ts"

/** What memory holds, as far as a search can ask for it. */
interface Held {
  readonly connectors: Set<ConnectorName>
  readonly passages: Set<ConnectorName>
  readonly doc_ids: Set<string>
  readonly tools: Set<string>
  readonly roles: Set<string>
  readonly projects: Set<string>
  readonly moments: { oldest: string; newest: string } | undefined
  readonly remembered: boolean
}

const nothing = (): Held => ({
  connectors: new Set(),
  passages: new Set(),
  doc_ids: new Set(),
  tools: new Set(),
  roles: new Set(),
  projects: new Set(),
  moments: undefined,
  remembered: false
})

/** Of the connector that is asked for, or of all. The sets are the fold's own and grow in place. */
const take = (held: Held, change: Change, only: ConnectorName | undefined): Held => {
  if (change._tag === "Memory") return { ...held, remembered: true }
  if (change._tag === "Vector") return held
  const { commit: { connector }, records } = change
  if (only !== undefined && connector !== only) return held
  let { moments } = held
  if (records.length > 0) held.connectors.add(connector)
  for (const { record: { at, meta, role, tool_name } } of records) {
    held.roles.add(role)
    if (tool_name !== undefined) held.tools.add(tool_name)
    if (meta.cwd !== undefined) held.projects.add(meta.cwd)
    if (at === null) continue
    moments = moments === undefined
      ? { oldest: at, newest: at }
      : { oldest: at < moments.oldest ? at : moments.oldest, newest: at > moments.newest ? at : moments.newest }
  }
  return { ...held, moments }
}

const held = (only: ConnectorName | undefined): Effect.Effect<Held, LogReadError, LogReader> =>
  Effect.gen(function*() {
    const { records } = yield* LogReader
    const [live, found] = yield* Stream.runFold(records(), [empty, nothing()] as const, ([live, found], line) => {
      const [after, changes] = apply(live, line)
      return [after, changes.reduce((held, change) => take(held, change, only), found)] as const
    })
    for (const { commit: { connector, doc_id, removed }, passages } of HashMap.values(live.documents)) {
      if (removed === true || only !== undefined && connector !== only) continue
      found.doc_ids.add(doc_id)
      if (passages.length > 0) found.passages.add(connector)
    }
    return found
  })

const listed = (names: ReadonlySet<string>): string =>
  names.size === 0 ? "there is none" : `there is ${some([...names].sort())}`

const ofTool = (tool: string, { tools }: Held): string | undefined => {
  if (tools.has(tool)) return undefined
  const alike = [...tools].filter((name) => name.toLowerCase() === tool.toLowerCase())
  return alike.length > 0
    ? `the tool is called ${some(alike)}, not ${tool}`
    : `no tool ${tool} was used in sessions; ${listed(tools)}`
}

const ofTime = ({ since, until }: RecordFilter, { moments }: Held): string | undefined =>
  moments === undefined
    ? undefined
    : since !== undefined && since > moments.newest
    ? `the newest of what was said in sessions is of ${moments.newest}`
    : until !== undefined && until <= moments.oldest
    ? `the oldest of what was said in sessions is of ${moments.oldest}`
    : undefined

const ofRecords = (filter: RecordFilter, held: Held, connector: ConnectorName | undefined): string | undefined => {
  const { project, role, since, tool, until } = filter
  if (held.connectors.size === 0) {
    const asked = Object.keys(filter).map((name) => `--${name}`).join(", ")
    return `${asked} look${Object.keys(filter).length === 1 ? "s" : ""} in sessions alone, and ${
      connector === undefined ? "no session is in memory" : `${connector} has none in memory`
    }`
  }
  if (tool !== undefined && !held.tools.has(tool)) return ofTool(tool, held)
  if (role !== undefined && !held.roles.has(role)) return `nothing in sessions is of ${role}; ${listed(held.roles)}`
  if (project !== undefined && ![...held.projects].some(matcher([project]))) {
    return `no session is of a project that matches ${project}; ${listed(held.projects)}`
  }
  return since === undefined && until === undefined ? undefined : ofTime(filter, held)
}

const ofHits = ({ connector, levels, mode, path }: SearchQuery, held: Held): string | undefined => {
  if (path !== undefined && ![...held.doc_ids].some(matcher([path]))) return `no document or session matches ${path}`
  if (levels !== undefined && !levels.includes("R") && !held.remembered) {
    return "nothing is remembered of sessions yet; \"mem memory\" says what it takes"
  }
  if (mode === "vector" && held.passages.size === 0 && !held.remembered) {
    return `${
      connector ?? "memory"
    } holds no passages, and what sessions hold is found by its words: leave out --mode vector`
  }
  return undefined
}

/** An open end: a home that was never synced is told without reading on. */
const isEmpty = Effect.flatMap(LogReader, ({ records }) =>
  Effect.map(
    Stream.runHead(Stream.filter(records(), ({ record: { kind } }) => kind === "commit")),
    Option.isNone
  ))

/**
 * What there is to say to somebody who was told nothing; none where only the words were not there.
 *
 * @since 0.1.0
 * @category programs
 */
export const whyNothing = (
  query: SearchQuery,
  filter?: RecordFilter
): Effect.Effect<string | undefined, LogReadError, LogReader> =>
  Effect.gen(function*() {
    if (yield* isEmpty) return "nothing is in memory yet; run \"mem sync\""
    const { connector, levels, mode, path } = query
    if (filter === undefined && levels === undefined && path === undefined && mode !== "vector") return undefined
    const found = yield* held(connector)
    return (filter === undefined ? undefined : ofRecords(filter, found, connector)) ?? ofHits(query, found)
  })
