/**
 * Takes secrets out of a text before it is kept: what was pasted into a session, or printed by a tool, would stay in an
 * append-only log. Each becomes a marker that says what it was, and is the same for the same secret:
 * `[secret github-token 1a2b3c4d]`.
 *
 * Only shapes of high confidence count, so that code and prose stay as they are; what has no shape is not found. It
 * takes linear time whatever the text, and a text that was scrubbed once stays as it is.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { SecretKind } from "../domain/SecretKind.ts"
import { type Shape, shapes } from "./SecretShapes.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Scrubbed {
  readonly text: string
  /** How many secrets of each kind were taken out; a kind of which there was none is absent. */
  readonly found: ReadonlyMap<SecretKind, number>
}

/** Enough to tell one from another, too little to find it again. */
const digits = 8

const marker = (kind: SecretKind, secret: string): string =>
  `[secret ${kind} ${hash("sha256", secret, "hex").slice(0, digits)}]`

/** Behind a secret so much is looked at. */
const behind = 2

const without = (text: string, { hints, kind, length, pattern }: Shape, found: Map<SecretKind, number>): string =>
  hints.some((hint) => text.includes(hint))
    ? text.replace(pattern, (taken: string, before: string, secret: string, at: number) => {
      const end = at + taken.length
      const n = length(secret, text.slice(end, end + behind), before)
      if (n === 0) return taken
      found.set(kind, (found.get(kind) ?? 0) + 1)
      return before + marker(kind, secret.slice(0, n)) + secret.slice(n)
    })
    : text

/** Two rounds are seldom needed, and so many could only be needed by a text that was made for it. */
const mostRounds = 8

/**
 * The text without its secrets, and what they were.
 *
 * @since 0.1.0
 * @category scrubbing
 */
export const scrub = (text: string): Scrubbed => {
  const found = new Map<SecretKind, number>()
  let scrubbed = text
  // What was taken out may lay bare what it touched.
  for (let round = 0; round < mostRounds; round++) {
    const before = scrubbed
    scrubbed = shapes.reduce((rest, shape) => without(rest, shape, found), before)
    if (scrubbed === before) break
  }
  return { text: scrubbed, found }
}
