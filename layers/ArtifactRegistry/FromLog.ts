/**
 * The registry as a fold of the log: texts that mem registered, and the text of every reference document, paragraph by
 * paragraph. It reads what is new in the log whenever it is asked.
 *
 * A document that was removed stays known: what its text said may still come back through a transcript.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { type ArtifactMatch, ArtifactRegistry } from "../../services/ArtifactRegistry.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import type { Reference } from "../../src/domain/Reference.ts"
import { apply, behind, empty, type Live } from "../../src/log/Live.ts"
import { paragraphHashes } from "../../src/memory/Paragraphs.ts"

interface State {
  readonly live: Live
  readonly known: HashMap.HashMap<string, ArtifactMatch>
}

/** A paragraph may reach from one passage into the next, so the document is looked at as a whole. */
const addDocument = (known: State["known"], references: ReadonlyArray<Reference>): State["known"] => {
  const [first] = references
  if (first === undefined) return known
  const { connector, doc_id } = first
  const text = [...references].sort((a, b) => a.ordinal - b.ordinal).map((reference) => reference.text).join("")
  return paragraphHashes(text).reduce(
    (all, sha) => HashMap.set(all, sha, { _tag: "Reference" as const, connector, doc_id }),
    known
  )
}

const take = (state: State, line: LocatedRecord): State => {
  const [live, changes] = apply(state.live, line)
  const documents = changes.reduce(
    (known, change) => change._tag === "Committed" ? addDocument(known, change.added) : known,
    state.known
  )
  if (line.record.kind !== "artifact") return { live, known: documents }
  const { artifact_id, text_sha256 } = line.record.body
  return { live, known: HashMap.set(documents, text_sha256, { _tag: "Artifact", artifact_id }) }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<ArtifactRegistry["Type"], never, LogReader> = Effect.gen(function*() {
  const { records } = yield* LogReader
  const state = yield* SynchronizedRef.make<State>({ live: empty, known: HashMap.empty() })
  const caughtUp = SynchronizedRef.updateAndGetEffect(
    state,
    (before) => Stream.runFold(records(Option.getOrUndefined(Option.map(before.live.last, behind))), before, take)
  )
  return ArtifactRegistry.of({
    match: (paragraph) =>
      Effect.map(
        caughtUp,
        ({ known }) =>
          Option.flatMap(Option.fromNullable(paragraphHashes(paragraph)[0]), (sha) => HashMap.get(known, sha))
      )
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ArtifactRegistry, never, LogReader> = Layer.effect(ArtifactRegistry, make)
