/**
 * What the path of a Codex rollout says of it.
 *
 * @since 0.1.0
 */
import { SessionKey } from "../../domain/Ids.ts"
import type { TranscriptFile } from "../Draft.ts"

/**
 * The session's own id in a name like `rollout-2026-05-01T12-00-00-<uuid>`; a name of another kind is the id.
 *
 * @since 0.1.0
 * @category getters
 */
export const sessionId = (stem: string): string =>
  stem.replace(/^rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(?=.)/, "")

/**
 * A rollout, and the id that its keys are made of, wherever it is listed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rollout extends TranscriptFile {
  readonly session_id: string
}

/**
 * @since 0.1.0
 * @category reading
 */
export const rollout = (path: string, session_key?: SessionKey): Rollout => {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.jsonl$/, "").toWellFormed()
  const session_id = sessionId(stem) || "unnamed"
  return {
    path: path.toWellFormed(),
    session_key: session_key ?? SessionKey.make(session_id),
    isSidechain: false,
    session_id
  }
}
