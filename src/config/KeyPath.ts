/**
 * Errors of a configuration name the key, never the value: what stands in the wrong place may be a secret.
 *
 * @since 0.1.0
 */
import * as ParseResult from "effect/ParseResult"

const maxShown = 64

const show = (key: PropertyKey): string => {
  const text = String(key)
  return /^[\w-]{1,64}$/.test(text) ? text : JSON.stringify(text.slice(0, maxShown).toWellFormed())
}

/**
 * A path as a person reads it: `connectors.papers.url`, with what is no plain word in quotes.
 *
 * @since 0.1.0
 * @category formatting
 */
export const keyPath = (path: ReadonlyArray<PropertyKey>): string => path.map(show).join(".")

/**
 * What is wrong, and with which key.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeyIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
}

const withoutValue = (message: string): string =>
  message
    .replace(/, actual [^]*$/, "")
    .replace(/^Expected (\{[^]*|[^]* \(Encoded side\))$/, "expected a map of options")
    .replace(/^Expected /, "expected ")
    .replace(/^is unexpected, expected: /, "unknown key; known here: ")
    .replace(/^is missing$/, "this key is missing")

/**
 * What is wrong with a list of nothing.
 *
 * @since 0.1.0
 * @category constants
 */
export const emptyList = "this list is empty"

/**
 * The first issue of a failed decoding, in words that hold no value.
 *
 * @since 0.1.0
 * @category formatting
 */
export const firstIssue = (error: ParseResult.ParseError): KeyIssue => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  // A list that must not be empty lacks its first item.
  if (issue !== undefined && issue.message === "is missing" && issue.path.at(-1) === 0) {
    return { path: issue.path.slice(0, -1), detail: emptyList }
  }
  return { path: issue?.path ?? [], detail: withoutValue(issue?.message ?? "not what is expected here") }
}
