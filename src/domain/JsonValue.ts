/**
 * What a source says of a document (front matter, tags) is kept as it is, whatever its keys. It only has to be
 * something that JSON carries unchanged: no dates, no `undefined`, no NaN, no lone surrogate, no circle.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

const maxDepth = 100

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

const isJson = (value: unknown, depth: number): boolean => {
  if (value === null || typeof value === "boolean") return true
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value === "number") return Number.isFinite(value)
  if (!Predicate.isObject(value) || depth > maxDepth) return false
  return Array.isArray(value)
    ? value.every((item) => isJson(item, depth + 1))
    : isPlain(value) && Object.entries(value).every(([key, item]) => key.isWellFormed() && isJson(item, depth + 1))
}

/**
 * Any JSON value, at most 100 levels deep. Its keys are not copied one by one, so `__proto__` is a key like any other.
 *
 * @since 0.1.0
 * @category schemas
 */
export const JsonValue = Schema.Unknown.pipe(
  Schema.filter((value) => isJson(value, 0) || `not a value that JSON can hold, or deeper than ${maxDepth} levels`, {
    arbitrary: () => (fc) => fc.jsonValue()
  })
)
