/**
 * `mem dump`: all that is live, as sorted JSON lines, to be compared and to be taken elsewhere.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Live from "../../layers/Live.ts"
import { digest, dump as lines } from "../sync/rebuild.ts"
import { answer } from "./Answer.ts"
import { global } from "./Global.ts"
import { existingHome } from "./Home.ts"
import { Output } from "./Output.ts"
import { UsageError } from "./UsageError.ts"

const refuse = (detail: string) => new UsageError({ command: "mem dump", detail })

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const dump = Command.make("dump", {
  embeddings: Options.boolean("embeddings").pipe(
    Options.withDescription("With each passage its vector: base64 of little-endian float32")
  ),
  digest: Options.boolean("digest").pipe(
    Options.withDescription("Only the sha256 of what --embeddings would print")
  )
}, (given) =>
  Effect.gen(function*() {
    const { json } = yield* global
    if (given.digest && given.embeddings) return yield* refuse("--digest is of all there is, the embeddings too")
    if (json && !given.digest) return yield* refuse("it prints JSON lines without --json")
    const home = yield* existingHome("mem dump")
    const { write } = yield* Output
    const layer = Layer.provide(Live.readIndex(home), Live.read(home))
    if (!given.digest) {
      return yield* lines({ embeddings: given.embeddings }).pipe(
        Stream.runForEachChunk((some) => write(Chunk.toReadonlyArray(some).join(""))),
        Effect.provide(layer)
      )
    }
    const state = yield* Effect.provide(digest, layer)
    yield* answer({ document: { command: "dump", ok: true, ...state }, lines: [state.state_sha256] })
  })).pipe(Command.withDescription("Print all that is live as sorted JSON lines. Reads only."))
