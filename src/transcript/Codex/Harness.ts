/**
 * What Codex puts in a user's place: instructions of the project, the state of the machine. A prompt may follow in the
 * same text, under a heading.
 *
 * @since 0.1.0
 */

const beginnings: ReadonlyArray<string> = [
  "# AGENTS.md",
  "# Context from my IDE setup",
  "<environment_context>",
  "<INSTRUCTIONS>",
  "<user_instructions>",
  "<turn_aborted>"
]

const heading = "## My request for Codex:"

/**
 * Whether a text in a user's place is the harness's, at least how it begins.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isHarness = (text: string): boolean => {
  const begin = text.slice(0, 256).trimStart()
  return beginnings.some((prefix) => begin.startsWith(prefix))
}

/**
 * A text in a user's place as what the harness wrote, heading included, and what the user did.
 *
 * @since 0.1.0
 * @category cutting
 */
export const prompt = (text: string): { readonly harness: string; readonly own: string } => {
  if (!isHarness(text)) return { harness: "", own: text }
  const at = text.lastIndexOf(heading)
  const end = at < 0 ? text.length : at + heading.length
  return { harness: text.slice(0, end), own: text.slice(end) }
}
