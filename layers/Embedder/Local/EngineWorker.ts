/**
 * The process of an engine: loads it, opens the model with it, then answers one batch at a time. It ends when the program
 * that started it does, however that ends.
 *
 * It is an entry of its own, and imports no more than it needs, for it stands between a user and the first hit.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { constVoid } from "effect/Function"
import * as WasmEngine from "../MiniLm/WasmEngine.ts"
import { type Run, unusable } from "./Engine.ts"
import { messageOf } from "./Message.ts"
import * as OnnxEngine from "./OnnxEngine.ts"
import type { Answer, Batch, Reply, Request, Start, Started } from "./Protocol.ts"

const engines = { onnx: OnnxEngine.load, wasm: WasmEngine.load }

/** What foreign code rejects with is an answer like any other. */
const attempt = <A, E>(
  call: () => Promise<Either.Either<A, E>>,
  toError: (detail: string) => E
): Promise<Either.Either<A, E>> => call().catch((cause: unknown) => Either.left(toError(messageOf(cause))))

interface Opened {
  readonly started: Started
  readonly run?: Run
}

/** The engine at work, unless it was only asked whether it can be loaded. */
const open = async ({ engine, model, options }: Start): Promise<Opened> => {
  const loaded = await attempt(() => engines[engine](options), (detail) => detail)
  if (Either.isLeft(loaded)) return { started: unusable(loaded.left) }
  if (model === undefined) return { started: { _tag: "Ready" } }
  const run = await attempt(() => loaded.right.open(model), unusable)
  return Either.isLeft(run) ? { started: run.left } : { started: { _tag: "Ready" }, run: run.right }
}

const answer = (run: Run, { id, sequences }: Batch): Promise<Answer> =>
  run(sequences).then(
    (values) => ({ _tag: "Vectors", id, values }),
    (cause) => ({ _tag: "Failed", id, detail: messageOf(cause) })
  )

const tell = (reply: Reply): void => void process.send?.(reply)

/** Messages wait for one another, batches for the engine. */
let turn: Promise<Opened> | undefined
process.on("message", (request: Request) => {
  if (request._tag === "Start") {
    turn = open(request)
    void turn.then(({ started }) => tell(started))
  } else {
    turn = turn?.then(async (opened) => {
      if (opened.run !== undefined) tell(await answer(opened.run, request))
      return opened
    })
  }
})

process.once("disconnect", () => process.exit())

// A terminal sends it to all processes of the program, which decides itself what to finish.
process.on("SIGINT", constVoid)
