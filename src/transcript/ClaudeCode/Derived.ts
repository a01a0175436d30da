/**
 * What of a Claude Code transcript nobody said: recaps of compaction, words of the harness.
 *
 * @since 0.1.0
 */
import type { Derived } from "../../domain/Record.ts"
import type { JsonObject } from "../Json.ts"

/**
 * The spans that the harness puts into other text.
 *
 * @since 0.1.0
 * @category constants
 */
export const harnessTags: ReadonlyArray<string> = ["system-reminder"]

const recap = "This session is being continued"

const ofHarness: ReadonlyArray<string> = [
  "[Request interrupted",
  "<task-notification>",
  "<command-name>",
  "<command-message>",
  "<local-command-",
  "Stop hook feedback:",
  "Caveat: The messages below"
]

/**
 * Who made all of a line, if it was a machine.
 *
 * @since 0.1.0
 * @category getters
 */
export const lineDerived = (line: JsonObject): Derived["by"] | undefined => {
  if (line["isCompactSummary"] === true) return "compaction"
  return line["isMeta"] === true || line["isApiErrorMessage"] === true ? "harness" : undefined
}

/**
 * Who made a text that stands in a user's place, by how it begins.
 *
 * @since 0.1.0
 * @category getters
 */
export const textDerived = (text: string): Derived["by"] | undefined => {
  const begin = text.slice(0, 256).trimStart()
  if (begin.startsWith(recap)) return "compaction"
  return ofHarness.some((prefix) => begin.startsWith(prefix)) ? "harness" : undefined
}
