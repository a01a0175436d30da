/**
 * What a reader has to know of an agent's transcripts: which objects are lines, and what each becomes. All that the
 * formats share (bad lines, numbers, places, unknown types said once) is the reader's own.
 *
 * @since 0.1.0
 */
import type { Draft } from "./Draft.ts"
import type { Entry } from "./Entry.ts"
import type { JsonObject } from "./Json.ts"

/**
 * What a line, or a part of it, said: a block, that it is of a type that nobody knows, that it is not what it should be,
 * or that an output was saved in a file of its own.
 *
 * @since 0.1.0
 * @category models
 */
export type Part =
  | { readonly _tag: "Block"; readonly draft: Draft }
  | { readonly _tag: "Unknown"; readonly type: string }
  | { readonly _tag: "Bad"; readonly detail: string }
  | { readonly _tag: "Elsewhere"; readonly draft: Draft; readonly saved: string }

/**
 * @since 0.1.0
 * @category constructors
 */
export const unknown = (type: string): Part => ({ _tag: "Unknown", type })

/**
 * @since 0.1.0
 * @category constructors
 */
export const bad = (detail: string): Part => ({ _tag: "Bad", detail })

/**
 * @since 0.1.0
 * @category constructors
 */
export const block = (draft: Draft): Part => ({ _tag: "Block", draft })

/**
 * A format. `read` is a pure step; its state stays within bounds, however long the file is. Of the first `head` bytes a
 * reader that begins in the middle knows too. Where what comes later decides about what came before, `survey` is shown
 * all lines first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Format<S> {
  readonly source: string
  readonly head: number
  readonly initial: S
  readonly isLine: (json: JsonObject) => boolean
  readonly read: (state: S, entry: Entry) => readonly [S, ReadonlyArray<Part>]
  readonly survey?: (state: S, line: { readonly bytes: Uint8Array; readonly offset: number }) => S
}
