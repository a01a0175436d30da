import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../services/LogReader.ts"
import type { LogGroup } from "../../services/LogWriter.ts"
import { ConnectorName, DocId, EmbedderFingerprint, Timestamp } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import * as Compose from "../../src/log/Compose.ts"
import * as Live from "../../src/log/Live.ts"
import { commit, exclusion, group, notes, passageId, reference, sha, tombstone, vector } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")

/** A log under construction. `cut` writes a group's first lines only, `broken` another line into its middle. */
type Act =
  | { readonly do: "group"; readonly group: LogGroup }
  | { readonly do: "cut"; readonly group: LogGroup; readonly lines: number }
  | { readonly do: "broken"; readonly group: LogGroup; readonly at: number }
  | { readonly do: "alone"; readonly entry: ReturnType<typeof vector> }

const logOf = (acts: ReadonlyArray<Act>): ReadonlyArray<LocatedRecord> => {
  const records: Array<LogRecord> = []
  for (const act of acts) {
    const place = { seq: records.length + 1, at, durable_to: 0 }
    if (act.do === "alone") {
      records.push(...Compose.alone([act.entry], place))
      continue
    }
    const lines = Compose.group(act.group, place)
    if (act.do === "group") records.push(...lines)
    else if (act.do === "cut") records.push(...lines.slice(0, Math.min(act.lines, lines.length - 1)))
    else {
      const before = lines.slice(0, 1 + act.at % (lines.length - 1))
      records.push(...before, ...Compose.alone([vector("between")], { ...place, seq: place.seq + before.length }))
      const behind = Compose.group(act.group, { ...place, seq: place.seq + 1 }).slice(before.length)
      records.push(
        ...behind.map((record) => ({ ...record, txn: before[0]?.txn })).map(({ txn, ...record }) =>
          txn === undefined ? record : { ...record, txn }
        )
      )
    }
  }
  return records.map((record, i) => ({ record, position: { segment: 1, offset: i * 10 }, length: 10 }))
}

const fold = (lines: ReadonlyArray<LocatedRecord>, from: Live.Live = Live.empty) => {
  let live = from
  const changes: Array<Live.Change> = []
  for (const line of lines) {
    const [next, changed] = Live.apply(live, line)
    live = next
    changes.push(...changed)
  }
  return { live, changes }
}

const key = (doc: string): string => Live.documentKey(notes, DocId.make(doc))

/** Documents with the ids of their passages. */
const documents = (live: Live.Live): Record<string, ReadonlyArray<string>> =>
  Object.fromEntries(
    [...HashMap.values(live.documents)].map(({ commit, passages }) => [
      commit.doc_id,
      passages.map(({ chunk_id }) => String(chunk_id))
    ])
  )

const ids = (doc: string, version: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, ordinal) => passageId(doc, version, ordinal))

/** A new version in the place of one that had `old` passages. */
const change = (doc: string, version: number, old: number, passages: number): LogGroup => {
  const next = group(doc, { version, passages })
  const gone = Array.from({ length: old }, (_, ordinal) => tombstone(doc, version - 1, ordinal))
  return { ...next, entries: [...gone, ...next.entries] }
}

const removal = (doc: string, version: number, old: number): LogGroup => ({
  entries: Array.from({ length: old }, (_, ordinal) => tombstone(doc, version, ordinal)),
  commit: { ...commit(doc, version, 0), removed: true }
})

const of = (group: LogGroup): Act => ({ do: "group", group })
const alone = (entry: ReturnType<typeof vector>): Act => ({ do: "alone", entry })

describe("Live", () => {
  it("counts a group with its commit, and knows where its passages stand", () => {
    const lines = logOf([of(group("a")), of(group("b", { passages: 0 }))])
    const { changes, live } = fold(lines)
    assert.deepStrictEqual(documents(live), { a: ids("a", 1, 2), b: [] })
    const document = Option.getOrThrow(HashMap.get(live.documents, key("a")))
    assert.deepStrictEqual(
      document.passages.map(({ embed_sha256, ordinal, position }) => [ordinal, embed_sha256, position.offset]),
      [[0, sha("a 0"), 10], [1, sha("a 1"), 30]]
    )
    assert.deepStrictEqual(changes.map(({ _tag }) => _tag), ["Vector", "Vector", "Committed", "Committed"])
    const [, , committed] = changes
    assert.isTrue(
      committed?._tag === "Committed" && committed.seq === 5 && committed.added.length === 2
        && committed.removed.length === 0
    )
    assert.deepStrictEqual(
      Option.map(live.last, (line) => [line.seq, Live.behind(line)]),
      Option.some([6, { segment: 1, offset: 60 }])
    )
    assert.deepStrictEqual(fold(lines.slice(0, -2)).live.documents, HashMap.empty())
  })

  it("never counts a group that is short of its lines, or that another line broke into", () => {
    for (const lines of [0, 1, 2, 3, 4]) {
      const { changes, live } = fold(logOf([{ do: "cut", group: group("a"), lines }, of(group("b"))]))
      assert.deepStrictEqual(documents(live), { b: ids("b", 1, 2) })
      // Its vectors count all the same.
      const vectors = changes.filter(({ _tag }) => _tag === "Vector")
      assert.lengthOf(vectors, 2 + Math.ceil(lines / 2))
    }
    for (const at of [0, 1, 2, 3]) {
      const { changes, live } = fold(logOf([of(group("b")), { do: "broken", group: group("a"), at }]))
      assert.deepStrictEqual(documents(live), { b: ids("b", 1, 2) })
      assert.lengthOf(changes.filter(({ _tag }) => _tag === "Committed"), 1)
    }
  })

  it("never counts a group whose first line, or one in its middle, is missing", () => {
    for (const missing of [0, 1, 3]) {
      const lines = logOf([of(group("a")), of(group("b"))]).filter((_, i) => i !== missing)
      assert.deepStrictEqual(Object.keys(documents(fold(lines).live)), ["b"])
    }
  })

  it("changes a document in one step, and keeps it when the new version never came", () => {
    const start: ReadonlyArray<Act> = [of(group("a", { passages: 3 }))]
    const next = change("a", 2, 3, 1)
    assert.deepStrictEqual(documents(fold(logOf([...start, { do: "cut", group: next, lines: 9 }])).live), {
      a: ids("a", 1, 3)
    })
    const { changes, live } = fold(logOf([...start, of(next)]))
    assert.deepStrictEqual(documents(live), { a: ids("a", 2, 1) })
    const last = changes.at(-1)
    assert.deepStrictEqual(last?._tag === "Committed" ? last.removed.map(String) : [], ids("a", 1, 3))
  })

  it("keeps the passages where only vectors are made anew, and gives them the order of the document", () => {
    const embedder = EmbedderFingerprint.make("other/1/1")
    const again: LogGroup = { entries: [vector("a 1 0")], commit: { ...commit("a", 1, 2), embedder } }
    const { live } = fold(logOf([of(group("a")), of(again)]))
    assert.deepStrictEqual(documents(live), { a: ids("a", 1, 2) })
    const entry = Live.manifestOf(live, notes).get(DocId.make("a"))
    assert.deepStrictEqual([entry?.chunk_count, entry?.embedder, Number(entry?.seq)], [2, embedder, 7])
    const backwards: LogGroup = {
      entries: [2, 0, 1].map((ordinal) => reference("b", 1, ordinal)),
      commit: commit("b", 1, 3)
    }
    assert.deepStrictEqual(documents(fold(logOf([of(backwards)])).live), { b: ids("b", 1, 3) })
  })

  it("forgets a removed document, and keeps an excluded one until it may come back", () => {
    const start = [of(group("a")), of(group("b")), of(removal("a", 1, 2))]
    const removed = fold(logOf(start)).live
    assert.deepStrictEqual(documents(removed), { b: ids("b", 1, 2) })
    const excluded = fold(logOf([alone(exclusion("a", true)), ...start])).live
    assert.deepStrictEqual(documents(excluded), { a: [], b: ids("b", 1, 2) })
    assert.deepInclude(Live.manifestOf(excluded, notes).get(DocId.make("a")), { chunk_count: 0, excluded: true })
    const back = fold(logOf([alone(exclusion("a", true)), ...start, alone(exclusion("a", false))])).live
    assert.deepStrictEqual(documents(back), { b: ids("b", 1, 2) })
    // One that is let back in before it was taken away is still there.
    const still = fold(logOf([alone(exclusion("b", true)), ...start, alone(exclusion("b", false))])).live
    assert.deepStrictEqual([...Live.manifestOf(still, notes).values()].map(({ excluded }) => excluded), [undefined])
  })

  it("makes the manifest of one connector, from the commits", () => {
    const others = ConnectorName.make("others")
    const foreign: LogGroup = { entries: [], commit: { ...commit("a", 7, 0), connector: others, revision: "r7" } }
    const { live } = fold(logOf([of(group("a")), of(foreign), of(group("__proto__"))]))
    const manifest = Live.manifestOf(live, notes)
    assert.deepStrictEqual([...manifest.keys()].map(String).sort(), ["__proto__", "a"])
    const { connector: _, ...said } = commit("a", 1, 2)
    assert.deepEqual({ ...manifest.get(DocId.make("a")) }, { ...said, seq: 5 })
    const other = Live.manifestOf(live, others).get(DocId.make("a"))
    assert.deepStrictEqual([other?.revision, Number(other?.seq)], ["r7", 6])
  })

  const acts = FastCheck.array(
    FastCheck.record({
      doc: FastCheck.constantFrom("a", "b", "c"),
      what: FastCheck.constantFrom(
        ...["change", "change", "change", "cut", "broken", "remove", "exclude", "include", "vector", "again"] as const
      ),
      passages: FastCheck.nat(3),
      at: FastCheck.nat(6)
    }),
    { maxLength: 25 }
  )

  it.prop(
    "is the same in whatever pieces the log is folded, and equals a map of documents",
    [acts, FastCheck.array(FastCheck.nat(120), { maxLength: 5 })],
    ([steps, cuts]) => {
      const model = new Map<string, { version: number; passages: number; gone: boolean }>()
      const excluded = new Set<string>()
      const acts: Array<Act> = []
      for (const { at, doc, passages, what } of steps) {
        const old = model.get(doc) ?? { version: 0, passages: 0, gone: true }
        const next = change(doc, old.version + 1, old.passages, passages)
        switch (what) {
          case "change":
            acts.push(of(next))
            model.set(doc, { version: old.version + 1, passages, gone: false })
            break
          case "cut":
            acts.push({ do: "cut", group: next, lines: at })
            break
          case "broken":
            // A group of one line has no middle.
            if (next.entries.length > 0) acts.push({ do: "broken", group: next, at })
            break
          case "remove":
            if (old.gone) break
            acts.push(of(removal(doc, old.version, old.passages)))
            model.set(doc, { version: old.version, passages: 0, gone: true })
            break
          case "exclude":
            acts.push(alone(exclusion(doc, true)))
            // One that is gone already is not brought back by it.
            if (old.gone && !excluded.has(doc)) model.delete(doc)
            excluded.add(doc)
            break
          case "include":
            acts.push(alone(exclusion(doc, false)))
            excluded.delete(doc)
            break
          case "vector":
            acts.push(alone(vector(doc)))
            break
          case "again":
            if (!old.gone) acts.push(of({ entries: [vector(doc)], commit: commit(doc, old.version, old.passages) }))
        }
        if (what === "include" && old.gone) model.delete(doc)
      }
      const lines = logOf(acts)
      const { changes, live } = fold(lines)
      const expected = [...model].filter(([doc, { gone }]) => !gone || excluded.has(doc))
      assert.deepStrictEqual(
        documents(live),
        Object.fromEntries(expected.map(([doc, { gone, passages, version }]) => [
          doc,
          gone ? [] : ids(doc, version, passages)
        ]))
      )
      const manifest = Live.manifestOf(live, notes)
      assert.deepStrictEqual(
        [...manifest].map(([doc, { chunk_count, excluded }]) => [String(doc), chunk_count, excluded === true]).sort(),
        expected.map(([doc, { passages }]) => [doc, passages, excluded.has(doc)]).sort()
      )
      let pieces = { live: Live.empty, changes: new Array<Live.Change>() }
      const ends = [...cuts.map((cut) => cut % (lines.length + 1)).sort((a, b) => a - b), lines.length]
      for (const [i, end] of ends.entries()) {
        const piece = fold(lines.slice(i === 0 ? 0 : ends[i - 1], end), pieces.live)
        pieces = { live: piece.live, changes: [...pieces.changes, ...piece.changes] }
      }
      assert.deepStrictEqual(pieces.changes, changes)
      assert.deepStrictEqual(documents(pieces.live), documents(live))
      assert.deepStrictEqual(pieces.live.last, live.last)
    }
  )
})
