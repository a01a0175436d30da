/** Sessions in a log in memory, and models that are plain functions of what they are shown. */
import * as Effect from "effect/Effect"
import * as MemoryLog from "../../layers/Log/Memory.ts"
import { LanguageModel, type ModelRequest } from "../../services/LanguageModel.ts"
import { type LocatedRecord, LogReader } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { ChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import { Tokens } from "../../src/domain/FlushTrigger.ts"
import {
  ConnectorName,
  DocId,
  EmbedderFingerprint,
  Fingerprint,
  RecordKey,
  SessionKey,
  SourceUri,
  Timestamp
} from "../../src/domain/Ids.ts"
import type { LanguageModelError } from "../../src/domain/LanguageModelErrors.ts"
import type { Memory } from "../../src/domain/Memory.ts"
import { Record } from "../../src/domain/Record.ts"
import type { Spent } from "../../src/memory/Budget.ts"
import { estimate } from "../../src/memory/estimate.ts"
import { liveMemory } from "../../src/memory/LiveMemory.ts"
import { defaultOptions, type LoopOptions, remember } from "../../src/memory/loop.ts"
import { Profile } from "../../src/memory/Profile.ts"
import { close, open } from "../../src/memory/Tags.ts"
import { all } from "../fixtures/LogGroups.ts"

export const claude = ConnectorName.make("claude")

/** A token a character. */
export const characters = TokenCounter.of({ fingerprint: "characters/1", count: (text) => text.length })

export const facts = new Profile({ name: "facts", questions: ["What is true?"] })

export const policy = new ChunkPolicy({ ...ChunkPolicy.default, max_tokens: 40, flush: new Tokens({ n: 40 }) })

export const options: LoopOptions = {
  ...defaultOptions,
  profiles: [facts],
  policy,
  rules: { exit: "off", max_memory_tokens: 60, max_answer_tokens: 500 },
  patience: { retries: 2, wait: 0 },
  consolidate: false,
  concurrency: 1
}

/** What a prompt shows, taken apart again. */
export interface Seen {
  readonly question: string
  readonly memory: string
  readonly records: ReadonlyArray<{ readonly name: string; readonly text: string }>
  readonly suffix: string
  readonly instruction: string
  readonly prompt: string
}

const between = (text: string, from: string, to: string): string => {
  const start = text.indexOf(from) + from.length
  return text.slice(start + 1, text.indexOf(to, start) - 1)
}

export const seenOf = ({ messages }: ModelRequest): Seen => {
  const prompt = messages[1]?.content ?? ""
  const suffix = /<problem-([0-9a-f]+)>/.exec(prompt)?.[1] ?? "none"
  const memory = between(prompt, open("memory", suffix), close("memory", suffix))
  const records = prompt.split(`<record-${suffix} `).slice(1).map((part) => ({
    name: part.slice(0, part.indexOf(" ")),
    text: part.slice(part.indexOf(">\n") + 2, part.lastIndexOf(`\n${close("record", suffix)}`))
  }))
  return {
    question: between(prompt, open("problem", suffix), close("problem", suffix)),
    memory: memory === "(no memory yet)" ? "" : memory,
    records,
    suffix,
    instruction: messages[0]?.content ?? "",
    prompt
  }
}

/** What a model says, before it is put between tags; a text is the whole answer as it stands. */
export interface Says {
  readonly check?: boolean
  readonly update?: string
  readonly cite?: string
  readonly end?: boolean
}

export const spoken = ({ check = false, cite = "", end = false, update = "" }: Says, suffix: string): string =>
  [
    `${open("check", suffix)}${check ? "yes" : "no"}${close("check", suffix)}`,
    `${open("update", suffix)}${update}${close("update", suffix)}`,
    `${open("cite", suffix)}${cite}${close("cite", suffix)}`,
    `${open("next", suffix)}${end ? "end" : "continue"}${close("next", suffix)}`
  ].join("\n")

export type Answers = (seen: Seen, call: number) => Says | string | LanguageModelError

/** Keeps the last facts that fit: each sentence that begins with FACT. */
export const keywordOf = (most: number) => ({ memory, records }: Seen): Says => {
  const found = records.flatMap(({ name, text }) =>
    [...text.matchAll(/FACT [^.]*\./g)].map(([fact]) => ({ name, fact })).filter(({ fact }) => !memory.includes(fact))
  )
  if (found.length === 0) return {}
  const lines = [...memory.split("\n").filter((line) => line !== ""), ...found.map(({ fact }) => fact)]
  while (lines.join("\n").length > most) lines.shift()
  return { check: true, update: lines.join("\n"), cite: found.map(({ name }) => name).join(",") }
}

export const keyword = keywordOf(60)

export interface World {
  readonly archive: (
    session: string,
    records: ReadonlyArray<Record>,
    more?: { readonly removed?: boolean }
  ) => Effect.Effect<void>
  /** Runs the loop; what it has shown is in `seen`. */
  readonly run: (
    answers: Answers,
    more?: Partial<LoopOptions>,
    writer?: (own: LogWriter["Type"]) => LogWriter["Type"],
    model?: string
  ) => ReturnType<typeof provided>
  readonly seen: Array<Seen>
  readonly lines: Effect.Effect<ReadonlyArray<LocatedRecord>>
  readonly memories: Effect.Effect<ReadonlyArray<Memory>>
  readonly state: Effect.Effect<State>
  /** What a run would cost. */
  readonly ahead: Effect.Effect<Spent>
  readonly costs: (more: Partial<LoopOptions>) => Effect.Effect<Spent>
  readonly provide: <A, E>(program: Effect.Effect<A, E, LogReader | LogWriter>) => Effect.Effect<A, E>
}

/** What is live, as it can be compared: no places, no times. */
export interface State {
  readonly memories: ReadonlyArray<{ readonly session: string; readonly text: string; readonly cites: number }>
  readonly evidence: ReadonlyArray<string>
  readonly steps: ReadonlyArray<string>
  readonly consolidated: ReadonlyArray<string>
}

const provided = (
  options: LoopOptions,
  services: { reader: LogReader["Type"]; writer: LogWriter["Type"]; model: LanguageModel["Type"] }
) =>
  remember(options).pipe(
    Effect.provideService(LanguageModel, services.model),
    Effect.provideService(LogReader, services.reader),
    Effect.provideService(LogWriter, services.writer),
    Effect.provideService(TokenCounter, characters)
  )

export const say = (key: string, text: string, more: Partial<Record> = {}): Record =>
  new Record({ key: RecordKey.make(key), text, ...more })

const zeros = "0".repeat(64)

export const make: Effect.Effect<World> = Effect.gen(function*() {
  const { reader, writer } = yield* MemoryLog.make
  const seen: Array<Seen> = []
  let calls = 0

  const lines = Effect.orDie(Effect.provideService(all(), LogReader, reader))

  const state = Effect.gen(function*() {
    const { catchUp, memory } = yield* liveMemory
    yield* catchUp
    const memories = yield* Effect.forEach(
      memory.memories(),
      ({ position, profile, session_key, stale }) =>
        Effect.map(reader.at(position), (line) => ({
          session: `${session_key} ${profile}${stale ? " stale" : ""}`,
          text: line.kind === "memory" && line.body.entry === "memory" ? line.body.text : "",
          cites: line.kind === "memory" && line.body.entry === "memory" ? line.body.citations.length : 0
        }))
    )
    const consolidated = yield* Effect.forEach(
      memory.allConsolidated(),
      ({ position, profile, stale }) =>
        Effect.map(
          reader.at(position),
          (line) =>
            `${profile}${stale ? " stale" : ""}: ${
              line.kind === "memory" && line.body.entry === "memory" ? line.body.text : ""
            }`
        )
    )
    return {
      consolidated,
      memories: memories.sort((a, b) => a.session < b.session ? -1 : 1),
      evidence: memory.allEvidence().map(({ id, record_key, span }) => `${record_key} ${span.join("-")} ${id}`).sort(),
      steps: memory.sessions().flatMap(({ session_key, steps }) =>
        [...steps].map(([key, { after, t, window }]) => `${session_key} ${t}.${window ?? 0} ${key} ${after}`)
      ).sort()
    }
  }).pipe(Effect.provideService(LogReader, reader), Effect.orDie)

  const costs = (more: Partial<LoopOptions>) =>
    estimate({ ...options, ...more }).pipe(
      Effect.provideService(LogReader, reader),
      Effect.provideService(TokenCounter, characters),
      Effect.provideService(LanguageModel, {
        fingerprint: "test/1",
        complete: () => Effect.dieMessage("an estimate calls no model")
      }),
      Effect.orDie
    )

  return {
    seen,
    lines,
    memories: Effect.map(lines, (all) => all.flatMap(({ record }) => record.kind === "memory" ? [record.body] : [])),
    state,
    ahead: costs({}),
    costs,
    provide: (program) =>
      program.pipe(Effect.provideService(LogReader, reader), Effect.provideService(LogWriter, writer)),
    archive: (session, records, { removed } = {}) =>
      Effect.asVoid(Effect.orDie(writer.append([{
        entries: records.map((record) => ({
          kind: "record",
          body: new Record({ ...record, session_key: SessionKey.make(session) })
        })),
        commit: {
          connector: claude,
          doc_id: DocId.make(session),
          source_uri: SourceUri.make(`file:///${session}`),
          content_hash: Fingerprint.make(`sha256:${zeros}`),
          pipeline: Fingerprint.make(`sha256:${zeros}`),
          embedder: EmbedderFingerprint.make("none"),
          chunk_count: 0,
          synced_at: Timestamp.make("2026-11-29T20:00:00.000Z"),
          ...(removed === true ? { removed } : {})
        }
      }]))),
    run: (answers, more = {}, around = (own) => own, name = "test/1") =>
      provided({ ...options, ...more }, {
        reader,
        writer: around(writer),
        model: {
          fingerprint: name,
          complete: (request) =>
            Effect.suspend(() => {
              const shown = seenOf(request)
              seen.push(shown)
              const said = answers(shown, calls++)
              if (typeof said !== "string" && "_tag" in said) return Effect.fail(said)
              return Effect.succeed({
                text: typeof said === "string" ? said : spoken(said, shown.suffix),
                finish_reason: "stop",
                usage: { prompt_tokens: shown.prompt.length, completion_tokens: 10 }
              })
            })
        }
      })
  }
})

/** How many lines of the log are of that kind. */
export const count = (lines: ReadonlyArray<LocatedRecord>, kind: LocatedRecord["record"]["kind"]): number =>
  lines.filter(({ record }) => record.kind === kind).length
