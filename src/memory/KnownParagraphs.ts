/**
 * The registry of what may not come back as evidence, as a fold of the log: texts that mem registered, and the text of
 * every reference document, paragraph by paragraph.
 *
 * A document that was removed stays known: what its text said may still come back through a transcript.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ArtifactMatch, ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import type { Sha256 } from "../domain/Ids.ts"
import { follow } from "../log/Follow.ts"
import { gather, type Open, type WholeGroup } from "../log/Gather.ts"
import { paragraphHashes } from "./Paragraphs.ts"

/**
 * The paragraphs of the version of a document that a group brings. One may reach from a passage into the next, so the
 * document is looked at as a whole.
 *
 * @since 0.1.0
 * @category reading
 */
export const paragraphsOf = ({ lines }: WholeGroup): ReadonlyArray<Sha256> => {
  const references = lines.flatMap(({ record }) => record.kind === "reference" ? [record.body] : [])
  return paragraphHashes(references.sort((a, b) => a.ordinal - b.ordinal).map(({ text }) => text).join(""))
}

/**
 * The paragraphs that a fold of the log has come upon. It grows in place: a copy a line would be quadratic. The first line
 * must begin a group or stand alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface KnownParagraphs {
  readonly take: (line: LocatedRecord) => void
  readonly matchOf: (paragraph: Sha256) => ArtifactMatch | undefined
}

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): KnownParagraphs => {
  const known = new Map<Sha256, ArtifactMatch>()
  let open: Open = Option.none()
  return {
    take: (line) => {
      const [next, counted] = gather(open, line)
      open = next
      if (line.record.kind === "artifact") {
        const { artifact_id, text_sha256 } = line.record.body
        known.set(text_sha256, { _tag: "Artifact", artifact_id })
      }
      if (Option.isNone(counted) || counted.value._tag !== "Group") return
      const { commit: { connector, doc_id } } = counted.value
      for (const sha of paragraphsOf(counted.value)) known.set(sha, { _tag: "Reference", connector, doc_id })
    },
    matchOf: (paragraph) => known.get(paragraph)
  }
}

/**
 * Reads what is new in the log whenever it is asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const registry: Effect.Effect<ArtifactRegistry["Type"], never, LogReader> = Effect.gen(function*() {
  const { matchOf, take } = make()
  const catchUp = yield* follow(yield* LogReader, Option.none(), take)
  return {
    matches: (paragraphs) =>
      Effect.map(catchUp, () =>
        new Map(paragraphs.flatMap((sha) => {
          const match = matchOf(sha)
          return match === undefined ? [] : [[sha, match] as const]
        })))
  }
})
