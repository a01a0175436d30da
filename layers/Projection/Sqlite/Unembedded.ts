/**
 * What an index knows of memory as a whole: whether there is any, and which of its passages have no vector of an embedder,
 * read a page at a time.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { MemoryIndex } from "../../../services/MemoryIndex.ts"
import { EmbedderFingerprint } from "../../../src/domain/Ids.ts"
import type { Database } from "./Database.ts"
import { Utf8, utf8 } from "./Row.ts"
import type { Store } from "./Store.ts"

const together = 256

const rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, text: Utf8 })))

const embedders = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ embedder: Schema.compose(Utf8, EmbedderFingerprint) }))
)

const page = (database: Database, embedder: EmbedderFingerprint, after: number) =>
  rows(database.all(
    `select p.id, p.text from passage p join document d on d.id = p.document
    left join model m on m.id = p.model
    where d.level <> 'R' and p.id > ? and (m.fingerprint is null or m.fingerprint <> ?) order by p.id limit ?`,
    after,
    utf8(embedder),
    together
  ))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ read }: Pick<Store, "read">): MemoryIndex["Type"] =>
  MemoryIndex.of({
    isEmpty: read((database) => database.all("select 1 from memory limit 1").length === 0),
    embedder: read((database) =>
      Option.map(
        Option.fromNullable(embedders(database.all("select embedder from memory_embedder"))[0]),
        ({ embedder }) => embedder
      )
    ),
    unembedded: (embedder) =>
      Stream.paginateChunkEffect(0, (after) =>
        Effect.map(
          read((database) => page(database, embedder, after)),
          (found) => [
            Chunk.map(Chunk.fromIterable(found), ({ text }) => text),
            Option.map(
              Option.filter(Option.fromNullable(found.at(-1)), () => found.length === together),
              ({ id }) => id
            )
          ]
        ))
  })
