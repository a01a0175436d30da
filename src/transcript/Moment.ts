/**
 * The times of a transcript, which may be missing, go back, or be none.
 *
 * @since 0.1.0
 */
import { Timestamp } from "../domain/Ids.ts"

const last = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * The moment that is meant, by an ISO text or in milliseconds; null where that is not certain.
 *
 * @since 0.1.0
 * @category getters
 */
export const momentOf = (value: unknown): Timestamp | null => {
  const millis = typeof value === "number"
    ? value
    : typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)
    ? Date.parse(value)
    : Number.NaN
  // What is out of range is NaN to a Date as well.
  return millis >= 0 && millis <= last
    ? Timestamp.make(new Date(millis).toISOString(), { disableValidation: true })
    : null
}
