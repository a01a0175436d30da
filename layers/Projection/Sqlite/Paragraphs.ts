/**
 * The paragraphs of the index that may not come back as evidence. They only come: what a document said that is gone may
 * still be quoted.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import type { ArtifactMatch, ArtifactRegistry } from "../../../services/ArtifactRegistry.ts"
import type { LogReader } from "../../../services/LogReader.ts"
import { ArtifactId, ConnectorName, DocId, type Sha256 } from "../../../src/domain/Ids.ts"
import type { Artifact } from "../../../src/domain/Memory.ts"
import type { WholeGroup } from "../../../src/log/Gather.ts"
import * as KnownParagraphs from "../../../src/memory/KnownParagraphs.ts"
import type { Database } from "./Database.ts"
import * as Lookup from "./Lookup.ts"
import { hashBytes, Utf8, utf8 } from "./Row.ts"
import type { Store } from "./Store.ts"

/**
 * Takes in a registered text.
 *
 * @since 0.1.0
 * @category folding
 */
export const register = (database: Database, { artifact_id, text_sha256 }: Artifact): void => {
  database.run(
    "insert or replace into paragraph(sha256, artifact_id) values (?, ?)",
    hashBytes(text_sha256),
    utf8(artifact_id)
  )
}

/**
 * Takes in a version of a document.
 *
 * @since 0.1.0
 * @category folding
 */
export const note = (database: Database, group: WholeGroup): void => {
  const { connector, doc_id } = group.commit
  for (const sha of KnownParagraphs.paragraphsOf(group)) {
    database.run(
      "insert or replace into paragraph(sha256, connector, doc_id) values (?, ?, ?)",
      hashBytes(sha),
      connector,
      utf8(doc_id)
    )
  }
}

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  artifact_id: Schema.NullOr(Schema.compose(Utf8, ArtifactId)),
  connector: Schema.NullOr(ConnectorName),
  doc_id: Schema.NullOr(Schema.compose(Utf8, DocId))
})))

const inTables = (database: Database, _: undefined, paragraph: Sha256): ArtifactMatch | undefined => {
  const [row] = rows(
    database.all("select artifact_id, connector, doc_id from paragraph where sha256 = ?", hashBytes(paragraph))
  )
  if (row === undefined) return undefined
  if (row.artifact_id !== null) return { _tag: "Artifact", artifact_id: row.artifact_id }
  return row.connector === null || row.doc_id === null
    ? undefined
    : { _tag: "Reference", connector: row.connector, doc_id: row.doc_id }
}

/**
 * The registry of artifacts in the tables.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (store: Pick<Store, "read">, log: LogReader["Type"]): Effect.Effect<ArtifactRegistry["Type"]> =>
  Effect.map(
    Lookup.make(store, log, () => {
      const { matchOf, take } = KnownParagraphs.make()
      return { take, inLines: (_: undefined, paragraph: Sha256) => matchOf(paragraph), inTables }
    }, identity),
    (find) => ({ matches: (paragraphs) => find(undefined, paragraphs) })
  )
