/**
 * What the program and the process of an engine say to each other.
 *
 * @since 0.1.0
 */
import type { EngineOptions, Fault, Model } from "./Engine.ts"

/**
 * The first message. Without a model the process only tells whether the engine's package can be loaded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Start {
  readonly _tag: "Start"
  readonly engine: "onnx" | "wasm"
  readonly options: EngineOptions
  readonly model?: Model
}

/**
 * Sequences to embed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Batch {
  readonly _tag: "Batch"
  readonly id: number
  readonly sequences: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Whatever the program says.
 *
 * @since 0.1.0
 * @category models
 */
export type Request = Start | Batch

/**
 * What the start came to.
 *
 * @since 0.1.0
 * @category models
 */
export type Started = { readonly _tag: "Ready" } | Fault

/**
 * The answer to one batch: all vectors, one behind the other, or what went wrong.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  | { readonly _tag: "Vectors"; readonly id: number; readonly values: Float32Array }
  | { readonly _tag: "Failed"; readonly id: number; readonly detail: string }

/**
 * Whatever the process says.
 *
 * @since 0.1.0
 * @category models
 */
export type Reply = Started | Answer
