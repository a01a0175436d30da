/**
 * The model on the native engine: a graph is written around its weights, in memory.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type { Run } from "../Local/Engine.ts"
import type { Graph, OpenGraph } from "../Local/OnnxRuntime.ts"
import { padded } from "../Local/Padding.ts"
import { names, onnxGraph } from "./OnnxGraph.ts"
import { opening } from "./Opening.ts"
import * as Safetensors from "./Safetensors.ts"

const runOf = ({ run }: Graph): Run => async (sequences) => {
  const { ids, mask } = padded(sequences, 0)
  const { values } = await run({ [names.ids]: ids, [names.mask]: mask }, names.output)
  return values ?? new Float32Array()
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const open = (openGraph: OpenGraph) =>
  opening(async (weights) => {
    const graph = Either.flatMap(Safetensors.parse(weights), onnxGraph)
    return Either.isLeft(graph)
      ? Either.left(`the graph cannot be made of the weights: ${graph.left}`)
      : Either.right(runOf(await openGraph(Buffer.concat(graph.right))))
  })
