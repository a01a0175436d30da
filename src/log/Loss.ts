/**
 * What a repair of the log could not keep, and how a person is told of it. Pure.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { number, plural } from "../text/Amounts.ts"
import { nameOf } from "./SegmentFile.ts"

type Lines = Option.Option<readonly [first: number, last: number]>

/**
 * `Lost`: these bytes of a segment, and the lines that they were (none: they were nothing that the log lacks).
 * `Missing`: the file of a segment. `Begun`: the first line of a segment, made anew. `Torn`: bytes of a write that was
 * never acknowledged. `Chained`: nothing, but that a first line names the segment before as it is now.
 *
 * @since 0.1.0
 * @category models
 */
export type Loss = Data.TaggedEnum<{
  Lost: { readonly segment: number; readonly offset: number; readonly length: number; readonly lines: Lines }
  Missing: { readonly segment: number; readonly lines: Lines }
  Begun: { readonly segment: number }
  Torn: { readonly segment: number; readonly length: number }
  Chained: { readonly segment: number }
}>

/**
 * @since 0.1.0
 * @category constructors
 */
export const Loss = Data.taggedEnum<Loss>()

const which = (lines: Lines): string =>
  Option.match(lines, {
    onNone: () => "no line is lost with them",
    onSome: ([first, last]) => first === last ? `line ${first} is lost` : `lines ${first} to ${last} are lost`
  })

/** What a repair had to do for its own sake, whatever was lost. */
const isChained = ({ _tag }: Loss): boolean => _tag === "Chained"

const sentence = (loss: Loss): string => {
  const name = nameOf(loss.segment)
  switch (loss._tag) {
    case "Lost": {
      const place = `byte ${number(loss.offset)}`
      return loss.length === 0
        ? `${name}: lines were missing at ${place}; ${which(loss.lines)}`
        : `${name}: ${plural(loss.length, "byte")} from ${place} on were damaged; ${which(loss.lines)}`
    }
    case "Missing":
      return `${name}: the file was missing; ${Option.isNone(loss.lines) ? "it was begun anew" : which(loss.lines)}`
    case "Begun":
      return `${name}: its first line was made anew`
    case "Torn":
      return `${name}: its last ${plural(loss.length, "byte")}, of a write that was never finished, were moved aside`
    case "Chained":
      return `${name}: its first line names the segment before it as that is now`
  }
}

/**
 * A sentence for each loss, and where the damaged files are kept. Of the segments that only name another one before them
 * there may be many: they are told together.
 *
 * @since 0.1.0
 * @category formatting
 */
export const sentences = (losses: ReadonlyArray<Loss>): ReadonlyArray<string> => {
  const chained = losses.filter(isChained)
  const others = losses.filter((loss) => !isChained(loss))
  return [
    ...others.map(sentence),
    ...(chained.length > 1
      ? [`the first lines of ${plural(chained.length, "segment")} name the segments before them as those are now`]
      : chained.map(sentence)),
    ...(others.some(({ _tag }) => _tag !== "Missing")
      ? ["the damaged segments are kept as they were, in log/quarantine"]
      : [])
  ]
}
