/**
 * The native engine, onnxruntime-node. Runs within a process of its own: a call blocks until it is done.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { exportsOf, type LoadedEngine, type LoadEngine, type Run } from "../Local/Engine.ts"
import { names, onnxGraph } from "./OnnxGraph.ts"
import * as Safetensors from "./Safetensors.ts"

/** What is used of the package, whose types are not in it. */
interface Onnx {
  readonly Tensor: new(type: "int64", data: BigInt64Array, dims: ReadonlyArray<number>) => object
  readonly InferenceSession: { readonly create: (graph: Uint8Array, options: object) => Promise<Session> }
}

interface Session {
  readonly run: (feeds: { readonly [name: string]: object }) => Promise<{ readonly [name: string]: unknown }>
}

const isOnnx = (module: unknown): module is Onnx =>
  Predicate.hasProperty(module, "Tensor") && Predicate.isFunction(module.Tensor)
  && Predicate.hasProperty(module, "InferenceSession")
  && Predicate.hasProperty(module.InferenceSession, "create")
  && Predicate.isFunction(module.InferenceSession.create)

/** The arena would keep what the longest batch ever needed. */
const sessionOptions = (threads: number) => ({
  executionProviders: ["cpu"],
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  logSeverityLevel: 3
})

/** Sequences of one length side by side, the shorter ones filled up with what the mask hides. */
const batchOf = ({ Tensor }: Onnx, sequences: ReadonlyArray<ReadonlyArray<number>>) => {
  const length = Math.max(...sequences.map((sequence) => sequence.length))
  const ids = new BigInt64Array(sequences.length * length)
  const mask = new BigInt64Array(sequences.length * length)
  sequences.forEach((sequence, row) =>
    sequence.forEach((id, column) => {
      ids[row * length + column] = BigInt(id)
      mask[row * length + column] = 1n
    })
  )
  const dims = [sequences.length, length]
  return { [names.ids]: new Tensor("int64", ids, dims), [names.mask]: new Tensor("int64", mask, dims) }
}

const runOf = (onnx: Onnx, session: Session): Run => async (sequences) => {
  const { [names.output]: output } = await session.run(batchOf(onnx, sequences))
  return Predicate.hasProperty(output, "data") && output.data instanceof Float32Array ? output.data : new Float32Array()
}

const open = (onnx: Onnx, threads: number): LoadedEngine["open"] => async (weights) => {
  const graph = Either.flatMap(Safetensors.parse(weights), onnxGraph)
  return Either.isLeft(graph)
    ? Either.left(`the graph cannot be made of the weights: ${graph.left}`)
    : Either.right(
      runOf(onnx, await onnx.InferenceSession.create(Buffer.concat(graph.right), sessionOptions(threads)))
    )
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const load: LoadEngine = async ({ module, threads }) => {
  const onnx = exportsOf(await import(module)).find(isOnnx)
  return onnx === undefined
    ? Either.left(`the package ${module} is not what it should be`)
    : Either.right({ open: open(onnx, threads) })
}
