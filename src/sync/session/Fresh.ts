/**
 * What of a session's Records the log does not have yet, as it would be archived: without secrets, and with what mem wrote
 * or imported itself cut out and marked. By readers alone: a sync stores it, an estimate counts it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ArtifactRegistry } from "../../../services/ArtifactRegistry.ts"
import { LogReader, type LogReadError } from "../../../services/LogReader.ts"
import { RecordIndex } from "../../../services/RecordIndex.ts"
import type { ConnectorName, RecordKey } from "../../domain/Ids.ts"
import { Record } from "../../domain/Record.ts"
import type { SecretKind } from "../../domain/SecretKind.ts"
import { maxLineBytes } from "../../log/Codec.ts"
import * as RecordPlaces from "../../log/RecordPlaces.ts"
import { cutOut } from "../../memory/CutOut.ts"
import { registry } from "../../memory/KnownParagraphs.ts"
import { ownOutput } from "../../memory/OwnOutput.ts"
import { tellable } from "../../memory/Paragraphs.ts"
import { scrub } from "../../transcript/Scrub.ts"
import { sift, type Sifted } from "./Sift.ts"

/** What a line holds beside its text, at most, where nobody means harm. */
const envelopeBytes = 64 * 1024

/** Whether a line of the log can hold it; a character takes six bytes at most. */
const fits = ({ text }: Record): boolean =>
  text.length * 6 < maxLineBytes - envelopeBytes
  || Buffer.byteLength(JSON.stringify(text)) < maxLineBytes - envelopeBytes

/** Texts of the log are read side by side, so many at a time. */
const readsInFlight = 16

/**
 * What is to be archived; the secrets that were taken out, by the key of the Record that held them; and what is longer
 * than a line of the log may be, of which nothing is archived.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unknown extends Sifted {
  readonly found: ReadonlyMap<string, ReadonlyMap<SecretKind, number>>
  readonly too_long: ReadonlyArray<Record>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Fresh {
  readonly unknown: (records: ReadonlyArray<Record>) => Effect.Effect<Unknown, LogReadError, LogReader>
}

/** A quicker index than a fold of the log serves where there is one. */
const optional = <A, E, R>(tag: Effect.Effect<Option.Option<A>>, fold: Effect.Effect<A, E, R>) =>
  Effect.flatMap(tag, Option.match({ onNone: () => fold, onSome: Effect.succeed }))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  connector: ConnectorName,
  options: { readonly scrub: boolean }
): Effect.Effect<Fresh, never, LogReader> =>
  Effect.gen(function*() {
    const index = yield* optional(Effect.serviceOption(RecordIndex), RecordPlaces.index)
    const artifacts = yield* optional(Effect.serviceOption(ArtifactRegistry), registry)

    /** Texts without secrets, and what was taken out of each. */
    const scrubbed = (records: ReadonlyArray<Record>) => {
      const found = new Map<string, ReadonlyMap<SecretKind, number>>()
      if (!options.scrub) return { found, records }
      const clean = records.map((record) => {
        const scrubbed = scrub(record.text)
        if (scrubbed.found.size === 0) return record
        found.set(record.key, scrubbed.found)
        return new Record({ ...record, text: scrubbed.text }, { disableValidation: true })
      })
      return { found, records: clean }
    }

    /** Evidence without what mem wrote or imported itself. */
    const evidence = (records: ReadonlyArray<Record>) =>
      Effect.gen(function*() {
        const looked = records.map((record) => ({ record, paragraphs: tellable(record.text) }))
        const known = yield* artifacts.matches(
          looked.flatMap(({ paragraphs }) => paragraphs.map(({ sha256 }) => sha256))
        )
        return looked.flatMap(({ paragraphs, record }) =>
          cutOut(record, [...ownOutput(record.text), ...paragraphs.filter(({ sha256 }) => known.has(sha256))])
        )
      })

    const textsOf = (keys: ReadonlyArray<RecordKey>) =>
      Effect.gen(function*() {
        const { at } = yield* LogReader
        const positions = yield* index.positions(connector, keys)
        const texts = yield* Effect.forEach(
          positions,
          ([key, position]) =>
            Effect.map(at(position), (line) => line.kind === "record" ? [[key, line.body.text] as const] : []),
          { concurrency: readsInFlight }
        )
        return new Map(texts.flat())
      })

    return {
      unknown: (records) =>
        Effect.gen(function*() {
          const { found, records: clean } = scrubbed(records.filter(fits))
          const parts = yield* evidence(clean)
          const sifted = sift(parts, yield* textsOf(parts.map(({ key }) => key)))
          return { ...sifted, found, too_long: records.filter((record) => !fits(record)) }
        })
    }
  })
