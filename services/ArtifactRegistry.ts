/**
 * Knows the texts that may not come back as evidence: what mem itself wrote, and the text of reference documents. A
 * fold of the log, caught up whenever it is asked.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ArtifactId, ConnectorName, DocId, Sha256 } from "../src/domain/Ids.ts"
import type { LogReadError } from "./LogReader.ts"

/**
 * What a paragraph was recognised as.
 *
 * @since 0.1.0
 * @category models
 */
export type ArtifactMatch =
  | { readonly _tag: "Artifact"; readonly artifact_id: ArtifactId }
  | { readonly _tag: "Reference"; readonly connector: ConnectorName; readonly doc_id: DocId }

/**
 * @since 0.1.0
 * @category tags
 */
export class ArtifactRegistry extends Context.Tag("mem/ArtifactRegistry")<ArtifactRegistry, {
  /** What paragraphs are copies of, by the sha256 of what each says once it is normalised; unknown ones are left out. */
  readonly matches: (
    paragraphs: ReadonlyArray<Sha256>
  ) => Effect.Effect<ReadonlyMap<Sha256, ArtifactMatch>, LogReadError>
}>() {}
