/**
 * From what a walk found to what a listing says: newest first, by the times of the files; nothing of them is read, unless
 * it is asked which project they belong to.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { DocumentRef } from "../../../src/domain/Document.ts"
import type { SourceUri } from "../../../src/domain/Ids.ts"
import { DocId } from "../../../src/domain/Ids.ts"
import { type ListingItem, ListingSkip } from "../../../src/domain/Listing.ts"
import type { ManifestEntry } from "../../../src/domain/Manifest.ts"
import { plural } from "../../../src/text/Amounts.ts"
import { DiskError, type DiskOperations } from "../Folder/Disk.ts"
import { rootUri } from "../Folder/Names.ts"
import type { Stat } from "../Folder/Revision.ts"
import { type Candidate, type Found, isMissing, isOurs } from "./Found.ts"

/** Files whose stat is asked for at the same time. */
const statsAtOnce = 256
/** Files that are asked whether they can be read, or for their project, at the same time. */
const sideBySide = 8

/**
 * What a listing takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListingOptions {
  readonly disk: DiskOperations
  readonly known: ReadonlyMap<DocId, ManifestEntry>
  /** Milliseconds: what was last written to before is not listed. */
  readonly since: number
  /** Whether a session is of a project that is wanted. */
  readonly isWanted: (candidate: Candidate) => Effect.Effect<boolean>
}

interface Dated extends Candidate {
  readonly uri: SourceUri
  readonly stat: Stat
}

const byPath = (a: Candidate, b: Candidate): number => a.path < b.path ? -1 : 1

/**
 * The ids of all of them. One that is known keeps its own; of several with one key, each but the first has that of its
 * folder as well.
 */
const withIds = (
  files: ReadonlyArray<Dated>,
  known: ListingOptions["known"]
): ReadonlyArray<Dated & { readonly doc_id: DocId }> => {
  const idOf = (id: string) => DocId.make(id.toWellFormed())
  const isKnown = ({ key, uri }: Dated) => known.get(idOf(key))?.source_uri === uri
  const taken = new Set<string>()
  const free = (file: Dated): string =>
    [file.key, ...(file.group === "" ? [] : [`${file.group}/${file.key}`])].find((id) => !taken.has(id)) ?? file.path
  return [...files.filter(isKnown), ...files.filter((file) => !isKnown(file))].map((file) => {
    const id = free(file)
    taken.add(id)
    return { ...file, doc_id: idOf(id) }
  })
}

const skip = (id: string, reason: string) => new ListingSkip({ doc_id: DocId.make(id.toWellFormed()), reason })

const newestFirst = (a: Dated, b: Dated): number =>
  a.stat.mtimeNs === b.stat.mtimeNs ? byPath(a, b) : a.stat.mtimeNs > b.stat.mtimeNs ? -1 : 1

const refOf = ({ doc_id, stat, uri }: Dated & { readonly doc_id: DocId }): DocumentRef =>
  new DocumentRef({
    doc_id,
    source_uri: uri,
    revision: `${stat.size}-${stat.mtimeNs}-${stat.ino}`,
    media_type: "application/jsonl",
    size: Number(stat.size)
  })

/** Options that leave nothing are more often a mistake than a wish. */
const remarkOn = (dated: number, wanted: number): { readonly remark?: string } =>
  dated > 0 && wanted === 0
    ? {
      remark:
        `"project" in connectors.yaml matches 0 of ${plural(dated, "transcript")}: it is a glob over the folder that `
        + "the agent worked in, such as \"**/demo\""
    }
    : {}

/**
 * What a listing says of these files.
 *
 * @since 0.1.0
 * @category listing
 */
export const itemsOf = (
  { disk, isWanted, known, since }: ListingOptions,
  { candidates, left }: Found
): Effect.Effect<{ readonly items: ReadonlyArray<ListingItem>; readonly remark?: string }, DiskError> =>
  Effect.gen(function*() {
    const sorted = [...candidates].sort(byPath)
    const dated: Array<Dated> = []
    const skips = left.map(({ key, why }) => skip(key, why))
    for (let from = 0; from < sorted.length; from += statsAtOnce) {
      const some = sorted.slice(from, from + statsAtOnce)
      const stats = yield* disk.stats(some.map(({ path }) => path))
      for (const [i, candidate] of some.entries()) {
        const stat = stats[i]
        if (stat instanceof DiskError) {
          if (isOurs(stat)) return yield* stat
          if (!isMissing(stat)) skips.push(skip(candidate.key, `it cannot be read (${stat.code})`))
        } else if (stat?.kind === "file" && Number(stat.mtimeNs) / 1e6 >= since) {
          dated.push({ ...candidate, stat, uri: rootUri(candidate.path) })
        }
      }
    }
    const wanted = yield* Effect.filter(dated, isWanted, { concurrency: sideBySide })
    const refs = withIds(wanted, known).toSorted(newestFirst).map((file) => ({ ...file, ref: refOf(file) }))
    const items = yield* Effect.forEach(refs, ({ path, ref }): Effect.Effect<ListingItem> => {
      if (known.get(ref.doc_id)?.revision === ref.revision) return Effect.succeed(ref)
      return Effect.match(disk.checkReadable(path), {
        onFailure: ({ code }) => skip(ref.doc_id, `it cannot be read (${code})`),
        onSuccess: () => ref
      })
    }, { concurrency: sideBySide })
    return { items: [...items, ...skips], ...remarkOn(dated.length, wanted.length) }
  })
