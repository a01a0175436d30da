/**
 * Forks: Codex begins one with a copy of what its parent holds, under a new session. What is the same, by time and
 * content, was said in the parent.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { canonical, isObject, isTooDeep, textIn } from "../Json.ts"
import { parse } from "../Salvage.ts"

/**
 * What a line of a rollout is for this: the session that it begins, and the one that that is a fork of; or something to
 * compare.
 *
 * @since 0.1.0
 * @category models
 */
export type ForkLine =
  | { readonly _tag: "Header"; readonly parent: string | undefined }
  | { readonly _tag: "Item"; readonly same: string }

/**
 * Undefined for what is no line.
 *
 * @since 0.1.0
 * @category reading
 */
export const forkLine = (bytes: Uint8Array): ForkLine | undefined => {
  const json = Either.getOrUndefined(parse(bytes))
  if (!isObject(json) || isTooDeep(json)) return undefined
  const { payload, timestamp, type } = json
  return type === "session_meta"
    ? { _tag: "Header", parent: isObject(payload) ? textIn(payload["forked_from_id"]) : undefined }
    : { _tag: "Item", same: canonical([type, timestamp, payload]) }
}
