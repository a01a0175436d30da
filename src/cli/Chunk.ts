/**
 * `mem chunk`: shows how files would be chunked. It writes nothing; Records are read as streams.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { chunkDocument } from "./ChunkDocument.ts"
import { options, type Plan, planOf } from "./ChunkOptions.ts"
import * as ChunkPrinter from "./ChunkPrinter.ts"
import { chunkRecords } from "./ChunkRecords.ts"
import { global } from "./Global.ts"

const printerOf = ({ counter, policy, print }: Plan): Effect.Effect<ChunkPrinter.ChunkPrinter> => {
  const made = { max_tokens: policy.max_tokens, counter: counter.fingerprint }
  return print === "jsonl"
    ? Effect.succeed(ChunkPrinter.jsonl)
    : print === "json"
    ? ChunkPrinter.json(made)
    : ChunkPrinter.table(made)
}

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const chunk = Command.make("chunk", options, (given) =>
  Effect.gen(function*() {
    const { json } = yield* global
    const plan = yield* planOf(given, json)
    const printer = yield* printerOf(plan)
    yield* Effect.forEach(
      plan.files,
      ({ chunker, file }) =>
        chunker === undefined ? chunkRecords(plan, printer, file) : chunkDocument(plan, printer, file, chunker),
      { discard: true }
    )
    yield* printer.end
  })).pipe(Command.withDescription("Show how files would be chunked. Reads only; a pipe that never ends is fine."))
