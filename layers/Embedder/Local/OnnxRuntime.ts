/**
 * The native engine, onnxruntime-node. Runs within a process of its own: a call blocks until it is done.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { type EngineOptions, exportsOf } from "./Engine.ts"

/** What is used of the package, whose types are not in it. */
interface Onnx {
  readonly Tensor: new(type: "int64", data: BigInt64Array, dims: ReadonlyArray<number>) => object
  readonly InferenceSession: { readonly create: (graph: Uint8Array | string, options: object) => Promise<Session> }
}

const isOnnx = (module: unknown): module is Onnx =>
  Predicate.hasProperty(module, "Tensor") && Predicate.isFunction(module.Tensor)
  && Predicate.hasProperty(module, "InferenceSession")
  && Predicate.hasProperty(module.InferenceSession, "create")
  && Predicate.isFunction(module.InferenceSession.create)

interface Session {
  readonly inputNames: ReadonlyArray<string>
  readonly outputNames: ReadonlyArray<string>
  readonly run: (feeds: Readonly<Record<string, object>>) => Promise<Readonly<Record<string, unknown>>>
}

/**
 * What goes in: whole numbers, a row for each sequence.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rows {
  readonly values: BigInt64Array
  readonly dims: readonly [rows: number, columns: number]
}

/**
 * What comes out; `values` are missing where they are no numbers of single precision.
 *
 * @since 0.1.0
 * @category models
 */
export interface Output {
  readonly type: string
  readonly dims: ReadonlyArray<number>
  readonly values: Float32Array | undefined
}

/**
 * A graph that is loaded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Graph {
  readonly inputs: ReadonlyArray<string>
  readonly outputs: ReadonlyArray<string>
  readonly run: (feeds: Readonly<Record<string, Rows>>, output: string) => Promise<Output>
}

/**
 * Opens a graph by its bytes, or by its path, which is where weights are found that stand in files of their own.
 *
 * @since 0.1.0
 * @category models
 */
export type OpenGraph = (graph: Uint8Array | string) => Promise<Graph>

/** The arena would keep what the longest batch ever needed. */
const sessionOptions = (threads: number) => ({
  executionProviders: ["cpu"],
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  enableCpuMemArena: false,
  logSeverityLevel: 3
})

const isDims = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.every(Predicate.isNumber)

const outputOf = (tensor: unknown): Output => ({
  type: Predicate.hasProperty(tensor, "type") ? String(tensor.type) : "nothing",
  dims: Predicate.hasProperty(tensor, "dims") && isDims(tensor.dims) ? tensor.dims : [],
  values: Predicate.hasProperty(tensor, "data") && tensor.data instanceof Float32Array ? tensor.data : undefined
})

const graphOf = ({ Tensor }: Onnx, session: Session): Graph => ({
  inputs: session.inputNames,
  outputs: session.outputNames,
  run: async (feeds, output) => {
    const tensors = Object.entries(feeds).map(([name, { dims, values }]) => [name, new Tensor("int64", values, dims)])
    const { [output]: found } = await session.run(Object.fromEntries(tensors))
    return outputOf(found)
  }
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const load = async ({ module, threads }: EngineOptions): Promise<Either.Either<OpenGraph, string>> => {
  const onnx = exportsOf(await import(module)).find(isOnnx)
  return onnx === undefined
    ? Either.left(`the package ${module} is not what it should be`)
    : Either.right(async (graph) => graphOf(onnx, await onnx.InferenceSession.create(graph, sessionOptions(threads))))
}
