/**
 * The process of an engine: loads it, checks the weights and the engine's own arithmetic, then answers one batch at a
 * time. It ends when the program that started it does, however that ends.
 *
 * It is an entry of its own, and imports no more than it needs, for it stands between a user and the first hit.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { constVoid } from "effect/Function"
import * as Model from "../MiniLm/Model.ts"
import * as OnnxEngine from "../MiniLm/OnnxEngine.ts"
import * as WasmEngine from "../MiniLm/WasmEngine.ts"
import type { Run } from "./Engine.ts"
import { messageOf } from "./Message.ts"
import * as ModelFile from "./ModelFile.ts"
import type { Answer, Batch, Reply, Request, Start, Started } from "./Protocol.ts"

const engines = { onnx: OnnxEngine.load, wasm: WasmEngine.load }

/** What foreign code rejects with is an answer like any other. */
const attempt = <A>(call: () => Promise<Either.Either<A, string>>): Promise<Either.Either<A, string>> =>
  call().catch((cause: unknown) => Either.left(messageOf(cause)))

const isRight = (values: Float32Array): boolean =>
  values.length === Model.dims
  && Model.selfCheck.begins.every((value, i) => Math.abs((values[i] ?? Number.NaN) - value) <= Model.selfCheck.within)

const check = async (run: Run): Promise<Either.Either<Run, string>> => {
  const values = await run([Model.selfCheck.sequence])
  return isRight(values)
    ? Either.right(run)
    : Either.left(`it computes wrong vectors: "hello world" begins with ${values.slice(0, 3).join(", ")}`)
}

interface Opened {
  readonly started: Started
  readonly run?: Run
}

const unusable = (detail: string): Opened => ({ started: { _tag: "Unusable", detail } })

/** The engine at work, unless it was only asked whether it can be loaded. */
const open = async ({ engine, options, weights }: Start): Promise<Opened> => {
  const loaded = await attempt(() => engines[engine](options))
  if (Either.isLeft(loaded)) return unusable(loaded.left)
  if (weights === undefined) return { started: { _tag: "Ready" } }
  const bytes = await ModelFile.read(weights)
  if (Either.isLeft(bytes)) return { started: { _tag: "Damaged", detail: bytes.left } }
  const opened = await attempt(() => loaded.right.open(bytes.right))
  if (Either.isLeft(opened)) return unusable(opened.left)
  const run = await attempt(() => check(opened.right))
  return Either.isLeft(run) ? unusable(run.left) : { started: { _tag: "Ready" }, run: run.right }
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
