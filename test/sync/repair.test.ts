/** What a repaired log means for documents: what it lost is stored again, and nothing else is touched. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Ref from "effect/Ref"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import { mend } from "../../layers/Log/Mending.ts"
import * as Segments from "../../layers/Log/Segments.ts"
import * as MemoryProjection from "../../layers/Projection/Memory.ts"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { Embedder } from "../../services/Embedder.ts"
import { LogFs } from "../../services/LogFs.ts"
import { LogLock } from "../../services/LogLock.ts"
import type { DocumentConnector } from "../../services/SourceConnector.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { doctor } from "../../src/sync/doctor.ts"
import { repair } from "../../src/sync/repair.ts"
import * as MemoryLogFs from "../fixtures/MemoryLogFs.ts"
import { document, notes, passages, synced, withEmbedder } from "./Given.ts"
import { world } from "./Harness.ts"

const home = "/home"

const worldOn = (fs: MemoryLogFs.MemoryLogFs, connector: DocumentConnector) =>
  world({
    home,
    fs: fs.layer,
    reader: Layer.provide(Segments.reader({ home }), fs.layer),
    writer: Layer.provide(Segments.writer({ home, segmentBytes: 5_000 }), fs.layer)
  }, { connectors: [connector] })

/** A disk of its own with the same files. */
const copyOf = ({ files, folders }: MemoryLogFs.MemoryLogFs): MemoryLogFs.MemoryLogFs => {
  const copy = MemoryLogFs.make(...folders)
  for (const [path, content] of files) copy.files.set(path, content)
  return copy
}

const nobody = Embedder.of({ ...Hashed.make(), fingerprint: EmbedderFingerprint.make("none") })

const mended = ({ layer }: MemoryLogFs.MemoryLogFs) =>
  Effect.provide(Effect.flatMap(LogFs, (fs) => mend(fs, { home })), layer)

/**
 * Two documents are stored without vectors, which come in the next run with two more, of one and the same text; then one
 * changes, and one goes.
 */
const filled = (fs: MemoryLogFs.MemoryLogFs) =>
  Effect.gen(function*() {
    const given = [document("a", "a", 2), document("c", "c", 1)]
    const { connector, control } = yield* Vec.make(notes, given)
    const made = yield* worldOn(fs, connector)
    yield* synced(made, {}, withEmbedder(nobody))
    yield* control.put(document("b", "b", 1))
    yield* control.put(document("twin", "b", 1))
    yield* control.put(document("gone", "gone", 1))
    yield* synced(made)
    yield* control.put(document("a", "another", 1))
    yield* control.remove("gone")
    yield* synced(made)
    return { connector, made }
  })

describe("repair", () => {
  it.live(
    "whichever line is lost: stored again is what it stood for, alone, and all is as it was",
    () =>
      Effect.gen(function*() {
        const fs = MemoryLogFs.make("/", home, `${home}/log`)
        const { connector, made } = yield* filled(fs)
        const before = yield* passages(made)
        const lines = yield* made.lines
        assert.isAbove(Math.max(...lines.map(({ position }) => position.segment)), 1)
        const marked = yield* Ref.make<ReadonlyArray<string>>([])
        for (const { position: { offset, segment }, record } of lines) {
          const name = `${record.seq} ${record.kind}`
          const other = copyOf(fs)
          const file = `${home}/log/segments/0000000${segment}.jsonl`
          const content = Buffer.from(other.files.get(file) ?? [])
          content.writeUInt8(content.readUInt8(offset + 30) ^ 1, offset + 30)
          other.files.set(file, content)
          yield* mended(other)
          const again = yield* worldOn(other, connector)
          const told = yield* again.process(repair([notes], MemoryProjection.make))
          yield* Ref.update(marked, (all) => [...all, ...told.filter((sentence) => /passages|vectors/.test(sentence))])
          const findings = yield* again.process(
            Effect.provideService(doctor(MemoryProjection.make), LogLock, {
              state: Effect.succeed({ _tag: "Free" } as const)
            })
          )
          assert.deepStrictEqual(findings.filter(({ level }) => level === "problem" || level === "damage"), [], name)
          const report = (yield* synced(again))(notes)
          assert.isAtMost(report.fetched, 1, name)
          assert.deepStrictEqual(yield* passages(again), before, name)
          const idle = (yield* synced(again))(notes)
          assert.deepInclude(idle, { fetched: 0, embed_texts: 0, unchanged: idle.listed, failed: [] }, name)
        }
        const all = yield* Ref.get(marked)
        assert.isTrue(all.some((sentence) => /^c of notes lost its passages/.test(sentence)))
        assert.isTrue(all.some((sentence) => /^twin of notes lost vectors/.test(sentence)))
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)),
    60_000
  )
})
