/**
 * What runs a model, as its process sees it. An engine loads in two steps, for whether it can be loaded at all is to be
 * known without the model.
 *
 * @since 0.1.0
 */
import type * as Either from "effect/Either"
import type { ModelFile } from "./ModelFile.ts"

/**
 * One vector for each sequence of pieces, each of length 1, one behind the other.
 *
 * @since 0.1.0
 * @category models
 */
export type Run = (sequences: ReadonlyArray<ReadonlyArray<number>>) => Promise<Float32Array>

/**
 * The model of mem itself, by its weights.
 *
 * @since 0.1.0
 * @category models
 */
export interface MiniLmModel {
  readonly _tag: "MiniLm"
  readonly weights: ModelFile
}

/**
 * A model as others make it: an ONNX graph in a file, whose weights may stand in files of their own beside it. `sample` is
 * a sequence that it is tried with.
 *
 * @since 0.1.0
 * @category models
 */
export interface OnnxModel {
  readonly _tag: "Onnx"
  readonly graph: ModelFile
  readonly weights: ReadonlyArray<ModelFile>
  readonly pooling: "mean" | "cls" | "lasttoken" | "none"
  readonly dims: number
  readonly sample: ReadonlyArray<number>
}

/**
 * Whatever an engine may be told to open.
 *
 * @since 0.1.0
 * @category models
 */
export type Model = MiniLmModel | OnnxModel

/**
 * Why there is no vector: the engine does not work here, and another one may; or no engine can use these files, which
 * `advice` may help.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault =
  | { readonly _tag: "Unusable"; readonly detail: string }
  | { readonly _tag: "Damaged"; readonly detail: string; readonly advice?: string }

/**
 * Foreign code may also reject, which is the engine's fault.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadedEngine {
  readonly open: (model: Model) => Promise<Either.Either<Run, Fault>>
}

/**
 * `module` is the package to load.
 *
 * @since 0.1.0
 * @category models
 */
export interface EngineOptions {
  readonly module: string
  readonly threads: number
}

/**
 * @since 0.1.0
 * @category models
 */
export type LoadEngine = (options: EngineOptions) => Promise<Either.Either<LoadedEngine, string>>

/**
 * @since 0.1.0
 * @category constructors
 */
export const unusable = (detail: string): Fault => ({ _tag: "Unusable", detail })

/**
 * @since 0.1.0
 * @category constructors
 */
export const damaged = (detail: string, advice?: string): Fault => ({
  _tag: "Damaged",
  detail,
  ...(advice === undefined ? {} : { advice })
})

/**
 * What a CommonJS module exports, which loaders hand over in one of two places.
 *
 * @since 0.1.0
 * @category loading
 */
export const exportsOf = (module: { readonly default?: unknown }): ReadonlyArray<unknown> => [module.default, module]
