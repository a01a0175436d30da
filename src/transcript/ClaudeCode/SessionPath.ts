/**
 * What the path of a Claude Code transcript says of it. The name of its project is lossy and never decoded.
 *
 * @since 0.1.0
 */
import { SessionKey } from "../../domain/Ids.ts"
import type { TranscriptFile } from "../Draft.ts"

/**
 * A transcript, and the folder of its session, beside which it lies; a side chain of the older layout has none.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionFile extends TranscriptFile {
  readonly sessionFolder: string | undefined
}

/**
 * `<project>/<session>.jsonl`, `<project>/<session>/subagents/agent-<id>.jsonl`, `<project>/agent-<id>.jsonl`.
 *
 * @since 0.1.0
 * @category reading
 */
export const sessionFile = (path: string, session_key?: SessionKey): SessionFile => {
  const parts = path.split("/")
  const stem = (parts.at(-1) ?? "").replace(/\.jsonl$/, "")
  const isSidechain = stem.startsWith("agent-")
  const session = isSidechain && parts.at(-2) === "subagents" ? parts.at(-3) : undefined
  const name = (session === undefined ? stem : `${session}/${stem}`).toWellFormed()
  return {
    path: path.toWellFormed(),
    session_key: session_key ?? SessionKey.make(name === "" ? "unnamed" : name),
    isSidechain,
    sessionFolder: session !== undefined
      ? parts.slice(0, -2).join("/")
      : isSidechain
      ? undefined
      : path.replace(/\.jsonl$/, "")
  }
}
