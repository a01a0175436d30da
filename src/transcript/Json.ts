/**
 * JSON that somebody else wrote, of whatever shape, depth and keys. Whoever reads it asks for what he needs and trusts
 * nothing.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * @since 0.1.0
 * @category models
 */
export interface JsonObject {
  readonly [member: string]: unknown
}

/** Real lines have a dozen levels; thousands would overflow the stack of whatever walks through them. */
const maxDepth = 200

const isDeeper = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (left === 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((item) => isDeeper(item, left - 1))
}

/**
 * Whether a value is nested deeper than a reader goes.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isTooDeep = (value: unknown): boolean => isDeeper(value, maxDepth)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isObject = (value: unknown): value is JsonObject => Predicate.isRecord(value)

/**
 * A string with something in it, made well-formed; undefined for anything else.
 *
 * @since 0.1.0
 * @category getters
 */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.toWellFormed() : undefined

/**
 * One text for a value, however its members were ordered and its strings were escaped: what is hashed for a key. The
 * value is no deeper than {@link isTooDeep} allows.
 *
 * @since 0.1.0
 * @category encoding
 */
export const canonical = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed())
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value).sort().map((name) =>
    `${JSON.stringify(name.toWellFormed())}:${canonical(value[name])}`
  )
  return `{${members.join(",")}}`
}
