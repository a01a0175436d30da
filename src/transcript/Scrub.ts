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
import * as Option from "effect/Option"
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

interface Replaced {
  readonly text: string
  readonly secrets: number
}

const replace = (text: string, { kind, length, pattern }: Shape): Replaced => {
  let secrets = 0
  const replaced = text.replace(pattern, (taken: string, before: string, secret: string, at: number) => {
    const end = at + taken.length
    const n = length(secret, text.slice(end, end + behind), before)
    if (n === 0) return taken
    secrets += 1
    return before + marker(kind, secret.slice(0, n)) + secret.slice(n)
  })
  return { text: replaced, secrets }
}

/** In UTF-16 units. A run of so many overflows no stack, however the engine has compiled the pattern. */
const mostOfAPart = 1_000_000

/**
 * A process that has compiled very many patterns compiles further ones without optimising them, and those overflow the
 * stack at runs of millions of characters. Then a text is looked at by parts, which end with a line where they can.
 */
const parts = function*(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const most = at + mostOfAPart
    const line = most < text.length ? text.lastIndexOf("\n", most - 1) + 1 : text.length
    const end = line > at ? line : Math.min(most, text.length)
    yield text.slice(at, end)
    at = end
  }
}

const byParts = (text: string, shape: Shape): Replaced =>
  [...parts(text)].map((part) => replace(part, shape)).reduce((all, part) => ({
    text: all.text + part.text,
    secrets: all.secrets + part.secrets
  }))

const replaceWhole = Option.liftThrowable(replace)

const without = (text: string, shape: Shape, found: Map<SecretKind, number>): string => {
  if (!shape.hints.some((hint) => text.includes(hint))) return text
  const replaced = Option.getOrElse(replaceWhole(text, shape), () => byParts(text, shape))
  if (replaced.secrets > 0) found.set(shape.kind, (found.get(shape.kind) ?? 0) + replaced.secrets)
  return replaced.text
}

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
