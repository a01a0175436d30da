/**
 * A folder of notes, an Obsidian vault: every Markdown and text file in it is a document, whose id is its path. The
 * listing is complete, so that what is no longer in the folder is gone; and it is cheap, because a file whose stat is
 * what it was is not opened.
 *
 * Nothing outside the folder is ever read: no link is followed, and a file is read only once it is known that the one
 * that was opened lies where it should.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ConnectorKind } from "../../services/ConnectorKinds.ts"
import type { DocumentConnector, FetchLimits } from "../../services/SourceConnector.ts"
import { Origin } from "../../src/config/Origin.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import { defaultLimits } from "../../src/domain/ConnectorsFile.ts"
import { DocumentContent } from "../../src/domain/Document.ts"
import type { ConnectorName } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import { Verify } from "../../src/sync/Verify.ts"
import { matcher } from "../../src/text/Glob.ts"
import { mediaTypeOf } from "../../src/text/MediaType.ts"
import { Config, defaultInclude, folderOf, relative } from "./Folder/Config.ts"
import { Disk } from "./Folder/Disk.ts"
import { rootUri, uriBelow } from "./Folder/Names.ts"
import { bytesOf } from "./Folder/Read.ts"
import { itemsOf } from "./Folder/Refs.ts"
import { walk } from "./Folder/Walk.ts"

/**
 * What an app says of a folder; the options of `connectors.yaml`, and the limits.
 *
 * @since 0.1.0
 * @category models
 */
export interface FolderOptions {
  readonly path: string
  /** Default `.md`, `.markdown` and `.txt` files at any depth. */
  readonly include?: ReadonlyArray<string>
  /** Default none. A folder that is excluded is not looked into. */
  readonly exclude?: ReadonlyArray<string>
  /** Default false. On macOS, reads what looks like a file whose content is in iCloud. */
  readonly read_evicted?: boolean
  /** Default 8 fetches in flight, 60 seconds each. */
  readonly limits?: Partial<FetchLimits>
}

/**
 * The connector. Whether the folder is there is asked by each listing, not here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (name: ConnectorName, options: FolderOptions): Effect.Effect<DocumentConnector> =>
  Effect.gen(function*() {
    const root = folderOf(options.path, yield* Origin)
    const disk = yield* Disk
    const uri = rootUri(root)
    const place = { disk, root, readsEvicted: options.read_evicted ?? false }
    const takes = matcher((options.include ?? defaultInclude).map(relative))
    const leaves = matcher((options.exclude ?? []).map(relative))

    const list: DocumentConnector["list"] = (known) =>
      Effect.gen(function*() {
        const verify = yield* Verify
        const now = yield* Clock.currentTimeMillis
        const { broken, found } = yield* walk({ ...place, takes, leaves, now })
        const items = yield* itemsOf({ place, uri, known, verify }, found)
        return {
          coverage: "complete" as const,
          roots: [
            new ListingRoot({ uri, status: broken.get("") ?? "readable" }),
            ...[...broken].filter(([path]) => path !== "").map(([path, status]) =>
              new ListingRoot({ uri: uriBelow(uri, path), status })
            )
          ],
          documents: Stream.fromIterable(items)
        }
      }).pipe(
        Effect.mapError(({ advice, cause, detail, retryable }) =>
          new ConnectorError({ connector: name, operation: "list", detail, advice, retryable, cause })
        ),
        Effect.withSpan("Folder.list", { attributes: { connector: name } })
      )

    return {
      source_type: "document",
      name,
      kind: "folder",
      limits: { ...defaultLimits, ...options.limits },
      list,
      fetch: ({ doc_id }) =>
        Effect.map(
          bytesOf(place, doc_id),
          ({ revision, value }) => new DocumentContent({ bytes: value, media_type: mediaTypeOf(doc_id), revision })
        )
    }
  })

/**
 * `kind: folder` of `connectors.yaml`.
 *
 * @since 0.1.0
 * @category kinds
 */
export const kind: ConnectorKind<Config, Schema.Schema.Encoded<typeof Config>> = {
  kind: "folder",
  source_type: "document",
  config: Config,
  make
}
