/**
 * The words behind `mem chunk`, and what they ask for. Whatever makes no sense is refused here, before a file is read.
 *
 * @since 0.1.0
 */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as CharsOverFour from "../../layers/TokenCounter/CharsOverFour.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import type { DocumentChunker } from "../chunk/DocumentChunker.ts"
import { ChunkPolicy } from "../domain/ChunkPolicy.ts"
import type { EmbedderError } from "../domain/EmbedderErrors.ts"
import type { TokenCounterError } from "../domain/TokenCounterErrors.ts"
import { chunkers } from "../sync/DocumentPolicy.ts"
import { mediaTypeOf } from "../text/MediaType.ts"
import { UsageError } from "./UsageError.ts"

/** Tokens of a Passage, where a model reads 256 at most. */
const passageTokens = 240

const files = Args.text({ name: "FILE" }).pipe(
  Args.withDescription(
    "A document by its name (.md, .markdown, .txt), else JSON lines, one Record a line, of which only \"text\" is needed; - reads standard input"
  ),
  Args.repeated
)

/**
 * @since 0.1.0
 * @category options
 */
export const options = {
  files,
  maxTokens: Options.text("max-tokens").pipe(
    Options.withPseudoName("N"),
    Options.withDescription(
      `Most tokens of a chunk, ${ChunkPolicy.default.max_tokens} if not given, or of a passage, ${passageTokens}; a Record above it is kept whole, alone`
    ),
    Options.optional
  ),
  counter: Options.text("counter").pipe(
    Options.withPseudoName("NAME"),
    Options.withDescription(
      "How tokens are counted: o200k (Records, if not given), cl100k, wordpiece, as the embedder minilm does (documents, if not given), or chars, one for four characters, an estimate"
    ),
    Options.optional
  ),
  policy: Options.text("policy").pipe(
    Options.withPseudoName("NAME"),
    Options.withDescription("Take each file as a document: heading (Markdown) or paragraph (plain text)"),
    Options.optional
  ),
  text: Options.boolean("text").pipe(Options.withDescription("Take each line of plain text as a Record")),
  jsonl: Options.boolean("jsonl").pipe(
    Options.withDescription("Print one JSON object a chunk or passage, as soon as it is complete")
  ),
  skipBad: Options.boolean("skip-bad").pipe(
    Options.withDescription("Go on after a line that is no Record, and report how many there were")
  )
}

/**
 * The options as they were given.
 *
 * @since 0.1.0
 * @category models
 */
export interface Given {
  readonly files: ReadonlyArray<string>
  readonly maxTokens: Option.Option<string>
  readonly counter: Option.Option<string>
  readonly policy: Option.Option<string>
  readonly text: boolean
  readonly jsonl: boolean
  readonly skipBad: boolean
}

/**
 * What is to be done: each file as a document where there is a chunker for it, else as Records.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  readonly files: ReadonlyArray<{ readonly file: string; readonly chunker: DocumentChunker | undefined }>
  readonly policy: ChunkPolicy
  readonly counter: TokenCounter["Type"]
  readonly print: "json" | "jsonl" | "table"
  readonly text: boolean
  readonly skipBad: boolean
}

const refuse = (detail: string) => new UsageError({ command: "mem chunk", detail })

type Counter = Effect.Effect<TokenCounter["Type"], EmbedderError | TokenCounterError>

const tiktoken = Effect.promise(() => import("../../layers/TokenCounter/Tiktoken.ts"))

const counters: ReadonlyMap<string, Counter> = new Map<string, Counter>([
  ["o200k", Effect.flatMap(tiktoken, ({ make, o200kBase }) => make(o200kBase))],
  ["cl100k", Effect.flatMap(tiktoken, ({ cl100kBase, make }) => make(cl100kBase))],
  [
    "wordpiece",
    Effect.flatten(
      Effect.map(Effect.promise(() => import("../../layers/TokenCounter/WordPiece.ts")), ({ make }) => make)
    )
  ],
  ["chars", Effect.succeed(CharsOverFour.make)]
])

const policies = new Map(Object.values(chunkers).map(({ chunker, name }) => [name, chunker]))

const oneOf = <A>(option: string, choices: ReadonlyMap<string, A>, name: string): Either.Either<A, UsageError> =>
  Either.fromNullable(
    choices.get(name),
    () => refuse(`${option} is "${name}": it must be one of ${[...choices.keys()].join(", ")}`)
  )

const policyOf = (maxTokens: string): Either.Either<ChunkPolicy, UsageError> =>
  Either.mapLeft(
    ChunkPolicy.from({ max_tokens: /^\d+$/.test(maxTokens) ? Number(maxTokens) : Number.NaN }),
    () => refuse(`--max-tokens is "${maxTokens}": a token budget is a whole number, 1 or more`)
  )

const byName = (file: string): DocumentChunker | undefined =>
  mediaTypeOf(file) === "text/markdown"
    ? chunkers.heading.chunker
    : /\.txt$/i.test(file)
    ? chunkers.paragraph.chunker
    : undefined

/**
 * The plan, or why there is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const planOf = (
  given: Given,
  json: boolean
): Effect.Effect<Plan, UsageError | EmbedderError | TokenCounterError> =>
  Effect.gen(function*() {
    if (given.files.length === 0) return yield* refuse("no FILE is given (- reads standard input)")
    if (given.files.indexOf("-") !== given.files.lastIndexOf("-")) {
      return yield* refuse("standard input (-) can be read only once")
    }
    if (json && given.jsonl) return yield* refuse("--json and --jsonl exclude each other")
    if (given.text && Option.isSome(given.policy)) return yield* refuse("--text and --policy exclude each other")
    const chunker = yield* Effect.transposeMapOption(given.policy, (name) => oneOf("--policy", policies, name))
    const files = given.files.map((file) => ({
      file,
      chunker: given.text ? undefined : Option.getOrElse(chunker, () => byName(file))
    }))
    const documents = files.filter((file) => file.chunker !== undefined).length
    if (Option.isNone(given.maxTokens) && documents > 0 && documents < files.length) {
      return yield* refuse(
        `Records and documents have budgets of their own (${ChunkPolicy.default.max_tokens} and ${passageTokens} tokens): give --max-tokens, or a command for each`
      )
    }
    const name = Option.getOrElse(given.counter, () => documents > 0 ? "wordpiece" : "o200k")
    const counter = yield* Effect.flatten(oneOf("--counter", counters, name))
    const tokens = documents > 0 ? passageTokens : ChunkPolicy.default.max_tokens
    return {
      files,
      policy: yield* policyOf(Option.getOrElse(given.maxTokens, () => String(tokens))),
      counter,
      print: json ? "json" : given.jsonl ? "jsonl" : "table",
      text: given.text,
      skipBad: given.skipBad
    }
  })
