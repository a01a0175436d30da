/**
 * `mem blame`: follows a memory, an evidence or a sentence down to the words in the archive and the bytes of the
 * transcript that they were read from, and checks on the way that they are still what was cited. By readers alone.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { hash } from "node:crypto"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { BlamedEvidence, BlamedMemory, BlamedRecord, BlameReport } from "../domain/BlameReport.ts"
import { type ConnectorName, type DocId, MemoryId } from "../domain/Ids.ts"
import type { Evidence } from "../domain/Memory.ts"
import type { MemoryPart } from "../domain/MemoryReport.ts"
import * as SessionRecords from "../log/SessionRecords.ts"
import { documentOf, type Lineage, lineage, type Whole } from "./Lineage.ts"
import { partsSaying } from "./Said.ts"
import type { RecordPlace } from "./Sessions.ts"

/**
 * Memory never had such an id, or nothing in it says the sentence.
 *
 * @since 0.1.0
 * @category errors
 */
export class NothingToBlame extends Schema.TaggedError<NothingToBlame>("mem/NothingToBlame")("NothingToBlame", {
  asked: Schema.String,
  isId: Schema.Boolean
}) {
  override get message(): string {
    return this.isId
      ? `there is no memory and no evidence ${this.asked}; "mem memory" lists them with their ids`
      : `no L1 session memory and no L2 consolidated memory says "${this.asked}"; give a sentence of "mem memory" word for `
        + "word, or an id, and find anything else with \"mem search\""
  }
}

const isId = /^L[012]:\S+$/

const memoryOf = ({ body, state }: Whole, parts: ReadonlyArray<MemoryPart>): BlamedMemory =>
  new BlamedMemory({
    level: body.level,
    id: body.id,
    profile: body.profile,
    ...(body.level === "L1" ? { connector: body.connector, session_key: body.session_key } : {}),
    state,
    parts
  })

/** What is asked for: memories, with the parts that are meant, and evidence. */
const meant = ({ current, live, whole }: Lineage, asked: string) =>
  Effect.gen(function*() {
    if (isId.test(asked)) {
      const id = MemoryId.make(asked)
      const memory = yield* whole(id)
      const memories = memory === undefined ? [] : [memoryOf(memory, memory.parts)]
      return { memories, ids: live.everAccepted(id) === undefined ? [] : [id] }
    }
    const memories = (yield* current).flatMap((memory) => {
      const parts = partsSaying(memory.body.text, memory.parts, asked)
      return parts.length === 0 ? [] : [memoryOf(memory, parts)]
    })
    return { memories, ids: [] }
  })

/** The Records of a session by where they stand, numbered as `mem get` counts them. */
const numbersOf = (connector: ConnectorName, doc_id: DocId) =>
  Effect.gen(function*() {
    const { records } = yield* LogReader
    const folded = yield* Stream.runFold(records(), SessionRecords.of(connector, doc_id), SessionRecords.step)
    return SessionRecords.positions(folded)
  })

const isAt = (place: RecordPlace) => ({ offset, segment }: RecordPlace["position"]): boolean =>
  segment === place.position.segment && offset === place.position.offset

const follow = ({ live, stateOf }: Lineage, positionsOf: typeof numbersOf) => (evidence: Evidence) =>
  Effect.gen(function*() {
    const { connector, id, level, profile, record_key, session_key, span, span_sha256, t } = evidence
    const pointer = { level, id, profile, connector, session_key, t, record_key, span, span_sha256, state: stateOf(id) }
    const place = live.placeOf(evidence)
    const { at } = yield* LogReader
    const line = place === undefined ? undefined : yield* at(place.position)
    if (place === undefined || line?.kind !== "record") return new BlamedEvidence({ ...pointer, holds: false })
    const { at: said, kind, origin, role, text, tool_name } = line.body
    const doc_id = documentOf(place)
    const words = text.slice(...span)
    return new BlamedEvidence({
      ...pointer,
      record: new BlamedRecord({
        doc_id,
        number: (yield* positionsOf(connector, doc_id)).findIndex(isAt(place)) + 1,
        role,
        block: kind,
        ...(tool_name === undefined ? {} : { tool_name }),
        at: said,
        ...(origin === undefined ? {} : { origin })
      }),
      holds: hash("sha256", words, "hex") === span_sha256,
      text: words.toWellFormed()
    })
  })

/**
 * Follows an id, such as `L1:…`, or a sentence.
 *
 * @since 0.1.0
 * @category programs
 */
export const blame = (
  asked: string
): Effect.Effect<BlameReport, NothingToBlame | LogReadError, LogReader> =>
  Effect.gen(function*() {
    const known = yield* lineage
    const { ids, memories } = yield* meant(known, asked)
    if (memories.length + ids.length === 0) {
      return yield* new NothingToBlame({ asked, isId: isId.test(asked) })
    }
    const all = new Set([...ids, ...memories.flatMap(({ parts }) => parts.flatMap(({ evidence }) => evidence))])
    const found = [...all].flatMap((id) => known.live.everAccepted(id) ?? [])
    // Each session is read once, whatever the number of its evidence.
    const sessions = new Map<string, Effect.Effect<ReadonlyArray<RecordPlace["position"]>, LogReadError, LogReader>>()
    const positionsOf: typeof numbersOf = (connector, doc_id) =>
      Effect.suspend(() => sessions.get(`${connector} ${doc_id}`) ?? numbersOf(connector, doc_id)).pipe(
        Effect.tap((positions) => sessions.set(`${connector} ${doc_id}`, Effect.succeed(positions)))
      )
    return new BlameReport({
      command: "blame",
      ok: true,
      asked,
      memories,
      evidence: yield* Effect.forEach(found, follow(known, positionsOf))
    })
  })
