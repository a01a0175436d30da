/**
 * What a step is known by again: what was asked, in which words, of which model, about which text, with which memory.
 * One whose key is in the log costs no call.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import { Sha256 } from "../domain/Ids.ts"
import type { Step } from "../domain/Memory.ts"

/**
 * The part of the key that is the same for a whole run.
 *
 * @since 0.1.0
 * @category models
 */
export type Reading = Pick<Step, "profile_sha256" | "prompt_sha256" | "model">

/**
 * Names a way of reading, over all sessions.
 *
 * @since 0.1.0
 * @category keys
 */
export const readingSha256 = ({ model, profile_sha256, prompt_sha256 }: Reading): Sha256 =>
  Sha256.make(hash("sha256", JSON.stringify([profile_sha256, prompt_sha256, model]), "hex"))

/**
 * @since 0.1.0
 * @category keys
 */
export const stepKey = (
  step: Reading & Pick<Step, "chunk_sha256" | "memory_before_sha256">
): Sha256 =>
  Sha256.make(hash(
    "sha256",
    JSON.stringify([readingSha256(step), step.chunk_sha256, step.memory_before_sha256]),
    "hex"
  ))

/**
 * The sha256 of a memory's text.
 *
 * @since 0.1.0
 * @category hashing
 */
export const memorySha256 = (text: string): Sha256 => Sha256.make(hash("sha256", text, "hex"))
