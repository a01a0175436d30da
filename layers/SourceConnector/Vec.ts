/**
 * Documents in memory, under full control: the harness of every test of the sync engine, and a connector for apps that
 * make their documents themselves. A test changes the documents, what the listing says of them and how a fetch goes,
 * and reads what the engine asked for. Nothing in here waits for real time.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { type DocumentConnector, type FetchLimits, SourceConnector } from "../../services/SourceConnector.ts"
import { ConnectorError, DocumentError } from "../../src/domain/ConnectorErrors.ts"
import { defaultLimits } from "../../src/domain/ConnectorsFile.ts"
import { type Availability, DocumentContent } from "../../src/domain/Document.ts"
import { ConnectorName, DocId, SourceUri } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import * as State from "./VecState.ts"
import type { VecCounts, VecDocument, VecListing } from "./VecState.ts"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  VecCounts,
  /**
   * @since 0.1.0
   * @category models
   */
  VecDocument,
  /**
   * @since 0.1.0
   * @category models
   */
  VecListing
} from "./VecState.ts"

/**
 * The control of a Vec connector.
 *
 * @since 0.1.0
 * @category tags
 */
export class VecConnector extends Context.Tag("mem/VecConnector")<VecConnector, {
  /** Adds a document, or changes it in its place. */
  readonly put: (document: VecDocument) => Effect.Effect<void>
  readonly remove: (doc_id: string) => Effect.Effect<void>
  /** The same document under another id. */
  readonly rename: (from: string, to: string) => Effect.Effect<void>
  /** Moves the revision and nothing else. */
  readonly touch: (doc_id: string) => Effect.Effect<void>
  readonly setAvailability: (doc_id: string, availability: Availability) => Effect.Effect<void>
  readonly documents: Effect.Effect<ReadonlyArray<VecDocument>>
  /** Changes what listings say from now on. */
  readonly setListing: (change: Partial<VecListing>) => Effect.Effect<void>
  /** Done once, as soon as the next listing has been taken: so a document changes or goes before it is fetched. */
  readonly afterListing: (change: Effect.Effect<void>) => Effect.Effect<void>
  /** Done before each fetch of the document, within it: may fail, wait, or never end. */
  readonly onFetch: (doc_id: string, effect: Effect.Effect<void, DocumentError>) => Effect.Effect<void>
  /** Lets fetches of the document fail: so many `times`, by default each; for good unless `retryable`. */
  readonly failFetch: (doc_id: string, options?: {
    readonly times?: number
    readonly retryable?: boolean
    readonly reason?: DocumentError["reason"]
  }) => Effect.Effect<void>
  /** Fetches of the document go well again. */
  readonly healFetch: (doc_id: string) => Effect.Effect<void>
  readonly counts: Effect.Effect<VecCounts>
  /** Forgets what was counted, except what is in flight. */
  readonly resetCounts: Effect.Effect<void>
}>() {}

/**
 * @since 0.1.0
 * @category models
 */
export interface VecOptions {
  /** Default `vec`. */
  readonly kind?: string
  /** Default 8 fetches in flight, 60 seconds each. */
  readonly limits?: Partial<FetchLimits>
  /** What listings say from the start. */
  readonly listing?: Partial<VecListing>
}

const listingOf = (name: string): VecListing => ({
  coverage: "complete",
  roots: [{ uri: `vec:///${name}`, status: "readable" }],
  content_hash: true,
  revision: false,
  removals: [],
  skips: [],
  duplicates: [],
  fails: undefined
})

/**
 * A connector over these documents, and its control. A name or an id that breaks its schema is a defect.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  name: string,
  documents: Iterable<VecDocument>,
  options: VecOptions = {}
): Effect.Effect<{ readonly connector: DocumentConnector; readonly control: VecConnector["Type"] }> =>
  Effect.gen(function*() {
    const connector = yield* Effect.sync(() => ConnectorName.make(name))
    const empty: State.State = {
      documents: new Map(),
      revision: 0,
      listing: { ...listingOf(name), ...options.listing },
      afterListing: Effect.void,
      onFetch: new Map(),
      counts: State.noCounts
    }
    const ref = yield* Ref.make([...documents].reduce((state, document) => State.put(document)(state), empty))
    const update = (change: (state: State.State) => State.State) => Ref.update(ref, change)
    const count = (change: (counts: VecCounts) => VecCounts) =>
      update((state) => ({ ...state, counts: change(state.counts) }))

    const list: DocumentConnector["list"] = () =>
      Effect.gen(function*() {
        const taken = yield* Ref.getAndUpdate(ref, (state) => ({
          ...state,
          afterListing: Effect.void,
          counts: { ...state.counts, listings: state.counts.listings + 1 }
        }))
        const { coverage, fails, roots } = taken.listing
        const items = State.itemsOf(taken)
        yield* taken.afterListing
        if (fails === undefined) return { coverage, roots: roots.map(rootOf), documents: Stream.fromIterable(items) }
        const failure = new ConnectorError({
          connector,
          operation: "list",
          detail: `the listing broke off after ${fails.after === "nothing" ? "nothing" : `${fails.after} items`}`,
          advice: "run the command again",
          retryable: fails.retryable
        })
        if (fails.after === "nothing") return yield* failure
        return {
          coverage,
          roots: roots.map(rootOf),
          documents: Stream.concat(Stream.fromIterable(items.slice(0, fails.after)), Stream.fail(failure))
        }
      })

    const fetch: DocumentConnector["fetch"] = ({ doc_id }) =>
      Effect.gen(function*() {
        const failed = (reason: DocumentError["reason"], detail: string, retryable: boolean) =>
          new DocumentError({ doc_id, reason, detail, retryable })
        yield* (yield* Ref.get(ref)).onFetch.get(doc_id) ?? Effect.void
        const { documents, listing } = yield* Ref.get(ref)
        const document = documents.get(doc_id)
        if (document === undefined) return yield* failed("gone", "it is no longer there", false)
        if (document.availability === "unavailable") return yield* failed("fetch", "it cannot be read now", true)
        if (State.rootOf(document, listing)?.status !== "readable") {
          return yield* failed("fetch", "its root cannot be read", true)
        }
        return new DocumentContent({
          bytes: State.bytesOf(document),
          media_type: State.mediaType(document),
          ...(listing.revision ? { revision: State.revisionOf(document) } : {}),
          ...("meta" in document ? { meta: document.meta } : {})
        })
      }).pipe(
        (work) =>
          Effect.acquireUseRelease(
            count(State.begin(doc_id)),
            () => work,
            () => count((counts) => ({ ...counts, in_flight: counts.in_flight - 1 }))
          )
      )

    const onFetch: VecConnector["Type"]["onFetch"] = (doc_id, effect) =>
      update((state) => ({ ...state, onFetch: new Map(state.onFetch).set(doc_id, effect) }))

    return {
      connector: {
        source_type: "document",
        name: connector,
        kind: options.kind ?? "vec",
        limits: { ...defaultLimits, ...options.limits },
        list,
        fetch
      },
      control: VecConnector.of({
        put: (document) => update(State.put(document)),
        remove: (doc_id) => update(State.remove(doc_id)),
        rename: (from, to) => update(State.rename(from, to)),
        touch: (doc_id) => update(State.touch(doc_id)),
        setAvailability: (doc_id, availability) => update(State.setAvailability(doc_id, availability)),
        documents: Effect.map(Ref.get(ref), ({ documents }) => [...documents.values()]),
        setListing: (change) => update((state) => ({ ...state, listing: { ...state.listing, ...change } })),
        afterListing: (change) =>
          update((state) => ({ ...state, afterListing: Effect.zipRight(state.afterListing, change) })),
        onFetch,
        failFetch: (doc_id, { reason = "fetch", retryable = false, times = Number.POSITIVE_INFINITY } = {}) =>
          Effect.flatMap(Ref.make(times), (left) =>
            onFetch(
              doc_id,
              Effect.gen(function*() {
                if ((yield* Ref.getAndUpdate(left, (n) => n - 1)) <= 0) return
                const error = {
                  doc_id: DocId.make(doc_id),
                  reason,
                  detail: "the source answered with an error",
                  retryable
                }
                return yield* new DocumentError(error)
              })
            )),
        healFetch: (doc_id) => onFetch(doc_id, Effect.void),
        counts: Effect.map(Ref.get(ref), ({ counts }) => counts),
        resetCounts: count(({ in_flight }) => ({ ...State.noCounts, in_flight, peak_in_flight: in_flight }))
      })
    }
  })

const rootOf = ({ status, uri }: VecListing["roots"][number]) => new ListingRoot({ uri: SourceUri.make(uri), status })

/**
 * The connector, and beside it its control.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  name: string,
  documents: Iterable<VecDocument>,
  options?: VecOptions
): Layer.Layer<SourceConnector | VecConnector> =>
  Layer.effectContext(
    Effect.map(make(name, documents, options), ({ connector, control }) =>
      Context.make(SourceConnector, connector).pipe(Context.add(VecConnector, control)))
  )
