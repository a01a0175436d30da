/** What every connector of sessions keeps, given a source that the suite may change. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Files } from "../../layers/RecordSource/Transcript/File.ts"
import type { SessionConnector } from "../../services/SourceConnector.ts"
import type { Cursor } from "../../src/domain/Cursor.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { Record } from "../../src/domain/Record.ts"
import type { SessionItem } from "../../src/domain/SessionRead.ts"
import { collect, counted, isCursor, isRecord, isWarning, keysAndTexts } from "../fixtures/Transcripts.ts"

/** A connector and its source, which holds nothing at first. */
export interface Subject {
  readonly connector: SessionConnector
  /** Two session keys that the source takes. */
  readonly ids: readonly [string, string]
  /** What a session holds, in bytes. */
  readonly put: (id: string, content: string | Uint8Array) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
  /** Takes away the place where the source is. */
  readonly unplug: Effect.Effect<void>
}

/** How the agent writes: the number and the text are those of one thing that a person said. */
export interface Language {
  readonly said: (n: number, text: string) => string
  /** Lines of any sort, some of them damaged. */
  readonly soup: FastCheck.Arbitrary<string>
}

const listed = (connector: SessionConnector) =>
  Effect.gen(function*() {
    const { coverage, documents, roots } = yield* connector.list(new Map())
    const items = yield* collect(documents)
    return { coverage, roots, refs: items.filter((item) => item instanceof DocumentRef) }
  })

const refOf = (connector: SessionConnector, id: string) =>
  Effect.flatMap(listed(connector), ({ refs }) => Effect.fromNullable(refs.find(({ doc_id }) => doc_id === id)))

const reading = (connector: SessionConnector, id: string, cursor?: Cursor) =>
  Effect.flatMap(refOf(connector, id), (ref) => collect(connector.records(ref, cursor)))

const cursorOf = (items: ReadonlyArray<SessionItem>): Cursor =>
  items.findLast(isCursor) ?? assert.fail("no cursor came")

const isObject = (json: unknown) => typeof json === "object" && json !== null && !Array.isArray(json)

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0d

const textsOf = (items: ReadonlyArray<SessionItem>) => [...keysAndTexts(items).values()]

export const contract = <E>(
  name: string,
  make: Effect.Effect<Subject, E, Scope.Scope>,
  { said, soup }: Language
): void => {
  const talk = (...texts: ReadonlyArray<string>) => texts.map((text, i) => said(i, text)).join("")

  const filled = Effect.tap(
    make,
    ({ ids: [a, b], put }) => Effect.all([put(a, talk("one", "two")), put(b, talk("three"))])
  )

  describe(`SourceConnector/${name}, as of sessions,`, () => {
    it.scopedLive("lists each session once, as a window, by a file URI below its root", () =>
      Effect.gen(function*() {
        const { connector, ids } = yield* filled
        const { coverage, refs, roots } = yield* listed(connector)
        assert.strictEqual(connector.source_type, "session")
        assert.strictEqual(coverage, "window")
        assert.deepStrictEqual(roots.map(({ status }) => status), ["readable"])
        assert.deepStrictEqual(refs.map(({ doc_id }) => String(doc_id)).sort(), [...ids].sort())
        for (const { media_type, revision, size, source_uri } of refs) {
          assert.isTrue(source_uri.startsWith(`${roots[0]?.uri}/`))
          assert.strictEqual(media_type, "application/jsonl")
          assert.isTrue(revision?.startsWith(`${size}-`))
        }
      }))

    it.scopedLive("says something else of a session that grew, and the same of the other", () =>
      Effect.gen(function*() {
        const { connector, ids: [a, b], put } = yield* filled
        const before = [yield* refOf(connector, a), yield* refOf(connector, b)]
        yield* put(a, talk("one", "two", "three"))
        const after = [yield* refOf(connector, a), yield* refOf(connector, b)]
        assert.notStrictEqual(after[0]?.revision, before[0]?.revision)
        assert.strictEqual(after[1]?.revision, before[1]?.revision)
      }))

    it.scopedLive("reads what was said, in order, as Records of its session that their schema takes", () =>
      Effect.gen(function*() {
        const { connector, ids: [a] } = yield* filled
        const items = yield* reading(connector, a)
        const records = items.filter(isRecord)
        assert.deepStrictEqual(records.map(({ role, text }) => [role, text]), [["user", "one"], ["user", "two"]])
        assert.deepStrictEqual(records.map(({ seq }) => seq), [0, 1])
        for (const record of records) {
          assert.strictEqual(record.session_key, a)
          assert.strictEqual(record.source, connector.kind)
          assert.deepStrictEqual(Schema.decodeSync(Record)(Schema.encodeSync(Record)(record)), record)
        }
        assert.isTrue(isCursor(items.at(-1)))
        assert.deepStrictEqual(keysAndTexts(yield* reading(connector, a)), keysAndTexts(items))
      }))

    it.scopedLive("reads nothing behind its own cursor, and then only what was added", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* filled
        const cursor = cursorOf(yield* reading(connector, a))
        assert.deepStrictEqual(yield* reading(connector, a, cursor), [])
        yield* put(a, talk("one", "two", "three"))
        const more = yield* reading(connector, a, cursor)
        assert.deepStrictEqual(more.filter(isRecord).map(({ seq, text }) => [seq, text]), [[2, "three"]])
        assert.strictEqual(cursorOf(more).next_seq, 3)
      }))

    it.scopedLive("reads a file that was rewritten all over, under the same keys", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* filled
        const first = yield* reading(connector, a)
        yield* put(a, talk("one"))
        const again = yield* reading(connector, a, cursorOf(first))
        assert.deepStrictEqual([...keysAndTexts(again)], [...keysAndTexts(first)].slice(0, 1))
      }))

    it.scopedLive("gives batches, and a cursor with each", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* make
        yield* put(a, Array.from({ length: 2000 }, (_, i) => said(i, `text ${i}`)).join(""))
        const ref = yield* refOf(connector, a)
        const batches = yield* collect(Stream.chunks(connector.records(ref, undefined)))
        assert.isAtMost(batches.length, 2000 / 64)
        for (const batch of batches) assert.isTrue(isCursor([...batch].at(-1)))
        assert.strictEqual(batches.flatMap((batch) => [...batch]).filter(isRecord).length, 2000)
      }))

    it.scopedLive("reads one line where one was added", () =>
      Effect.gen(function*() {
        const { connector, ids: [a], put } = yield* make
        const long = Array.from({ length: 1200 }, (_, i) => said(i % 60, `${"word ".repeat(1000)}${i}`)).join("")
        yield* put(a, long)
        const cursor = cursorOf(yield* reading(connector, a))
        yield* put(a, long + said(1, "one more"))
        const count = counted()
        const items = yield* Effect.provideService(reading(connector, a, cursor), Files, count.files)
        assert.deepStrictEqual(textsOf(items), ["one more"])
        assert.isAbove(long.length, 6_000_000)
        // The look back, the file's head, two tails, and the line.
        assert.isBelow(count.bytes, 1.5 * 1024 * 1024)
      }))

    it.scopedLive("fails with the file's name where it is gone, and lists it no more", () =>
      Effect.gen(function*() {
        const { connector, ids: [a, b], remove } = yield* filled
        const ref = yield* refOf(connector, a)
        yield* remove(a)
        const failure = yield* Effect.flip(collect(connector.records(ref, undefined)))
        assert.match(failure.message, /\.jsonl: it is no longer there; /)
        assert.deepStrictEqual((yield* listed(connector)).refs.map(({ doc_id }) => String(doc_id)), [b])
      }))

    it.scopedLive("says of a root that is not there that it is missing, and lists nothing", () =>
      Effect.gen(function*() {
        const { connector, unplug } = yield* filled
        yield* unplug
        const { refs, roots } = yield* listed(connector)
        assert.deepStrictEqual([refs, roots.map(({ status }) => status)], [[], ["missing"]])
      }))

    it.scopedLive.prop(
      "reads the same in two readings as in one, wherever the first one ended",
      [soup, FastCheck.double({ min: 0, max: 1, noNaN: true })],
      ([content, part]) =>
        Effect.gen(function*() {
          const { connector, ids: [a], put } = yield* make
          const bytes = Buffer.from(content)
          yield* put(a, bytes)
          const whole = yield* reading(connector, a)
          yield* put(a, bytes.subarray(0, Math.floor(part * bytes.length)))
          const first = yield* reading(connector, a)
          yield* put(a, bytes)
          const cursor = first.findLast(isCursor)
          const second = yield* reading(connector, a, cursor)
          assert.deepStrictEqual(keysAndTexts([...first, ...second]), keysAndTexts(whole))
          const from = cursor?.offset ?? 0
          const isBehind = ({ origin }: Record) => (origin?.byte_offset ?? 0) >= from
          assert.deepStrictEqual(
            second.filter(isRecord).map(({ key, seq, tool_name }) => [key, seq, tool_name]),
            whole.filter(isRecord).filter(isBehind).map(({ key, seq, tool_name }) => [key, seq, tool_name])
          )
        }),
      { fastCheck: { numRuns: 40 } }
    )

    it.scopedLive.prop(
      "reads any bytes, and accounts for each line that is no blank",
      [FastCheck.oneof(soup.map((text) => Buffer.from(text)), FastCheck.uint8Array({ maxLength: 200 }))],
      ([bytes]) =>
        Effect.gen(function*() {
          const { connector, ids: [a], put } = yield* make
          const content = Buffer.concat([Buffer.from(said(0, "first")), bytes])
          yield* put(a, content)
          const items = yield* reading(connector, a)
          const spoken = [
            ...items.filter(isRecord).flatMap(({ origin }) => origin === undefined ? [] : [origin]),
            ...items.filter(isWarning)
          ]
          const isSpokenOf = (at: number) =>
            spoken.some(({ byte_length, byte_offset }) => at >= byte_offset && at < byte_offset + byte_length)
          let from = 0
          for (let to = content.indexOf(10); to >= 0; from = to + 1, to = content.indexOf(10, from)) {
            const parses = (from: number, to: number) => {
              try {
                return isObject(JSON.parse(content.toString("utf8", from, to).replace(/^\0*/, "")))
              } catch {
                return false
              }
            }
            // A line that can be read may have nothing to say, and so may an object that was saved from a bad one.
            if (parses(from, to) || content.toString("latin1", from, to).trim() === "") continue
            for (let at = from; at < to; at++) {
              if (isSpokenOf(at) || isBlank(content[at])) continue
              let end = at
              while (end < to && !isSpokenOf(end)) end++
              assert.isTrue(parses(at, end), `${at} to ${end} of ${content.toString("latin1", from, to)}`)
              at = end
            }
          }
        }),
      { fastCheck: { numRuns: 40 } }
    )
  })
}
