/**
 * `mem ref`: reference documents and sessions one by one. `rm` keeps a document out of every later sync and `add` lets it back in;
 * what was stored of it stays in the log.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { DocId } from "../domain/Ids.ts"
import { ReferenceReport } from "../domain/ReferenceReport.ts"
import { markDue } from "../memory/markDue.ts"
import { exclude, include, meant, meantToCome } from "../sync/exclude.ts"
import { keepUp } from "../sync/KeepUp.ts"
import { references } from "../sync/references.ts"
import { answer } from "./Answer.ts"
import { knownName, knownOrStored } from "./Configuration.ts"
import * as Grammar from "./Grammar.ts"
import { existingHome } from "./Home.ts"
import * as RefText from "./RefText.ts"
import { allowMassRemoval, connectorName, verify } from "./Sync.ts"
import { syncing } from "./Syncing.ts"
import { UsageError } from "./UsageError.ts"
import { wrapped } from "./Words.ts"

const encode = Schema.encodeSync(ReferenceReport)

const list = Command.make("list", { name: connectorName }, ({ name }) =>
  Effect.gen(function*() {
    const home = yield* existingHome("mem ref list")
    const report = yield* Effect.provide(references, Live.read(home))
    const only = yield* Effect.transposeMapOption(
      name,
      (name) =>
        knownName("mem ref list", name, [...report.documents, ...report.sessions].map(({ connector }) => connector))
    )
    const isWanted = ({ connector }: { readonly connector: string }) =>
      Option.match(only, { onNone: () => true, onSome: (name) => connector === name })
    const listed = new ReferenceReport({
      ...report,
      documents: report.documents.filter(isWanted),
      sessions: report.sessions.filter(isWanted)
    })
    yield* answer({ document: encode(listed), lines: RefText.lines(listed) })
  })).pipe(Command.withDescription("List the reference documents and the sessions in memory. Reads only."))

const sync = Command.make(
  "sync",
  { name: connectorName, allowMassRemoval, verify },
  (given) => syncing({ command: "ref sync", documentsOnly: true, ...given })
).pipe(
  Command.withDescription("As \"mem sync\", the connectors of reference documents only.")
)

const positional = {
  name: Args.text({ name: "NAME" }).pipe(Args.withDescription("A connector by its name in connectors.yaml")),
  document: Args.text({ name: "DOC_ID" }).pipe(
    Args.withDescription("A document or session, as \"mem ref list\" names it; of a session six characters may do")
  )
}

const changing = (
  command: "ref rm" | "ref add",
  change: typeof exclude,
  idOf: typeof meant,
  says: (name: string, document: string) => string
) =>
(given: { readonly name: string; readonly document: string }) =>
  Effect.gen(function*() {
    const home = yield* existingHome(`mem ${command}`)
    const decoded = Schema.decodeOption(DocId)(given.document)
    const given_id = yield* Option.match(decoded, {
      onSome: Effect.succeed,
      onNone: () => new UsageError({ command: `mem ${command}`, detail: "the name of the document is empty" })
    })
    const connector = yield* knownOrStored(`mem ${command}`, given.name, home)
    const doc_id = yield* Effect.provide(idOf(connector, given_id), Live.read(home))
    // What memory has of it goes with it.
    const changed = Effect.zipLeft(change(connector, doc_id), markDue)
    yield* Effect.provide(keepUp(changed), Live.write(home))
    yield* answer({
      document: { command, ok: true, connector, doc_id },
      lines: wrapped("", says(connector, doc_id))
    })
  })

const rm = Command.make(
  "rm",
  positional,
  changing(
    "ref rm",
    exclude,
    meant,
    (name, document) =>
      `${document} of ${name} is no longer found, and later syncs leave it out; its text stays in the log. `
      + `"mem ref add" lets it back in.`
  )
).pipe(
  Command.withDescription("Take a document out of memory, and keep it out of later syncs. Its text stays in the log.")
)

const add = Command.make(
  "add",
  positional,
  changing("ref add", include, meantToCome, (name, document) => `the next sync reads ${document} of ${name} again`)
).pipe(Command.withDescription("Let a document that was taken out back in: the next sync reads it again."))

/**
 * The command, and those below it.
 *
 * @since 0.1.0
 * @category commands
 */
export const ref = Command.make("ref").pipe(
  Command.withDescription("Look at reference documents, and keep single ones out."),
  Command.withSubcommands([list, sync, rm, add])
)

/**
 * How they are written.
 *
 * @since 0.1.0
 * @category grammar
 */
export const grammar: Grammar.Grammar = Grammar.make(Command.make("ref"), [
  Grammar.make(list),
  Grammar.make(sync),
  Grammar.make(rm),
  Grammar.make(add)
])
