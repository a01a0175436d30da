import { assert, describe, it } from "@effect/vitest"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LogGroup } from "../../services/LogWriter.ts"
import { DocId, EmbedderFingerprint, Timestamp } from "../../src/domain/Ids.ts"
import type { LogEntry, LogRecord } from "../../src/domain/LogRecord.ts"
import { Seal, Segment } from "../../src/domain/Maintenance.ts"
import * as Compose from "../../src/log/Compose.ts"
import * as Usage from "../../src/log/Usage.ts"
import { commit, exclusion, notes, reference, tombstone, vector } from "../fixtures/LogGroups.ts"

const nobody = EmbedderFingerprint.make("none")
const at = Timestamp.make("2026-11-29T20:00:00.000Z")

/** One write after the other, and how many lines are dead after each. */
const deadAfter = (...writes: ReadonlyArray<LogGroup | LogEntry>) => {
  let usage = Usage.nothing
  return writes.map((write) => {
    const place = { seq: usage.records + 1, at, durable_to: 0 }
    const records: ReadonlyArray<LogRecord> = "commit" in write
      ? Compose.group(write, place)
      : Compose.alone([write], place)
    for (const record of records) {
      usage = Usage.add(usage, { record, position: { segment: 1, offset: usage.records * 10 }, length: 10 })
    }
    return Usage.dead(usage)
  })
}

/** Two passages, a vector for each, and what takes the place of the version before. */
const version = (
  doc: string,
  n: number,
  texts: ReadonlyArray<string> = [`${doc} ${n} 0`, `${doc} ${n} 1`]
): LogGroup => ({
  entries: [
    ...texts.map(vector),
    ...(n === 1 ? [] : [0, 1].map((ordinal) => tombstone(doc, n - 1, ordinal))),
    ...texts.map((text, ordinal) => reference(doc, n, ordinal, text))
  ],
  commit: { ...commit(doc, n, 2), synced_at: Timestamp.make(`2026-11-29T20:00:0${n}.000Z`) }
})

const removal = (doc: string, n: number, ...more: ReadonlyArray<LogEntry>): LogGroup => ({
  entries: [...more, ...[0, 1].map((ordinal) => tombstone(doc, n, ordinal))],
  commit: { ...commit(doc, n, 0), removed: true }
})

describe("a line is dead", () => {
  it("when its version was replaced or removed, with the tombstones that say so", () => {
    // Of the old version 2 vectors, 2 passages, a commit; and 2 tombstones.
    assert.deepStrictEqual(deadAfter(version("a", 1), version("b", 1), version("a", 2), version("a", 3)), [0, 0, 7, 14])
    // And the commit that removed it.
    assert.deepStrictEqual(deadAfter(version("a", 1), removal("a", 1)), [0, 8])
  })

  it("but not where another passage has the same vector", () => {
    const same = ["same", "same too"]
    const twin = version("b", 1, same)
    const withoutVectors: LogGroup = { ...twin, entries: twin.entries.slice(2) }
    assert.deepStrictEqual(deadAfter(version("a", 1, same), withoutVectors, removal("a", 1)), [0, 0, 6])
    // A vector that was written twice is of use once.
    assert.deepStrictEqual(deadAfter(version("a", 1, same), twin), [0, 2])
  })

  it("and a vector that is not there is not missed, nor dead where it stands alone, as those of memory do", () => {
    const first = version("a", 1)
    const none: LogGroup = { entries: first.entries.slice(2), commit: { ...first.commit, embedder: nobody } }
    assert.deepStrictEqual(deadAfter(none, vector("a 1 0"), version("b", 1, ["a 1 0", "b 1 1"])), [0, 0, 0])
  })

  it("when it is a vector of a model that no document is embedded by any more", () => {
    const again = (n: number): LogGroup => {
      const model = EmbedderFingerprint.make(`other/${n}/1`)
      const vectors = ["a 1 0", "a 1 1"].map(vector).flatMap((entry) =>
        entry.kind === "vector" ? [{ kind: "vector" as const, body: { ...entry.body, model } }] : []
      )
      return { entries: vectors, commit: { ...commit("a", 1, 2), embedder: model } }
    }
    // The first commit brought the passages, which stay: the second model's is the first that dies.
    assert.deepStrictEqual(deadAfter(version("a", 1), again(1), again(2)), [0, 2, 5])
  })

  it("when its group never was closed, or its exclusion no longer holds", () => {
    assert.deepStrictEqual(deadAfter(...version("a", 1).entries.slice(2)), [1, 2])
    // While it holds, the exclusion and the commit that brought it say so.
    assert.deepStrictEqual(
      deadAfter(version("a", 1), removal("a", 1, exclusion("a", true)), exclusion("a", false)),
      [0, 7, 10]
    )
  })

  it("never when it is of the log itself", () => {
    const segment = new Segment({ format: "mem-log/1", number: 1, previous_sha256: null })
    assert.deepStrictEqual(
      deadAfter({ kind: "segment", body: segment }, { kind: "seal", body: new Seal({ durable_to: 0 }) }),
      [0, 0]
    )
  })
})

it("knows of each connector what is live, what is kept out, and when it was last stored", () => {
  let usage = Usage.nothing
  for (const group of [version("a", 1), version("b", 2), removal("a", 1, exclusion("a", true)), version("c", 1)]) {
    for (const record of Compose.group(group, { seq: usage.records + 1, at, durable_to: 0 })) {
      usage = Usage.add(usage, { record, position: { segment: 1, offset: usage.records * 10 }, length: 10 })
    }
  }
  assert.deepStrictEqual([...Usage.counts(usage)], [[notes, { documents: 2, chunks: 4, records: 0 }]])
  assert.deepStrictEqual(Usage.excluded(usage, notes), [DocId.make("a")])
  assert.deepStrictEqual(HashMap.get(usage.lastCommits, notes), Option.some("2026-11-29T20:00:02.000Z"))
})
