/**
 * Who wants to watch a sync: a progress bar, a counter. It hears what happens and decides nothing.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ConnectorName, DocId } from "../src/domain/Ids.ts"

/**
 * What happened. `Listed` comes once a connector, with the documents that it has and those to be done; each of these
 * ends in one `Done`. `Embedding` tells of texts before they go to the embedder, `Embedded` of those that came back.
 *
 * @since 0.1.0
 * @category models
 */
export type SyncEvent =
  | {
    readonly _tag: "Listed"
    readonly connector: ConnectorName
    readonly documents: number
    readonly toDo: number
  }
  | { readonly _tag: "Fetched"; readonly connector: ConnectorName; readonly doc_id: DocId }
  | { readonly _tag: "Embedding"; readonly connector: ConnectorName; readonly texts: number }
  | { readonly _tag: "Embedded"; readonly connector: ConnectorName; readonly texts: number }
  | { readonly _tag: "Done"; readonly connector: ConnectorName; readonly doc_id: DocId }

/**
 * A reference, not a tag: a program that nobody watches need not say so.
 *
 * @since 0.1.0
 * @category references
 */
export class SyncObserver extends Context.Reference<SyncObserver>()("mem/SyncObserver", {
  defaultValue: (): { readonly note: (event: SyncEvent) => Effect.Effect<void> } => ({ note: () => Effect.void })
}) {}
