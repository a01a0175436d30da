/**
 * Turns that were rolled back: their items stay in the file, and an event says how many of the last turns no longer
 * count. What lies between the first of them and the event was said, and then abandoned.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { isObject } from "../Json.ts"
import { parse } from "../Salvage.ts"
import { isHarness } from "./Harness.ts"
import { itemOf } from "./Item.ts"

/**
 * Where the turns began that count so far, and the stretches that do not: `[from, to)`, in order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rollbacks {
  readonly turns: ReadonlyArray<number>
  readonly abandoned: ReadonlyArray<readonly [from: number, to: number]>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const none: Rollbacks = { turns: [], abandoned: [] }

const turnMark = Buffer.from("\"role\":\"user\"")
const rollbackMark = Buffer.from("\"thread_rolled_back\"")

/** More turns than these are not gone back. */
const mostTurns = 1024

/**
 * Adds what a line says of turns. Most lines say nothing, and are not parsed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const add = (
  rollbacks: Rollbacks,
  line: { readonly bytes: Uint8Array; readonly offset: number }
): Rollbacks => {
  const { abandoned, turns } = rollbacks
  const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.length)
  if (!bytes.includes(turnMark) && !bytes.includes(rollbackMark)) return rollbacks
  const json = Either.getOrUndefined(parse(bytes))
  const payload = isObject(json) ? json["payload"] : undefined
  if (!isObject(json) || !isObject(payload)) return rollbacks
  if (json["type"] === "event_msg" && payload["type"] === "thread_rolled_back") {
    const { num_turns } = payload
    const count = typeof num_turns === "number" && num_turns >= 1 ? Math.floor(num_turns) : 0
    const at = Math.max(0, turns.length - count)
    const from = turns[at]
    return from === undefined
      ? rollbacks
      : { turns: turns.slice(0, at), abandoned: [...abandoned, [from, line.offset]] }
  }
  const isTurn = json["type"] === "response_item" && payload["type"] === "message" && payload["role"] === "user"
    && itemOf(payload).some((said) => said._tag === "Text" && said.kind === "text" && !isHarness(said.text))
  return isTurn ? { turns: [...turns, line.offset].slice(-mostTurns), abandoned } : rollbacks
}

/**
 * Whether what stands at this place was rolled back.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isAbandoned = ({ abandoned }: Rollbacks, offset: number): boolean =>
  abandoned.some(([from, to]) => offset >= from && offset < to)
