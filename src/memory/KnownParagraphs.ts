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
import { LogReader } from "../../services/LogReader.ts"
import type { Sha256 } from "../domain/Ids.ts"
import type { Reference } from "../domain/Reference.ts"
import { follow } from "../log/Follow.ts"
import { gather, type Open } from "../log/Gather.ts"
import { paragraphHashes } from "./Paragraphs.ts"

/**
 * The paragraphs of a version of a document. One may reach from a passage into the next, so it is looked at as a whole.
 *
 * @since 0.1.0
 * @category reading
 */
export const paragraphsOf = (references: ReadonlyArray<Reference>): ReadonlyArray<Sha256> =>
  paragraphHashes([...references].sort((a, b) => a.ordinal - b.ordinal).map(({ text }) => text).join(""))

/**
 * Reads what is new in the log whenever it is asked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const registry: Effect.Effect<ArtifactRegistry["Type"], never, LogReader> = Effect.gen(function*() {
  const known = new Map<Sha256, ArtifactMatch>()
  let open: Open = Option.none()
  const catchUp = yield* follow(yield* LogReader, Option.none(), (line) => {
    const [next, counted] = gather(open, line)
    open = next
    if (line.record.kind === "artifact") {
      const { artifact_id, text_sha256 } = line.record.body
      known.set(text_sha256, { _tag: "Artifact", artifact_id })
    }
    if (Option.isNone(counted) || counted.value._tag !== "Group") return
    const { commit: { connector, doc_id }, lines } = counted.value
    const references = lines.flatMap(({ record }) => record.kind === "reference" ? [record.body] : [])
    for (const sha of paragraphsOf(references)) known.set(sha, { _tag: "Reference", connector, doc_id })
  })
  return {
    matches: (paragraphs) =>
      Effect.map(catchUp, () =>
        new Map(paragraphs.flatMap((sha) => {
          const match = known.get(sha)
          return match === undefined ? [] : [[sha, match] as const]
        })))
  }
})
