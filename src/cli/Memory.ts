/**
 * `mem memory`: shows what is remembered, and what each part of it rests on.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { Connectors } from "../../services/Connectors.ts"
import type { ConnectorsFile } from "../domain/ConnectorsFile.ts"
import { MemoryReport } from "../domain/MemoryReport.ts"
import { memory as program } from "../memory/memory.ts"
import { marked } from "../memory/OwnOutput.ts"
import { standard } from "../memory/Profile.ts"
import { answer } from "./Answer.ts"
import { configuration } from "./Configuration.ts"
import { existingHome } from "./Home.ts"
import * as MemoryText from "./MemoryText.ts"
import { Terminal } from "./Terminal.ts"
import { UsageError } from "./UsageError.ts"

const encode = Schema.encodeSync(MemoryReport)

/** The connectors of documents, as far as the file can be understood. */
const documentsIn = (file: ConnectorsFile) =>
  Effect.map(
    Connectors,
    ({ configured }) =>
      configured.flatMap(({ name, source_type }): ReadonlyArray<string> => source_type === "document" ? [name] : [])
  ).pipe(
    Effect.provide(Live.connectors(file)),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

/** What may be asked for by name, and whether there is a model. A home without the file can be looked at. */
const configured = Effect.flatMap(
  Effect.option(configuration),
  Option.match({
    onNone: () => Effect.succeed({ model: false, connectors: [], documents: [], profiles: [] }),
    onSome: ({ file }) =>
      Effect.map(documentsIn(file), (documents) => ({
        model: file.model !== undefined,
        documents,
        connectors: file.connectors.map(({ name }): string => name),
        profiles: (file.profiles ?? [standard]).map(({ name }) => name)
      }))
  })
)

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const memory = Command.make("memory", {
  name: Args.text({ name: "NAME" }).pipe(
    Args.withDescription("Only what is of this connector, or of this profile"),
    Args.optional
  )
}, ({ name }) =>
  Effect.gen(function*() {
    const home = yield* existingHome("mem memory")
    const { all, named } = yield* Effect.provide(program, Live.read(home))
    const { connectors, documents, model, profiles } = yield* configured
    const known = new Set<string>([
      ...connectors,
      ...profiles,
      ...[...all.consolidated, ...all.sessions].map(({ profile }) => profile),
      ...all.sessions.map(({ connector }) => connector)
    ])
    if (Option.isSome(name) && !known.has(name.value)) {
      return yield* new UsageError({
        command: "mem memory",
        detail: `there is no connector and no profile ${JSON.stringify(name.value)}`
          + (known.size === 0 ? "" : `; there is ${[...known].map((each) => JSON.stringify(each)).join(", ")}`)
      })
    }
    const report = Option.match(name, { onNone: () => all, onSome: (name) => named(name, connectors.includes(name)) })
    const isEmpty = report.consolidated.length + report.sessions.length === 0
    const ofDocuments = documents.find((each) => Option.contains(name, each))
    const lines = !isEmpty
      ? MemoryText.lines(report)
      : ofDocuments === undefined
      ? MemoryText.nothing(report, model)
      : MemoryText.documents(ofDocuments)
    const { reads } = yield* Terminal
    yield* answer({ document: encode(report), lines: reads || isEmpty ? lines : marked("memory", lines) })
  })).pipe(Command.withDescription("Show what is remembered of sessions, with its evidence. Reads only."))
