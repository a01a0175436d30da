/** What every ProgressStore keeps, given a way to make an empty one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { ProgressStore } from "../../services/ProgressStore.ts"
import { ConnectorName, DocId, Seq } from "../../src/domain/Ids.ts"
import type { ProgressLine } from "../../src/domain/Manifest.ts"
import { entry, notes } from "./ManifestStore.ts"

const papers = ConnectorName.make("papers")

export const removed = (id: string, seq = 1): ProgressLine => ({ removed: DocId.make(id), seq: Seq.make(seq) })

export const contract = (name: string, layer: () => Layer.Layer<ProgressStore>): void => {
  const withStore = <A, E>(test: (store: ProgressStore["Type"]) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => Effect.provide(Effect.flatMap(ProgressStore, test), layer()))

  describe(`ProgressStore/${name}`, () => {
    it.effect("has nothing before a sync begins", () =>
      withStore(({ clear, exists, load }) =>
        Effect.gen(function*() {
          assert.isFalse(yield* exists(notes))
          assert.deepStrictEqual(yield* load(notes), [])
          yield* clear(notes)
          assert.isFalse(yield* exists(notes))
        })
      ))

    it.effect("exists from its beginning until it is cleared", () =>
      withStore(({ append, begin, clear, exists, load }) =>
        Effect.gen(function*() {
          yield* begin(notes)
          assert.isTrue(yield* exists(notes))
          assert.isFalse(yield* exists(papers))
          assert.deepStrictEqual(yield* load(notes), [])
          yield* append(notes, removed("a"))
          yield* clear(notes)
          assert.isFalse(yield* exists(notes))
          assert.deepStrictEqual(yield* load(notes), [])
          yield* clear(notes)
        })
      ))

    it.effect("gives back its lines in order, each connector's own", () =>
      withStore(({ append, load }) =>
        Effect.gen(function*() {
          const lines: ReadonlyArray<ProgressLine> = [
            { entry: entry("__proto__", 3) },
            removed("a\n", 7),
            { entry: entry("é😀") }
          ]
          yield* Effect.forEach(lines, (line) => append(notes, line), { discard: true })
          yield* append(papers, removed("b"))
          assert.deepStrictEqual(yield* load(notes), lines)
          assert.deepStrictEqual(yield* load(papers), [removed("b")])
        })
      ))

    it.effect("is not emptied by another beginning, and begins again after it was cleared", () =>
      withStore(({ append, begin, clear, exists, load }) =>
        Effect.gen(function*() {
          yield* append(notes, removed("a"))
          yield* begin(notes)
          yield* append(notes, removed("b"))
          assert.deepStrictEqual(yield* load(notes), [removed("a"), removed("b")])
          yield* clear(notes)
          yield* append(notes, removed("c"))
          assert.isTrue(yield* exists(notes))
          assert.deepStrictEqual(yield* load(notes), [removed("c")])
        })
      ))

    it.effect("keeps all lines that come together, whole", () =>
      withStore(({ append, load }) =>
        Effect.gen(function*() {
          const ids = Array.from({ length: 200 }, (_, i) => `${"x".repeat(i)}${i}`)
          yield* Effect.forEach(ids, (id) => append(notes, removed(id)), { concurrency: 32, discard: true })
          const back = (yield* load(notes)).map((line) => "removed" in line ? line.removed : "")
          assert.deepStrictEqual(back.toSorted(), ids.toSorted())
        })
      ))
  })
}
