import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import type { LocatedRecord } from "../../services/LogReader.ts"
import type { LogGroup } from "../../services/LogWriter.ts"
import { ConnectorName, Timestamp } from "../../src/domain/Ids.ts"
import type { LogRecord } from "../../src/domain/LogRecord.ts"
import * as Compose from "../../src/log/Compose.ts"
import { apply, empty, manifestOf } from "../../src/log/Live.ts"
import * as ManifestTail from "../../src/sync/ManifestTail.ts"
import { commit, exclusion, group, notes, vector } from "../fixtures/LogGroups.ts"

const at = Timestamp.make("2026-11-29T20:00:00.000Z")
const others = ConnectorName.make("others")

type Act = "store" | "vectors" | "remove" | "exclude" | "include" | "foreign" | "alone" | "torn"

const removal = (doc: string, entries: LogGroup["entries"] = []): LogGroup => ({
  entries,
  commit: { ...commit(doc, 1, 0), removed: true }
})

/** The lines of each act, one behind the other, as the engine writes them; of a torn group the commit is missing. */
const logOf = (acts: ReadonlyArray<readonly [Act, string]>): ReadonlyArray<ReadonlyArray<LocatedRecord>> => {
  let seq = 1
  return acts.map(([act, doc], version) => {
    const place = { seq, at, durable_to: 0 }
    const stored = group(doc, { version, passages: version % 3 })
    const lines: ReadonlyArray<LogRecord> = {
      store: () => Compose.group(stored, place),
      vectors: () => Compose.group({ entries: [vector(doc)], commit: commit(doc, version, 2) }, place),
      remove: () => Compose.group(removal(doc), place),
      exclude: () => Compose.group(removal(doc, [exclusion(doc, true)]), place),
      include: () => Compose.alone([exclusion(doc, false)], place),
      foreign: () => Compose.group({ ...stored, commit: { ...stored.commit, connector: others } }, place),
      alone: () => Compose.alone([vector(doc)], place),
      torn: () => Compose.group(group(doc, { version, passages: 2 }), place).slice(0, -1)
    }[act]()
    seq += lines.length
    return lines.map((record) => ({ record, position: { segment: 1, offset: record.seq * 10 }, length: 10 }))
  })
}

const acts = FastCheck.array(
  FastCheck.tuple(
    FastCheck.constantFrom<Act>("store", "vectors", "remove", "exclude", "include", "foreign", "alone", "torn"),
    FastCheck.constantFrom("a", "b", "__proto__")
  ),
  { maxLength: 12 }
)

const whole = (lines: ReadonlyArray<LocatedRecord>) =>
  manifestOf(lines.reduce((state, line) => apply(state, line)[0], empty), notes)

describe("ManifestTail", () => {
  it.prop(
    "makes of the manifest of a log's head what the whole log says, wherever a run began",
    [acts, FastCheck.nat()],
    ([acts, cut]) => {
      // A document of vectors alone was stored before, and none is stored while it is kept out.
      const stored = acts.filter(([act, doc], i) => {
        const lastOf = (...these: ReadonlyArray<Act>) =>
          acts.slice(0, i).filter(([other, name]) => name === doc && these.includes(other)).at(-1)?.[0]
        return act === "store"
          ? lastOf("exclude", "include") !== "exclude"
          : act !== "vectors" || lastOf("store", "remove", "exclude") === "store"
      })
      const log = logOf(stored)
      const at = cut % (log.length + 1)
      const { entries } = log.slice(at).flat().reduce(
        ManifestTail.step,
        ManifestTail.from(notes, whole(log.slice(0, at).flat()))
      )
      const expected = whole(log.flat())
      assert.deepStrictEqual([...entries.keys()].sort(), [...expected.keys()].sort())
      // Of vectors alone this log's commits do not say how many passages there are.
      for (const [id, entry] of expected) {
        assert.deepStrictEqual({ ...entries.get(id), chunk_count: 0 }, { ...entry, chunk_count: 0 })
      }
    }
  )
})
