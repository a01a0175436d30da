/**
 * Sources, whether they can be read.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ConfiguredConnector, Connectors } from "../../../services/Connectors.ts"
import { ManifestStore } from "../../../services/ManifestStore.ts"
import type { Finding } from "../../domain/DoctorReport.ts"
import { plural } from "../../text/Amounts.ts"
import { readListing } from "../ReadListing.ts"
import { about } from "./About.ts"

const checkSource = ({ name }: ConfiguredConnector) =>
  Effect.scoped(Effect.gen(function*() {
    const of = about("source", name)
    const connector = yield* Effect.flatMap(Connectors, ({ get }) => get(name))
    const known = yield* Effect.flatMap(ManifestStore, ({ load }) => load(name))
    const listing = yield* connector.list(Option.getOrElse(known, () => new Map()))
    const { refs, remark, roots, skipped } = yield* readListing(listing)
    const bad = roots.filter(({ status }) => status !== "readable")
    if (bad.length > 0) {
      return of(
        "problem",
        bad.map(({ status, uri }) => `${uri} is ${status}`).join(", "),
        "make it readable, or take it out of connectors.yaml"
      )
    }
    if (refs.size === 0) return of("note", remark ?? "no document is there; see its options in connectors.yaml")
    return of("ok", `${plural(refs.size, "document")} can be listed, ${skipped.size} left out`)
  })).pipe(
    Effect.catchAll(({ message }) => Effect.succeed(about("source", name)("problem", message)))
  )

/**
 * Each source: whether it opens, and can be listed to its end.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkSources: Effect.Effect<ReadonlyArray<Finding>, never, Connectors | ManifestStore> = Effect.flatMap(
  Connectors,
  ({ configured }) => Effect.forEach(configured, checkSource, { concurrency: 4 })
)
