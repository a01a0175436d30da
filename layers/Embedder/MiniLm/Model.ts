/**
 * The model all-MiniLM-L6-v2, in figures: what the weights file does not say of itself, and what its files must be.
 *
 * @since 0.1.0
 */
import type { Frame } from "../Local/Windows.ts"

/**
 * The sha256 of the files of the weights package, version 0.1.0.
 *
 * @since 0.1.0
 * @category constants
 */
export const sha256 = {
  weights: "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  tokenizer: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
} as const

/**
 * Values of a vector.
 *
 * @since 0.1.0
 * @category constants
 */
export const dims = 384

/**
 * Pieces of the vocabulary.
 *
 * @since 0.1.0
 * @category constants
 */
export const vocabulary = 30_522

/**
 * Places that have an embedding. No more than {@link maxTokens} of them are used.
 *
 * @since 0.1.0
 * @category constants
 */
export const positions = 512

/**
 * @since 0.1.0
 * @category constants
 */
export const layers = 6

/**
 * Values of a layer's inner vector.
 *
 * @since 0.1.0
 * @category constants
 */
export const intermediate = 1536

/**
 * @since 0.1.0
 * @category constants
 */
export const heads = 12

/**
 * @since 0.1.0
 * @category constants
 */
export const layerNormEpsilon = 1e-12

/**
 * Pieces that the model was trained to read at once, with the two that stand around them.
 *
 * @since 0.1.0
 * @category constants
 */
export const maxTokens = 256

const edges = { first: 101, last: 102 } as const

/**
 * What the model reads at once.
 *
 * @since 0.1.0
 * @category constants
 */
export const frame: Frame = { maxTokens, before: [edges.first], behind: [edges.last] }

/**
 * What an engine must answer before it is trusted: the beginning of the vector of "hello world".
 *
 * @since 0.1.0
 * @category constants
 */
export const selfCheck = {
  sequence: [edges.first, 7592, 2088, edges.last],
  begins: [-0.034489, 0.03111, 0.006719],
  within: 1e-5
} as const
