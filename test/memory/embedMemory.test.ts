/** Memory gets its vectors: what is accepted and concluded, each text once, and no word of what was not accepted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Cached from "../../layers/Embedder/Cached.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import * as Sqlite from "../../layers/Projection/Sqlite.ts"
import { Embedder } from "../../services/Embedder.ts"
import type { LogReader } from "../../services/LogReader.ts"
import type { LogWriter } from "../../services/LogWriter.ts"
import { Search } from "../../services/Search.ts"
import { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import { EmbedderFingerprint } from "../../src/domain/Ids.ts"
import { type EmbeddedMemory, embedMemory } from "../../src/memory/embedMemory.ts"
import { engines, quiet } from "../fixtures/Index.ts"
import { count, keyword, make as newWorld, say, type World } from "./World.ts"

type Trouble = (texts: ReadonlyArray<string>) => EmbedderError | EmbedderUnavailable | undefined

/** One embedder by its name, what it was asked for, and what is wrong with it. */
const embedderOf = (name: string, asked: Array<string>, trouble: Trouble = () => undefined, refuses = "") =>
  Layer.effect(
    Embedder,
    Effect.map(Embedder, (inner) => ({
      ...inner,
      fingerprint: EmbedderFingerprint.make(name),
      embed: (texts: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          const error = trouble(texts)
          if (error !== undefined) return Effect.fail(error)
          asked.push(...texts)
          return Effect.map(inner.embed(texts), (answers) =>
            answers.map((answer, i) =>
              refuses !== "" && texts[i]?.includes(refuses) === true
                ? Either.left(new EmbedRefused({ detail: "too odd", retryable: false }))
                : answer
            ))
        })
    }))
  ).pipe(Layer.provide(Hashed.layer({ dims: 8 })))

const withIndex = <A, E>(
  { provide }: World,
  embedder: Layer.Layer<Embedder>,
  program: Effect.Effect<A, E, Embedder | Search | LogReader | LogWriter | Layer.Layer.Success<typeof index>>
) => provide(Effect.provide(program, Layer.provideMerge(Cached.layerIndexed, Layer.merge(embedder, index))))

const index = Layer.orDie(Sqlite.memory({ engine: engines.vec0 }))

const embedded = (world: World, embedder: Layer.Layer<Embedder>): Effect.Effect<EmbeddedMemory, unknown> =>
  withIndex(world, embedder, embedMemory)

const remembering = Effect.gen(function*() {
  const world = yield* newWorld
  yield* world.archive("s1", [say("a", "FACT the cat is black."), say("b", "Nothing of note in here.")])
  yield* world.archive("s2", [say("c", "FACT the dog is red.")])
  yield* world.run(keyword, { consolidate: true })
  return world
})

describe("memory is embedded", () => {
  it.effect("what was accepted and concluded, each text once for an embedder, whatever comes in between", () =>
    Effect.gen(function*() {
      const world = yield* remembering
      const first: Array<string> = []
      const done = yield* embedded(world, embedderOf("one/8/1", first))
      // Evidence, session memory and consolidated memory have words in common: L1 is its L0's fact here.
      assert.include(first, "FACT the cat is black.")
      assert.include(first, "FACT the dog is red.")
      assert.isFalse(first.some((text) => text.includes("Nothing of note")))
      assert.deepStrictEqual(first, [...new Set(first)])
      assert.deepStrictEqual(done, { embed_texts: first.length, embed_calls: 1 })
      assert.strictEqual(count(yield* world.lines, "vector"), first.length)

      const again: Array<string> = []
      assert.deepStrictEqual(yield* embedded(world, embedderOf("one/8/1", again)), { embed_texts: 0, embed_calls: 0 })
      assert.strictEqual(count(yield* world.lines, "vector"), first.length)

      yield* world.archive("s3", [say("d", "FACT the fox is quick.")])
      yield* world.run(keyword, { consolidate: false })
      yield* embedded(world, embedderOf("one/8/1", again))
      assert.deepStrictEqual(again, ["FACT the fox is quick."])

      const other: Array<string> = []
      yield* embedded(world, embedderOf("two/8/1", other))
      assert.sameMembers(other, [...first, ...again])
      const back: Array<string> = []
      yield* embedded(world, embedderOf("one/8/1", back))
      assert.deepStrictEqual(back, [], "the log has them")
      const hits = yield* withIndex(
        world,
        embedderOf("one/8/1", back),
        Effect.gen(function*() {
          yield* embedMemory
          const { embed, fingerprint } = yield* Embedder
          const [answer] = yield* embed(["FACT the dog is red."])
          if (answer === undefined) return []
          const { search } = yield* Search
          return yield* search({ text: "", mode: "vector", k: 2, vector: { values: yield* answer, fingerprint } })
        })
      )
      assert.sameMembers(hits.map(({ level, score, text }) => `${level} ${score.toFixed(2)} ${text}`), [
        "L0 1.00 FACT the dog is red.",
        "L1 1.00 FACT the dog is red."
      ])
    }))

  it.effect("or found by its words, where there is no embedder, or it fails, or refuses a text; and later made good", () =>
    Effect.gen(function*() {
      const world = yield* remembering
      const gone = new EmbedderUnavailable({ embedder: "one/8/1", detail: "no engine" })
      assert.deepStrictEqual(yield* embedded(world, embedderOf("one/8/1", [], () => gone)), {
        embed_texts: 0,
        embed_calls: 0
      })
      const broken = new EmbedderError({
        embedder: "one/8/1",
        detail: "key refused",
        advice: "mend it",
        retryable: false
      })
      const failed = yield* embedded(world, embedderOf("one/8/1", [], () => broken))
      assert.match(failed.failure ?? "", /key refused/)
      assert.strictEqual(count(yield* world.lines, "vector"), 0)
      const asked: Array<string> = []
      const refused = yield* embedded(world, embedderOf("one/8/1", asked, () => undefined, "black"))
      assert.isUndefined(refused.failure)
      const without = asked.filter((text) => text.includes("black")).length
      assert.isAbove(without, 0)
      assert.strictEqual(count(yield* world.lines, "vector"), asked.length - without)
      const rest: Array<string> = []
      yield* embedded(world, embedderOf("one/8/1", rest))
      assert.lengthOf(rest, without)
    }).pipe(Effect.provide(quiet)))
})
