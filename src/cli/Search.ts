/**
 * `mem search`: finds what is in memory, by meaning and by words.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import type { SearchQuery } from "../../services/Search.ts"
import { Level, withWord } from "../domain/Level.ts"
import { Role } from "../domain/Record.ts"
import { SearchMode, SearchReport } from "../domain/SearchReport.ts"
import { marked } from "../memory/OwnOutput.ts"
import { matches } from "../search/Matches.ts"
import { whyNothing } from "../search/Nothing.ts"
import { embedded, type RecordFilter, search as program } from "../search/search.ts"
import { answer } from "./Answer.ts"
import { configuration, knownOrStored } from "./Configuration.ts"
import { optionalText } from "./OptionalText.ts"
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

const levelNames = Level.literals.join(", ")
const levelsInWords = Level.literals.map(withWord).join(", ")

const levelsOf = (given: string): Either.Either<ReadonlyArray<Level>, UsageError> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Schema.Array(Level))(given.split(",").map((level) => level.trim().toUpperCase())),
    () => refuse(`--level is "${given}": write one or more of ${levelNames}, with commas between them`)
  )

const roles: ReadonlyArray<string> = Role.literals

const roleOf = (role: string): Either.Either<Role, UsageError> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Role)(role),
    () => refuse(`--role is "${role}": it must be one of ${roles.join(", ")}`)
  )

const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/
const ago = /^(\d{1,5})([hd])$/
const hour = 3_600_000

/** A moment as it was given: the beginning of one as the log writes them, or one that lies so far back. */
const momentOf = (option: string, given: string): Effect.Effect<string, UsageError> => {
  const [, amount, unit] = ago.exec(given) ?? []
  if (amount !== undefined) {
    return Effect.map(
      Clock.currentTimeMillis,
      (now) => new Date(now - Number(amount) * (unit === "d" ? 24 * hour : hour)).toISOString()
    )
  }
  return isDate.test(given) && !Number.isNaN(Date.parse(given))
    ? Effect.succeed(given)
    : refuse(`${option} is "${given}": write a day such as 2026-05-01, a moment such as 2026-05-01T09:00, or 7d or 12h`)
}

/** What of the archive is asked for alone; nothing where no option says so. */
const filterOf = (given: {
  readonly role: Option.Option<string>
  readonly tool: Option.Option<string>
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly project: Option.Option<string>
}): Effect.Effect<RecordFilter | undefined, UsageError> =>
  Effect.gen(function*() {
    const role = yield* Effect.transposeMapOption(given.role, roleOf)
    const since = yield* Effect.transposeMapOption(given.since, (moment) => momentOf("--since", moment))
    const until = yield* Effect.transposeMapOption(given.until, (moment) => momentOf("--until", moment))
    if (Option.isSome(since) && Option.isSome(until) && since.value >= until.value) {
      return yield* refuse(`--since is ${since.value} and --until is ${until.value}: nothing lies between`)
    }
    const filter: RecordFilter = {
      ...Option.match(role, { onNone: () => ({}), onSome: (role) => ({ role }) }),
      ...Option.match(given.tool, { onNone: () => ({}), onSome: (tool) => ({ tool }) }),
      ...Option.match(since, { onNone: () => ({}), onSome: (since) => ({ since }) }),
      ...Option.match(until, { onNone: () => ({}), onSome: (until) => ({ until }) }),
      ...Option.match(given.project, { onNone: () => ({}), onSome: (project) => ({ project }) })
    }
    return Object.keys(filter).length === 0 ? undefined : filter
  })

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
  connector: optionalText("connector", "NAME", "Only documents and sessions of this connector"),
  path: optionalText("path", "GLOB", "Only documents and sessions whose id matches, such as \"projects/**\""),
  mode: Options.text("mode").pipe(
    Options.withPseudoName("MODE"),
    Options.withDescription("hybrid (if not given): both; vector: by meaning; keyword: by words, without the model"),
    Options.withDefault("hybrid")
  ),
  level: optionalText("level", "LEVELS", `Only these levels, such as R or L0,L1,L2: ${levelsInWords}`),
  role: optionalText("role", "ROLE", "Only what was said in sessions by user, assistant, tool or system"),
  tool: optionalText("tool", "NAME", "Only calls and results of this tool, such as Bash, in sessions"),
  since: optionalText("since", "WHEN", "Only what was said in sessions since then: 2026-05-01, 7d, 12h"),
  until: optionalText("until", "WHEN", "Only what was said in sessions before then"),
  project: optionalText("project", "GLOB", "Only sessions in folders that match, such as \"**/demo\"")
}, (given) =>
  Effect.gen(function*() {
    const text = given.words.join(" ").trim()
    if (text === "") return yield* refuse("nothing is looked for: write a question, or words")
    const mode = yield* modeOf(given.mode)
    const k = yield* countOf(given.k)
    const filter = yield* filterOf(given)
    const levels = yield* Effect.transposeMapOption(given.level, levelsOf)
    if (Option.isSome(levels) && filter !== undefined) {
      return yield* refuse(
        "what was said in sessions has no level until it is accepted: leave out --level, or --role, --tool, --since, --until and --project"
      )
    }
    if (mode === "vector" && filter !== undefined) {
      return yield* refuse("what sessions hold is found by its words: leave out --mode vector")
    }
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
      ...Option.match(given.path, { onNone: () => ({}), onSome: (path) => ({ path }) }),
      ...Option.match(levels, { onNone: () => ({}), onSome: (levels) => ({ levels }) })
    }
    // The model is not even opened for words alone.
    const query = mode === "keyword" || filter !== undefined
      ? { ...asked, mode: "keyword" as const }
      : yield* Effect.provide(embedded(asked), Live.embedder(file))
    const index = Layer.provideMerge(Live.readIndex(home), Live.read(home))
    const report = yield* Effect.gen(function*() {
      const found = yield* program(query, filter)
      if (found.hits.length + (found.records ?? []).length > 0) return found
      const hint = yield* whyNothing(query, filter)
      return hint === undefined ? found : new SearchReport({ ...found, hint })
    }).pipe(Effect.provide(Layer.merge(index, Live.connectors(file))))
    const { colours, reads } = yield* Terminal
    const lines = SearchText.lines(
      report,
      (passage) => matches(passage, text),
      colours ? SearchText.coloured : SearchText.uncoloured
    )
    yield* answer({ document: encode(report), lines: reads ? lines : marked("search", lines) })
  })).pipe(Command.withDescription("Find what is in memory, by meaning and by words. Reads only."))
