/**
 * How far a sync has come, as one line. Pure: events in, a line out.
 *
 * @since 0.1.0
 */
import type { SyncEvent } from "../../services/SyncObserver.ts"
import { number } from "../text/Amounts.ts"
import { duration } from "./Words.ts"

/**
 * What the events add up to, over all connectors. `since` is when the first of them had been listed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly since: number | undefined
  /** When a document was last done: what is left is guessed of then, and counted down from there. */
  readonly at: number
  readonly documents: number
  readonly toDo: number
  readonly fetched: number
  readonly embedding: number
  readonly embedded: number
  readonly done: number
}

/**
 * Before the first event.
 *
 * @since 0.1.0
 * @category constants
 */
export const nothing: Progress = {
  since: undefined,
  at: 0,
  documents: 0,
  toDo: 0,
  fetched: 0,
  embedding: 0,
  embedded: 0,
  done: 0
}

/**
 * Takes in what happened at that moment.
 *
 * @since 0.1.0
 * @category folding
 */
export const add = (progress: Progress, event: SyncEvent, now: number): Progress => {
  switch (event._tag) {
    case "Listed":
      return {
        ...progress,
        since: progress.since ?? now,
        documents: progress.documents + event.documents,
        toDo: progress.toDo + event.toDo
      }
    case "Fetched":
      return { ...progress, fetched: progress.fetched + 1 }
    case "Embedding":
      return { ...progress, embedding: progress.embedding + event.texts }
    case "Embedded":
      return { ...progress, embedded: progress.embedded + event.texts }
    case "Done":
      return { ...progress, done: progress.done + 1, at: now }
  }
}

/** A guess from less time, or from fewer of the documents, is none. */
const guessAfter = { millis: 3000, part: 0.1 }

/** Documents come out of the embedder many at a time; between two such moments nothing new is known. */
const left = ({ at, done, since, toDo }: Progress, now: number): string => {
  if (since === undefined || at - since < guessAfter.millis || done < toDo * guessAfter.part) return ""
  const rest = Math.max(0, toDo - done)
  const seconds = Math.ceil(((at - since) / done * rest - (now - at)) / 1000)
  return seconds <= 0 ? "" : `, ${seconds < 60 ? `${seconds} s` : duration(seconds * 1000)} left`
}

const barWidth = 10

const bar = ({ done, toDo }: Progress): string => {
  const full = Math.min(barWidth, Math.floor(done / toDo * barWidth))
  return "#".repeat(full) + ".".repeat(barWidth - full)
}

/**
 * The line, in at most that many characters.
 *
 * @since 0.1.0
 * @category formatting
 */
export const line = (progress: Progress, now: number, columns: number): string => {
  const { documents, done, embedded, embedding, fetched, since, toDo } = progress
  const texts = embedded > 0 ? `, ${number(embedded)} embedded` : embedding > 0 ? ", embedding" : ""
  const text = since === undefined
    ? "listing ..."
    : toDo === 0
    ? `${number(documents)} listed, nothing to do`
    : `${bar(progress)} ${number(done)} of ${number(toDo)} done, ${number(fetched)} fetched${texts}${
      left(progress, now)
    }`
  return text.slice(0, Math.max(0, columns))
}
