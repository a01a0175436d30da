/**
 * Sessions in memory, under full control: for tests of the engine, and for apps that make their Records themselves. It
 * counts what is asked of it. A cursor counts Records instead of bytes.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { hash } from "node:crypto"
import type { FetchLimits, SessionConnector } from "../../services/SourceConnector.ts"
import { RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import { defaultLimits } from "../../src/domain/ConnectorsFile.ts"
import { Cursor } from "../../src/domain/Cursor.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, DocId, Sha256, SourceUri } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import type { Record } from "../../src/domain/Record.ts"
import type { SourceWarning } from "../../src/domain/SessionRead.ts"
import { type SessionItem } from "../../src/domain/SessionRead.ts"

/**
 * A session, by its key, and what stands in it: Records, and lines that are none.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecSession {
  readonly id: string
  readonly items: ReadonlyArray<Record | SourceWarning>
}

/**
 * What was asked of the connector since the start, or since `resetCounts`.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecSessionCounts {
  readonly listings: number
  readonly reads: number
  readonly items: number
}

/**
 * Changes the sessions, and reads what was asked for. `put` moves a session's revision, `fail` has each reading of it
 * end in an error behind so many items, until it is put again.
 *
 * @since 0.1.0
 * @category models
 */
export interface VecSessionControl {
  readonly put: (session: VecSession) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
  readonly fail: (id: string, behind: number) => Effect.Effect<void>
  readonly counts: Effect.Effect<VecSessionCounts>
  readonly resetCounts: Effect.Effect<void>
}

interface Kept extends VecSession {
  readonly revision: number
  readonly fails: Option.Option<number>
}

interface State {
  readonly sessions: ReadonlyMap<string, Kept>
  readonly revision: number
  readonly counts: VecSessionCounts
}

const noCounts: VecSessionCounts = { listings: 0, reads: 0, items: 0 }

const put = (session: VecSession) => (state: State): State => {
  const revision = state.revision + 1
  const kept = { ...session, revision, fails: Option.none() }
  return { ...state, revision, sessions: new Map([...state.sessions, [session.id, kept]]) }
}

/** What stood before a place, so that a session that was written anew is read anew. */
const fingerprint = (items: VecSession["items"]): Sha256 =>
  Sha256.make(hash("sha256", JSON.stringify(items.map((item) => "text" in item ? [item.key, item.text] : "")), "hex"))

const cursorAt = ({ id, items }: VecSession, offset: number): Cursor =>
  new Cursor({ path: id, offset, tail_sha256: fingerprint(items.slice(0, offset)), next_seq: offset })

const fits = (session: VecSession, cursor: Cursor | undefined): cursor is Cursor =>
  cursor !== undefined && cursor.offset <= session.items.length
  && cursorAt(session, cursor.offset).tail_sha256 === cursor.tail_sha256

/**
 * A connector over these sessions, newest first, and its control. After every `cursorEach` items it says how far it has
 * come; they come one to a chunk of that size. A name or an id that breaks its schema is a defect.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  name: string,
  sessions: Iterable<VecSession>,
  { cursorEach = 64, limits }: { readonly cursorEach?: number; readonly limits?: Partial<FetchLimits> } = {}
): Effect.Effect<{ readonly connector: SessionConnector; readonly control: VecSessionControl }> =>
  Effect.gen(function*() {
    const empty: State = { sessions: new Map(), revision: 0, counts: noCounts }
    const ref = yield* Ref.make([...sessions].reduce((state, session) => put(session)(state), empty))
    const update = (change: (state: State) => State) => Ref.update(ref, change)
    const count = (change: (counts: VecSessionCounts) => VecSessionCounts) =>
      update((state) => ({ ...state, counts: change(state.counts) }))
    const root = `vec:///${name}`

    const list: SessionConnector["list"] = () =>
      Effect.gen(function*() {
        yield* count((counts) => ({ ...counts, listings: counts.listings + 1 }))
        const { sessions } = yield* Ref.get(ref)
        const refs = [...sessions.values()].sort((a, b) => b.revision - a.revision).map(({ id, items, revision }) =>
          new DocumentRef({
            doc_id: DocId.make(id),
            source_uri: SourceUri.make(`${root}/${encodeURIComponent(id)}`),
            revision: `r${revision}`,
            size: items.length
          })
        )
        return {
          coverage: "window",
          roots: [new ListingRoot({ uri: SourceUri.make(root), status: "readable" })],
          documents: Stream.fromIterable(refs)
        }
      })

    const records: SessionConnector["records"] = ({ doc_id }, cursor) =>
      Stream.unwrap(Effect.gen(function*() {
        yield* count((counts) => ({ ...counts, reads: counts.reads + 1 }))
        const session = (yield* Ref.get(ref)).sessions.get(doc_id)
        const failure = (detail: string) =>
          Stream.fail(new RecordSourceError({ source: doc_id, detail, advice: "run the command again" }))
        if (session === undefined) return failure("it is no longer there")
        const from = fits(session, cursor) ? cursor.offset : 0
        const end = Option.getOrElse(session.fails, () => session.items.length)
        const parts: Array<Chunk.Chunk<SessionItem>> = []
        for (let at = from; at < end; at += cursorEach) {
          const to = Math.min(end, at + cursorEach)
          const whole = to < end || Option.isNone(session.fails)
          parts.push(Chunk.unsafeFromArray([
            ...session.items.slice(at, to),
            ...(whole ? [cursorAt(session, to)] : [])
          ]))
        }
        if (parts.length === 0 && Option.isNone(session.fails)) parts.push(Chunk.of(cursorAt(session, from)))
        const items = Stream.fromChunks(...parts).pipe(
          Stream.mapChunksEffect((part) => {
            const more = [...part].filter((item) => !(item instanceof Cursor)).length
            return Effect.as(count((counts) => ({ ...counts, items: counts.items + more })), part)
          })
        )
        return Option.isNone(session.fails) ? items : Stream.concat(items, failure("the reading broke off"))
      }))

    return {
      connector: {
        source_type: "session",
        name: ConnectorName.make(name),
        kind: "vec-sessions",
        limits: { ...defaultLimits, ...limits },
        list,
        records
      },
      control: {
        put: (session) => update(put(session)),
        remove: (id) =>
          update((state) => ({ ...state, sessions: new Map([...state.sessions].filter(([key]) => key !== id)) })),
        fail: (id, behind) =>
          update((state) => {
            const session = state.sessions.get(id)
            return session === undefined ? state : {
              ...state,
              revision: state.revision + 1,
              sessions: new Map([
                ...state.sessions,
                [id, { ...session, revision: state.revision + 1, fails: Option.some(behind) }]
              ])
            }
          }),
        counts: Effect.map(Ref.get(ref), ({ counts }) => counts),
        resetCounts: count(() => noCounts)
      }
    }
  })
