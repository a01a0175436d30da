/**
 * Writes the model as an ONNX graph around its weights, for no file of that form ships: from pieces to one vector of
 * length 1 for each sequence. The weights stay in half precision, and each is widened where it is used, which loses
 * nothing; the runtime does so once, when it loads the graph.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Model from "./Model.ts"
import { float, int, type Message, nested, text } from "./Protobuf.ts"
import type { Tensor } from "./Safetensors.ts"

/** Field numbers of onnx.proto, as far as they are used. */
const field = {
  model: { irVersion: 1, producer: 2, graph: 7, opset: 8 },
  opset: { domain: 1, version: 2 },
  graph: { node: 1, name: 2, initializer: 5, input: 11, output: 12 },
  node: { input: 1, output: 2, opType: 4, attribute: 5, domain: 7 },
  attribute: { name: 1, float: 2, int: 3, ints: 8, type: 20 },
  tensor: { dims: 1, dataType: 2, name: 8, rawData: 9 },
  value: { name: 1, type: 2 },
  type: { tensor: 1 },
  tensorType: { elemType: 1, shape: 2 },
  shape: { dim: 1 },
  dim: { value: 1, param: 2 }
} as const

const type = { float: 1, int32: 6, int64: 7, float16: 10 } as const
const attributeType = { float: 1, int: 2, ints: 7 } as const

const irVersion = 8
const opsetVersion = 17
const microsoft = { domain: "com.microsoft", version: 1 } as const

/**
 * The names under which sequences go in and vectors come out. `mask` is 1 where there is a piece and 0 behind the end.
 *
 * @since 0.1.0
 * @category constants
 */
export const names = { ids: "input_ids", mask: "attention_mask", output: "embedding" } as const

const attribute = {
  int: (name: string, value: number): Message =>
    nested(field.node.attribute, [
      ...text(field.attribute.name, name),
      ...int(field.attribute.int, value),
      ...int(field.attribute.type, attributeType.int)
    ]),
  float: (name: string, value: number): Message =>
    nested(field.node.attribute, [
      ...text(field.attribute.name, name),
      ...float(field.attribute.float, value),
      ...int(field.attribute.type, attributeType.float)
    ]),
  ints: (name: string, values: ReadonlyArray<number>): Message =>
    nested(field.node.attribute, [
      ...text(field.attribute.name, name),
      ...values.flatMap((value) => int(field.attribute.ints, value)),
      ...int(field.attribute.type, attributeType.ints)
    ])
}

const initializer = (name: string, dataType: number, dims: ReadonlyArray<number>, bytes: Uint8Array): Message =>
  nested(field.graph.initializer, [
    ...dims.flatMap((dim) => int(field.tensor.dims, dim)),
    ...int(field.tensor.dataType, dataType),
    ...text(field.tensor.name, name),
    ...nested(field.tensor.rawData, [bytes])
  ])

const value = (graphField: number, name: string, elemType: number, dims: ReadonlyArray<number | string>): Message =>
  nested(graphField, [
    ...text(field.value.name, name),
    ...nested(
      field.value.type,
      nested(field.type.tensor, [
        ...int(field.tensorType.elemType, elemType),
        ...nested(
          field.tensorType.shape,
          dims.flatMap((dim) =>
            nested(
              field.shape.dim,
              typeof dim === "string" ? text(field.dim.param, dim) : int(field.dim.value, dim)
            )
          )
        )
      ])
    )
  ])

interface NodeOptions {
  readonly attributes?: ReadonlyArray<Message>
  readonly domain?: string
}

/** Collects the parts of a graph. Each step answers the name of its result, for the next one to use. */
const makeBuilder = (tensors: ReadonlyMap<string, Tensor>) => {
  const nodes: Array<Message> = []
  const initializers: Array<Message> = []
  const missing: Array<string> = []

  const node = (
    opType: string,
    inputs: ReadonlyArray<string>,
    { attributes = [], domain }: NodeOptions = {},
    output = `${opType}_${nodes.length}`
  ): string => {
    nodes.push(nested(field.graph.node, [
      ...inputs.flatMap((name) => text(field.node.input, name)),
      ...text(field.node.output, output),
      ...text(field.node.opType, opType),
      ...attributes.flat(),
      ...(domain === undefined ? [] : text(field.node.domain, domain))
    ]))
    return output
  }

  const constant = (value: number): string => {
    const name = `constant_${initializers.length}`
    initializers.push(initializer(name, type.int64, [1], new Uint8Array(BigInt64Array.of(BigInt(value)).buffer)))
    return name
  }

  const half = (name: string): string => {
    const tensor = tensors.get(name)
    if (tensor?.dtype !== "F16") missing.push(name)
    else initializers.push(initializer(name, type.float16, tensor.shape, tensor.bytes))
    return name
  }

  const cast = (input: string, to: number): string => node("Cast", [input], { attributes: [attribute.int("to", to)] })

  const weight = (name: string): string => cast(half(name), type.float)

  /** A linear layer keeps its weights as [out, in]. */
  const turned = (name: string): string =>
    node("Transpose", [weight(`${name}.weight`)], { attributes: [attribute.ints("perm", [1, 0])] })

  const linear = (input: string, name: string): string =>
    node("Add", [node("MatMul", [input, turned(name)]), weight(`${name}.bias`)])

  const layerNorm = (input: string, name: string): string =>
    node("LayerNormalization", [input, weight(`${name}.weight`), weight(`${name}.bias`)], {
      attributes: [attribute.int("axis", -1), attribute.float("epsilon", Model.layerNormEpsilon)]
    })

  const concat = (inputs: ReadonlyArray<string>, axis: number): string =>
    node("Concat", inputs, { attributes: [attribute.int("axis", axis)] })

  return { node, constant, half, cast, weight, turned, linear, layerNorm, concat, nodes, initializers, missing }
}

type Builder = ReturnType<typeof makeBuilder>

/** Pieces become the sum of what they mean, where they stand, and that there is but one text. */
const embeddings = ({ cast, constant, half, layerNorm, node, weight }: Builder): string => {
  const [zero, one, two] = [constant(0), constant(1), constant(2)]
  // The table of words is half of the model: only the rows that are asked for are widened.
  const words = cast(node("Gather", [half("embeddings.word_embeddings.weight"), names.ids]), type.float)
  const length = node("Slice", [node("Shape", [names.ids]), one, two])
  const places = node("Add", [
    weight("embeddings.position_embeddings.weight"),
    node("Gather", [weight("embeddings.token_type_embeddings.weight"), zero])
  ])
  return layerNorm(node("Add", [words, node("Slice", [places, zero, length, zero])]), "embeddings.LayerNorm")
}

const encoderLayer = (builder: Builder, input: string, mask: string, name: string): string => {
  const { concat, layerNorm, linear, node, turned, weight } = builder
  const parts = ["query", "key", "value"].map((part) => `${name}.attention.self.${part}`)
  const attended = node("Attention", [
    input,
    concat(parts.map(turned), 1),
    concat(parts.map((part) => weight(`${part}.bias`)), 0),
    mask
  ], { attributes: [attribute.int("num_heads", Model.heads)], domain: microsoft.domain })
  const attention = layerNorm(
    node("Add", [linear(attended, `${name}.attention.output.dense`), input]),
    `${name}.attention.output.LayerNorm`
  )
  const widened = node("Gelu", [linear(attention, `${name}.intermediate.dense`)], { domain: microsoft.domain })
  return layerNorm(node("Add", [linear(widened, `${name}.output.dense`), attention]), `${name}.output.LayerNorm`)
}

/** The mean over the pieces of each sequence, of length 1. */
const pool = ({ cast, constant, node }: Builder, hidden: string): void => {
  const mask = node("Unsqueeze", [cast(names.mask, type.float), constant(2)])
  const sum = (input: string): string =>
    node("ReduceSum", [input, constant(1)], { attributes: [attribute.int("keepdims", 0)] })
  const mean = node("Div", [sum(node("Mul", [hidden, mask])), sum(mask)])
  node(
    "LpNormalization",
    [mean],
    { attributes: [attribute.int("axis", 1), attribute.int("p", 2)] },
    names.output
  )
}

/**
 * The graph as the bytes of a ModelProto, or which weights it lacks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const onnxGraph = (tensors: ReadonlyMap<string, Tensor>): Either.Either<Message, string> => {
  const builder = makeBuilder(tensors)
  const mask = builder.cast(names.mask, type.int32)
  let hidden = embeddings(builder)
  for (let i = 0; i < Model.layers; i++) hidden = encoderLayer(builder, hidden, mask, `encoder.layer.${i}`)
  pool(builder, hidden)

  const { initializers, missing, nodes } = builder
  if (missing.length > 0) return Either.left(`it lacks these weights in half precision: ${missing.join(", ")}`)
  return Either.right([
    ...int(field.model.irVersion, irVersion),
    ...text(field.model.producer, "poimen-memory"),
    ...nested(field.model.graph, [
      ...nodes.flat(),
      ...text(field.graph.name, "minilm"),
      ...initializers.flat(),
      ...value(field.graph.input, names.ids, type.int64, ["batch", "length"]),
      ...value(field.graph.input, names.mask, type.int64, ["batch", "length"]),
      ...value(field.graph.output, names.output, type.float, ["batch", Model.dims])
    ]),
    ...nested(field.model.opset, [...text(field.opset.domain, ""), ...int(field.opset.version, opsetVersion)]),
    ...nested(field.model.opset, [
      ...text(field.opset.domain, microsoft.domain),
      ...int(field.opset.version, microsoft.version)
    ])
  ])
}
