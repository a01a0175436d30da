/**
 * A model that an engine can be started with, as the program sees it.
 *
 * @since 0.1.0
 */
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import type { Model } from "./Engine.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Loadable {
  /** How errors call the embedder. */
  readonly embedder: string
  /** Values of a vector. */
  readonly dims: number
  /** What its process opens. */
  readonly model: Model
  /** The error where no engine can use its files, with better advice than the usual one if there is any. */
  readonly unusableFile: (detail: string, advice?: string) => EmbedderError
}
