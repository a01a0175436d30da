/**
 * The types of line that Claude Code writes. A type that is missing here is said once, and costs nothing else.
 *
 * @since 0.1.0
 */
import { isObject, type JsonObject } from "../Json.ts"

/** Those hold talk. */
const talk: ReadonlySet<unknown> = new Set(["user", "assistant"])

/** Those name the session. */
const titles: ReadonlySet<unknown> = new Set(["summary", "ai-title", "custom-title"])

/** Those hold nothing that was said, or repeat what another line says. */
const silent: ReadonlySet<unknown> = new Set([
  "system",
  "attachment",
  "agent-name",
  "agent-setting",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "bridge-session",
  "continued-in",
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "progress"
])

/**
 * @since 0.1.0
 * @category predicates
 */
export const isTalk = (type: unknown): boolean => talk.has(type)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isTitle = (type: unknown): boolean => titles.has(type)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isSilent = (type: unknown): boolean => silent.has(type)

/**
 * Whether an object stands in a transcript by itself. Blocks have types too, and a `message` only where they are lines.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isLine = ({ message, type }: JsonObject): boolean =>
  isTalk(type) ? isObject(message) : isTitle(type) || isSilent(type)
