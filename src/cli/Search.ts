/**
 * `mem search`: finds what is in memory, by meaning and by words.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import type { SearchQuery } from "../../services/Search.ts"
import { SearchMode, SearchReport } from "../domain/SearchReport.ts"
import { matches } from "../search/Matches.ts"
import { embedded, search as program } from "../search/search.ts"
import { answer } from "./Answer.ts"
import { configuration, knownOrStored } from "./Configuration.ts"
import * as SearchText from "./SearchText.ts"
import { Terminal } from "./Terminal.ts"
import { UsageError } from "./UsageError.ts"

const encode = Schema.encodeSync(SearchReport)

const refuse = (detail: string) => new UsageError({ command: "mem search", detail })

const modes: ReadonlyArray<string> = SearchMode.literals

const modeOf = (mode: string): Either.Either<SearchMode, UsageError> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(SearchMode)(mode),
    () => refuse(`--mode is "${mode}": it must be one of ${modes.join(", ")}`)
  )

const mostHits = 1000

const countOf = (k: string): Either.Either<number, UsageError> =>
  /^\d{1,4}$/.test(k) && Number(k) >= 1 && Number(k) <= mostHits
    ? Either.right(Number(k))
    : Either.left(refuse(`-k is "${k}": it must be a number of hits, from 1 to ${mostHits}`))

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const search = Command.make("search", {
  words: Args.text({ name: "QUERY" }).pipe(
    Args.withDescription("What is looked for: a question, or words; quotes around it are not needed"),
    Args.repeated
  ),
  k: Options.text("k").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("Hits, at most; 10 if not given"),
    Options.withDefault("10")
  ),
  connector: Options.text("connector").pipe(
    Options.withPseudoName("NAME"),
    Options.withDescription("Only documents of this connector"),
    Options.optional
  ),
  path: Options.text("path").pipe(
    Options.withPseudoName("GLOB"),
    Options.withDescription("Only documents whose id matches, such as \"projects/**\""),
    Options.optional
  ),
  mode: Options.text("mode").pipe(
    Options.withPseudoName("MODE"),
    Options.withDescription("hybrid (if not given): both; vector: by meaning; keyword: by words, without the model"),
    Options.withDefault("hybrid")
  )
}, (given) =>
  Effect.gen(function*() {
    const text = given.words.join(" ").trim()
    if (text === "") return yield* refuse("nothing is looked for: write a question, or words")
    const mode = yield* modeOf(given.mode)
    const k = yield* countOf(given.k)
    const { file, home } = yield* configuration
    const connector = yield* Effect.transposeMapOption(
      given.connector,
      (name) => knownOrStored("mem search", name, home)
    )
    const asked: SearchQuery = {
      text,
      mode,
      k,
      ...Option.match(connector, { onNone: () => ({}), onSome: (connector) => ({ connector }) }),
      ...Option.match(given.path, { onNone: () => ({}), onSome: (path) => ({ path }) })
    }
    // The model is not even opened for words alone.
    const query = mode === "keyword" ? asked : yield* Effect.provide(embedded(asked), Live.embedder(file))
    const index = Layer.provideMerge(Live.readIndex(home), Live.read(home))
    const report = yield* Effect.provide(program(query), Layer.merge(index, Live.connectors(file)))
    const { colours } = yield* Terminal
    yield* answer({
      document: encode(report),
      lines: SearchText.lines(
        report,
        (passage) => matches(passage, text),
        colours ? SearchText.coloured : SearchText.uncoloured
      )
    })
  })).pipe(Command.withDescription("Find what is in memory, by meaning and by words. Reads only."))
