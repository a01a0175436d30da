/**
 * The service of searching, over an index.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { Search } from "../../../services/Search.ts"
import { find } from "./Find.ts"
import { findRecords } from "./FindRecords.ts"
import type { Store } from "./Store.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ read }: Pick<Store, "read">): Search["Type"] =>
  Search.of({
    search: (query) =>
      Effect.gen(function*() {
        const { hits, wordsAlone } = yield* Effect.flatten(read((database) => find(database, query)))
        if (wordsAlone > 0) {
          yield* Effect.logWarning(
            `${wordsAlone} passages have no vector of this embedder yet and are found by their words alone; "mem sync" makes them`
          )
        }
        return hits
      }),
    records: (query) => read((database) => findRecords(database, query))
  })
