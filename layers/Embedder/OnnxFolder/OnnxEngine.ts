/**
 * Opens an ONNX model that others have made, and tries it before it is trusted: what it asks for, what it answers, and
 * how long its vectors are.
 *
 * Sequences go in one at a time. In a batch, a quantised model computes each vector on the scale of its company, so a
 * text would have another vector with each batch; and one that was made for a single text takes no other. It costs next
 * to nothing: a passage keeps a processor busy by itself.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { damaged, type Fault, type OnnxModel, type Run } from "../Local/Engine.ts"
import { messageOf } from "../Local/Message.ts"
import * as ModelFile from "../Local/ModelFile.ts"
import type { Graph, OpenGraph, Output, Rows } from "../Local/OnnxRuntime.ts"
import { padded } from "../Local/Padding.ts"
import { pool } from "./Pooling.ts"

type Opened<A> = Either.Either<A, Fault>

const known: ReadonlyArray<string> = ["input_ids", "attention_mask", "token_type_ids"]

const exportAdvice =
  "take an export for feature extraction, whose inputs are input_ids, attention_mask and perhaps token_type_ids"

const checkInputs = ({ inputs }: Graph, path: string): Opened<void> => {
  const other = inputs.filter((name) => !known.includes(name))
  if (other.length > 0) {
    const more = other.length > 3 ? ` and ${other.length - 3} more` : ""
    return Either.left(
      damaged(`${path} asks for inputs that are not known here: ${other.slice(0, 3).join(", ")}${more}`, exportAdvice)
    )
  }
  return inputs.includes("input_ids")
    ? Either.void
    : Either.left(damaged(`${path} has no input input_ids`, exportAdvice))
}

const outputNames = { pieces: ["last_hidden_state", "token_embeddings"], texts: ["sentence_embedding"] } as const

const outputOf = ({ outputs }: Graph, { graph: { path }, pooling }: OnnxModel): Opened<string> => {
  const wanted: ReadonlyArray<string> = pooling === "none" ? outputNames.texts : outputNames.pieces
  const found = wanted.find((name) => outputs.includes(name)) ?? (outputs.length === 1 ? outputs[0] : undefined)
  return found === undefined
    ? Either.left(
      damaged(
        `${path} has no output ${wanted.join(" or ")}; it has ${outputs.join(", ")}`,
        pooling === "none" ? "say another pooling in connectors.yaml, or take another export" : exportAdvice
      )
    )
    : Either.right(found)
}

const shapeOf = (dims: ReadonlyArray<number>): string => `[${dims.join(", ")}]`

/** Whether what came out for a sequence is what is to be pooled. */
const checkOutput = (
  { dims, type, values }: Output,
  { dims: declared, graph: { path }, pooling, sample }: OnnxModel
): Opened<Float32Array> => {
  const fault = (detail: string, advice?: string) => Either.left(damaged(`${path} ${detail}`, advice))
  if (values === undefined) {
    return fault(`answers ${type}, and only float32 is read`, "take another of the model's exports")
  }
  const rows = pooling === "none" ? [1] : [1, sample.length]
  if (dims.length !== rows.length + 1 || rows.some((n, i) => dims[i] !== n)) {
    return fault(
      `answers a shape of ${shapeOf(dims)} to ${sample.length} tokens, not one vector for each ${
        pooling === "none" ? "text" : "token"
      }`,
      pooling === "none"
        ? "say pooling: mean, cls or lasttoken in connectors.yaml"
        : "say pooling: none in connectors.yaml if it answers whole texts"
    )
  }
  const found = dims.at(-1)
  if (found !== declared) {
    return fault(
      `answers vectors of ${found} values, ${declared} were declared`,
      `say dims: ${found} in connectors.yaml, and check that model and config.json belong together`
    )
  }
  return values.every(Number.isFinite) ? Either.right(values) : fault("answers no numbers", "take another export")
}

const feedsOf = ({ inputs }: Graph, sequence: ReadonlyArray<number>): Record<string, Rows> => {
  const { ids, mask } = padded([sequence], 0)
  const segments: Rows = { values: new BigInt64Array(sequence.length), dims: ids.dims }
  const feeds = { input_ids: ids, attention_mask: mask, token_type_ids: segments }
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.includes(name)))
}

const runOf = (graph: Graph, output: string, model: OnnxModel): Run => async (sequences) => {
  const all = new Float32Array(sequences.length * model.dims)
  for (const [i, sequence] of sequences.entries()) {
    const { values = new Float32Array() } = await graph.run(feedsOf(graph, sequence), output)
    all.set(pool(values, model), i * model.dims)
  }
  return all
}

const attempt = <A>(call: Promise<A>, what: string, advice: string): Promise<Opened<A>> =>
  call.then(Either.right, (cause: unknown) => Either.left(damaged(`${what}: ${messageOf(cause)}`, advice)))

const newerAdvice = "download it again; if it is whole, take an export for an older onnxruntime, of opset 19 or before"

/**
 * @since 0.1.0
 * @category constructors
 */
export const open = (openGraph: OpenGraph) => async (model: OnnxModel): Promise<Opened<Run>> => {
  const { path } = model.graph
  for (const file of [model.graph, ...model.weights]) {
    const verified = await ModelFile.verify(file)
    if (Either.isLeft(verified)) {
      return Either.left(damaged(verified.left, "run the command again, or download the model's folder again"))
    }
  }
  const graph = await attempt(openGraph(path), `${path} cannot be opened`, newerAdvice)
  if (Either.isLeft(graph)) return Either.left(graph.left)
  const output = Either.flatMap(checkInputs(graph.right, path), () => outputOf(graph.right, model))
  if (Either.isLeft(output)) return Either.left(output.left)
  const trial = await attempt(
    graph.right.run(feedsOf(graph.right, model.sample), output.right),
    `${path} fails on a text of ${model.sample.length} tokens`,
    "take another of the model's exports, and check that model and tokenizer.json belong together"
  )
  return Either.map(
    Either.flatMap(trial, (found) => checkOutput(found, model)),
    () => runOf(graph.right, output.right, model)
  )
}
