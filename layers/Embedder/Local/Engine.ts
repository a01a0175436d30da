/**
 * What runs the model, as its process sees it. An engine loads in two steps, for whether it can be loaded at all is to be
 * known without the model.
 *
 * @since 0.1.0
 */
import type * as Either from "effect/Either"

/**
 * One vector for each sequence of pieces, each of length 1, one behind the other.
 *
 * @since 0.1.0
 * @category models
 */
export type Run = (sequences: ReadonlyArray<ReadonlyArray<number>>) => Promise<Float32Array>

/**
 * Answers `Left` to what it can tell itself; foreign code may also reject.
 *
 * @since 0.1.0
 * @category models
 */
export interface LoadedEngine {
  /** Takes the bytes of the weights file. */
  readonly open: (weights: Uint8Array) => Promise<Either.Either<Run, string>>
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
 * What a CommonJS module exports, which loaders hand over in one of two places.
 *
 * @since 0.1.0
 * @category loading
 */
export const exportsOf = (module: { readonly default?: unknown }): ReadonlyArray<unknown> => [module.default, module]
