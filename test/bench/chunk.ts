/**
 * `chunks()` against a plain async generator that does the same work record by record: the price of being a Stream.
 */
import * as EffectChunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import { chunks } from "../../src/chunk/chunks.ts"
import { Chunk } from "../../src/domain/Chunk.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { RecordKey } from "../../src/domain/Ids.ts"
import { Record } from "../../src/domain/Record.ts"
import { alternate } from "./alternate.ts"

const total = 1_000_000
const policy = ChunkPolicy.default
const { count } = CharsOverFour.make

const blank = new Record({ key: RecordKey.make("blank"), text: "" })

/** Texts of 40 to 440 characters: a hundred records or so a chunk. */
const records: ReadonlyArray<Record> = Array.from(
  { length: total },
  (_, i) =>
    new Record({ ...blank, key: RecordKey.make(`r${i}`), text: "x".repeat(40 + (i * 7919) % 400) }, {
      disableValidation: true
    })
)

async function* oneByOne(): AsyncGenerator<Record> {
  for (const record of records) yield record
}

async function* plain(): AsyncGenerator<Chunk> {
  let open: Array<Record> = []
  let tokens = 0
  let t = 1
  const close = () =>
    new Chunk({ t: t++, tokens, over_budget: tokens > policy.max_tokens, records: open }, { disableValidation: true })
  for await (const record of oneByOne()) {
    const more = count(record.text)
    if (open.length > 0 && tokens + more > policy.max_tokens) {
      yield close()
      open = []
      tokens = 0
    }
    open.push(record)
    tokens += more
  }
  if (open.length > 0) yield close()
}

/** A source that emits a batch a pull, as a reader of files does. */
const inBatches = (size: number): Stream.Stream<Record> => {
  const batches: Array<EffectChunk.Chunk<Record>> = []
  for (let i = 0; i < total; i += size) batches.push(EffectChunk.unsafeFromArray(records.slice(i, i + size)))
  return Stream.suspend(() => {
    const rest = batches.values()
    return Stream.repeatEffectChunkOption(Effect.suspend(() => {
      const next = rest.next()
      return next.done === true ? Effect.fail(Option.none()) : Effect.succeed(next.value)
    }))
  })
}

const streamed = (size: number) => {
  const source = inBatches(size)
  return {
    name: `chunks(), batches of ${size}`,
    run: () => Effect.runPromise(source.pipe(chunks(policy), Stream.runCount, Effect.provide(CharsOverFour.layer)))
  }
}

const counted = async (): Promise<number> => {
  let n = 0
  for await (const _ of plain()) n += 1
  return n
}

export const chunk = async (): Promise<void> => {
  const contestants = [{ name: "async generator, record by record", run: counted }, streamed(64), streamed(4096)]
  const [first, ...others] = await Promise.all(contestants.map(({ run }) => run()))
  if (others.some((other) => other !== first)) console.error("the contestants do not make the same chunks")
  for (const { median, name, ratio } of await alternate(contestants, { rounds: 9, warmUp: 2 })) {
    const speed = Math.round(total / median * 1000).toLocaleString("en-US")
    console.log(`${name.padEnd(34)} ${speed.padStart(12)} records/s   ${ratio.toFixed(2)}x`)
  }
}
