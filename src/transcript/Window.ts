/**
 * What a reader remembers of the lines before: only of those that began at most {@link reach} bytes before the line that
 * it is at. So memory does not grow with the file, and whoever begins in the middle knows the same as one who began at
 * the front, once he has looked so far back.
 *
 * @since 0.1.0
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"

/**
 * Bytes. A tool's result follows upon its call, the longer form of a snapshot upon the snapshot.
 *
 * @since 0.1.0
 * @category constants
 */
export const reach = 1024 * 1024

interface Kept<A> {
  readonly at: number
  readonly value: A
}

/**
 * Two generations: what is out of reach is let go of a whole generation at a time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Window<A> {
  readonly began: number
  readonly young: HashMap.HashMap<string, Kept<A>>
  readonly old: HashMap.HashMap<string, Kept<A>>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const empty = <A>(): Window<A> => ({ began: 0, young: HashMap.empty(), old: HashMap.empty() })

/**
 * Whether what began at one offset is still in reach of a line at another.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isInReach = (at: number, offset: number): boolean => at >= offset - reach

/**
 * What was last put under this name, if a line at this offset still knows it.
 *
 * @since 0.1.0
 * @category getters
 */
export const get = <A>({ old, young }: Window<A>, name: string, offset: number): A | undefined => {
  const kept = Option.getOrUndefined(Option.orElse(HashMap.get(young, name), () => HashMap.get(old, name)))
  return kept !== undefined && isInReach(kept.at, offset) ? kept.value : undefined
}

/**
 * Puts what a line at this offset said.
 *
 * @since 0.1.0
 * @category combinators
 */
export const set = <A>(window: Window<A>, name: string, value: A, offset: number): Window<A> => {
  const { began, old, young } = window
  const kept = { at: offset, value }
  return isInReach(began, offset)
    ? { began, young: HashMap.set(young, name, kept), old }
    : { began: offset, young: HashMap.make([name, kept]), old: young }
}
