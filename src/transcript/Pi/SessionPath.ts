/**
 * What the path of a pi session says of it.
 *
 * @since 0.1.0
 */
import { SessionKey } from "../../domain/Ids.ts"
import type { TranscriptFile } from "../Draft.ts"

/**
 * The session's own id in a name like `2026-05-01T10-00-00-000Z_<uuid>`; a name of another kind is the id.
 *
 * @since 0.1.0
 * @category getters
 */
export const sessionId = (stem: string): string => stem.replace(/^\d{4}-\d\d-\d\dT[\d-]+Z?_(?=.)/, "")

/**
 * @since 0.1.0
 * @category reading
 */
export const sessionFile = (path: string, session_key?: SessionKey): TranscriptFile => {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.jsonl$/, "").toWellFormed()
  return {
    path: path.toWellFormed(),
    session_key: session_key ?? SessionKey.make(sessionId(stem) || "unnamed"),
    isSidechain: false
  }
}
