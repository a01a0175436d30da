/**
 * Embeds the chunker in an Effect app: a source, a policy and a counter, each of which could be another one.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ChunkPolicy, chunks, Record, RecordKey, RecordSource } from "poimen-memory"
import { VecSource } from "poimen-memory/layers/RecordSource/Vec"
import * as CharsOverFour from "poimen-memory/layers/TokenCounter/CharsOverFour"

const program = Effect.gen(function*() {
  const { records } = yield* RecordSource
  const policy = yield* ChunkPolicy.from({ max_tokens: 10 })
  yield* records.pipe(
    chunks(policy),
    Stream.runForEach(({ over_budget, records, t, tokens }) =>
      Console.log(`chunk ${t}: ${tokens} tokens in ${records.length} records${over_budget ? ", over budget" : ""}`)
    )
  )
})

const session = VecSource(
  ["Which port does it use?", "4317.", "And who else is on it?", "The collector listens on 4317 by default."].map(
    (text, i) => new Record({ key: RecordKey.make(`demo:${i + 1}`), text })
  )
)

await Effect.runPromise(Effect.provide(program, Layer.merge(session, CharsOverFour.layer)))
