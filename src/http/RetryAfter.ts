/**
 * How long a server asks to be left alone: `Retry-After` in seconds or as a date, or `retry-after-ms`, which some model
 * servers send beside it and which is more exact. Pure.
 *
 * @since 0.1.0
 */

/**
 * The headers of a response, their names in lower case.
 *
 * @since 0.1.0
 * @category models
 */
export type Headers = { readonly [name: string]: string | undefined }

const amount = /^\s*\d{1,12}(?:\.\d+)?\s*$/

/** `Date.parse` takes far more for a date than HTTP does, `5 apples` among it. */
const date = /^\s*(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,?\s+\S.*\d{2}:\d{2}:\d{2}/i

const asDate = (text: string): string => /\b(?:GMT|UTC)\s*$/i.test(text) ? text : `${text} GMT`

const millisOf = (value: string, now: number): number | undefined => {
  if (amount.test(value)) return Math.ceil(Number(value) * 1000)
  if (!date.test(value)) return undefined
  const at = Date.parse(asDate(value))
  return Number.isFinite(at) ? Math.max(0, at - now) : undefined
}

/**
 * Milliseconds from `now` on, never negative; none where the headers say nothing that can be understood.
 *
 * @since 0.1.0
 * @category parsing
 */
export const retryAfter = (headers: Headers, now: number): number | undefined => {
  const exact = headers["retry-after-ms"]
  if (exact !== undefined && amount.test(exact)) return Math.ceil(Number(exact))
  const value = headers["retry-after"]
  return value === undefined ? undefined : millisOf(value, now)
}
