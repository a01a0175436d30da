/**
 * The listing of a folder in which nothing has changed, against its floor: a bare walk that asks for the stat of every
 * file, as many at a time. No file may be opened.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { promises as fs } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Folder from "../../layers/SourceConnector/Folder.ts"
import * as Disk from "../../layers/SourceConnector/Folder/Disk.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, type DocId, Fingerprint, Timestamp } from "../../src/domain/Ids.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { clockAt } from "../fixtures/ClockAt.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { alternate } from "./alternate.ts"

const target = 1.5

const fill = async (root: string, files: number, inAFolder: number): Promise<void> => {
  for (let i = 0; i < files; i += inAFolder) {
    const folder = join(root, `area ${Math.floor(i / inAFolder / 10)}`, `topic ${i / inAFolder}`)
    await mkdir(folder, { recursive: true })
    const names = Array.from({ length: Math.min(inAFolder, files - i) }, (_, j) => `note ${i + j}.md`)
    await Promise.all(names.map((name) => writeFile(join(folder, name), `# ${name}\n\ntext\n`)))
  }
}

/** Every stat there is to ask for, and nothing else. */
const floor = async (folder: string): Promise<number> => {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  const counts = await Promise.all(entries.map((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? floor(path) : fs.lstat(path, { bigint: true }).then(() => 1)
  }))
  return counts.reduce((sum, n) => sum + n, 0)
}

type Known = ReadonlyMap<DocId, ManifestEntry>

const list = ({ list }: DocumentConnector, known: Known) =>
  Effect.flatMap(list(known), ({ documents }) => Stream.runCollect(documents)).pipe(
    Effect.map((items) => Chunk.toReadonlyArray(items).filter((item) => item instanceof DocumentRef))
  )

const hash = Fingerprint.make(`sha256:${"0".repeat(64)}`)

/** As the last of many syncs left them. */
const knownOf = (refs: ReadonlyArray<DocumentRef>): Known =>
  new Map(refs.map(({ doc_id, revision, source_uri }) => [
    doc_id,
    new ManifestEntry({
      doc_id,
      source_uri,
      content_hash: hash,
      chunk_count: 1,
      synced_at: Timestamp.make("2026-11-29T20:00:00.000Z"),
      ...(revision === undefined ? {} : { revision })
    })
  ]))

/** An hour has passed, so that no file counts as just written. */
const later = clockAt(() => Date.now() + 3_600_000)

const measured = (files: number, inAFolder: number) =>
  Effect.gen(function*() {
    const root = yield* temporaryHome
    yield* Effect.promise(() => fill(root, files, inAFolder))
    const real = Disk.make()
    let opened = 0
    const disk: Disk.DiskOperations = {
      ...real,
      withFile: (path, use) => {
        opened++
        return real.withFile(path, use)
      }
    }
    const connector = yield* Folder.make(ConnectorName.make("bench"), { path: root }).pipe(
      Effect.provideService(Disk.Disk, disk)
    )
    const known = knownOf(yield* Effect.withClock(list(connector, new Map()), later))
    const run = () => Effect.runPromise(Effect.withClock(list(connector, known), later))
    const [bare, ours] = yield* Effect.promise(() =>
      alternate([
        { name: "bare walk with stats", run: () => floor(root) },
        { name: "unchanged listing", run }
      ], { rounds: 21, warmUp: 9, collect: false })
    )
    const same = (yield* Effect.promise(run)).filter(({ doc_id, revision }) => known.get(doc_id)?.revision === revision)
    const times = 1 / (ours?.ratio ?? Number.NaN)
    console.log(
      `${String(files).padStart(7)} files, ${String(inAFolder).padStart(4)} a folder: floor ${
        bare?.median.toFixed(0)
      } ms, unchanged listing ${ours?.median.toFixed(0)} ms, ${times.toFixed(2)}x`
    )
    const verdicts = [
      ...(times > target ? [`more than ${target}x the floor`] : []),
      ...(opened > 0 ? [`${opened} files were opened`] : []),
      ...(same.length !== files ? [`${files - same.length} files are not as they were`] : [])
    ]
    for (const verdict of verdicts) {
      console.error(`${files} files: ${verdict}`)
      process.exitCode = 1
    }
  }).pipe(Effect.scoped)

export const folder = async (): Promise<void> => {
  await Effect.runPromise(measured(5000, 20))
  await Effect.runPromise(measured(5000, 1000))
}
