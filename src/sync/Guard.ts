/**
 * Holds back removals that look like an accident: an unmounted disk, a path that was changed, a listing of something
 * else. Pure. A refusal is a value in the report, and nothing was removed.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { number, plural } from "../text/Amounts.ts"
import { type Diff, type Known, type Listed, under } from "./Diff.ts"

/**
 * Removals are refused when there are at least `max_removed_min` of them and they are more than `max_removed_ratio` of
 * what is known.
 *
 * @since 0.1.0
 * @category models
 */
export interface GuardOptions {
  readonly max_removed_ratio: number
  readonly max_removed_min: number
}

/**
 * @since 0.1.0
 * @category constants
 */
export const defaults: GuardOptions = { max_removed_ratio: 0.5, max_removed_min: 10 }

const advice = "nothing was removed; if that is right, run \"mem sync --allow-mass-removal\""

/**
 * Why these removals are refused, if they are.
 *
 * @since 0.1.0
 * @category guards
 */
export const refusal = (
  { entries }: Known,
  listed: Listed,
  { outside, removed }: Pick<Diff, "outside" | "removed">,
  options: GuardOptions
): Option.Option<string> => {
  const live = [...entries.values()].filter(({ excluded }) => excluded !== true).length
  if (outside.length > 0) {
    return Option.some(
      `${
        plural(outside.length, "document")
      } of the last sync lie outside of what is listed now (was the path changed?); ${advice}`
    )
  }
  const emptied = listed.coverage !== "complete" ?
    [] :
    listed.roots.filter(({ status, uri }) =>
      status === "readable" && removed.some(({ source_uri }) => under(source_uri, uri))
      && ![...listed.refs.values()].some(({ source_uri }) => under(source_uri, uri))
      && ![...listed.skipped.keys(), ...listed.duplicated].some((id) => under(entries.get(id)?.source_uri ?? "", uri))
    )
  if (emptied.length > 0) {
    const places = emptied.map(({ uri }) => uri).join(", ")
    return Option.some(`${places} is there, but empty, and ${plural(removed.length, "document")} were known; ${advice}`)
  }
  const tooMany = removed.length >= options.max_removed_min && removed.length > live * options.max_removed_ratio
  return tooMany
    ? Option.some(`${number(removed.length)} of ${plural(live, "document")} are gone from the source; ${advice}`)
    : Option.none()
}
