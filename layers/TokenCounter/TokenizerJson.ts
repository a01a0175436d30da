/**
 * Reads the `tokenizer.json` of any model, whatever its kind: WordPiece, BPE or Unigram. It is the counter of an embedder
 * in a folder; what fits by it is never cut.
 *
 * The work is done by `@huggingface/tokenizers`. Some things are added. A text is a text: what is spelled like a control
 * token, `[SEP]` or `</s>`, never becomes one, or a document could tell the model where it ends. And a long text is cut
 * in slices, each of its own, so that the time stays linear in the text; a slice begins with a blank wherever there is
 * one, where a tokenizer would begin anew by itself.
 *
 * @since 0.1.0
 */
import type { Tokenizer } from "@huggingface/tokenizers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { createHash } from "node:crypto"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { messageOf } from "../Embedder/Local/Message.ts"

/** It changes whenever the same text may be cut otherwise, a new version of the library included. */
const version = 1

/**
 * The texts of the two files; `lowerCase` puts a text in lower case before it is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenizerFiles {
  readonly tokenizer: string
  readonly config: string | undefined
  readonly lowerCase: boolean
}

/**
 * A counter that also tells the pieces, and what stands before and behind each sequence of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface TokenizerJson {
  readonly counter: TokenCounter["Type"]
  /** The ids of the pieces, nothing put before or behind them. */
  readonly encode: (text: string) => Array<number>
  readonly before: ReadonlyArray<number>
  readonly behind: ReadonlyArray<number>
  /** A sequence of few pieces, to try a model with. */
  readonly sample: ReadonlyArray<number>
}

/** UTF-16 units of a slice, and of one without a blank: the time for what cannot be spelled grows with its square. */
const sliceUnits = { most: 4096, blankless: 1024 } as const

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Where the slice ends that begins there: before its last blank if that is not too near, else between characters. */
const endOf = (text: string, start: number): number => {
  if (text.length - start <= sliceUnits.blankless) return text.length
  const nearest = start + sliceUnits.blankless
  for (let end = start + sliceUnits.most; end >= nearest; end--) {
    if (end >= text.length ? end === text.length : /\s/.test(text.charAt(end))) return end
  }
  return isLow(text.charCodeAt(nearest)) ? nearest - 1 : nearest
}

const slices = (text: string): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (let start = 0; start < text.length;) {
    const end = endOf(text, start)
    all.push(text.slice(start, end))
    start = end
  }
  return all
}

const jsonOf = (text: string): Either.Either<Readonly<Record<string, unknown>>, string> =>
  Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(text), catch: () => "no JSON" }),
    (json) => Predicate.isReadonlyRecord(json) ? Either.right(json) : Either.left("no JSON object")
  )

interface Added {
  readonly id: number
  readonly content: string
  readonly special: boolean
}

const isAdded = (token: unknown): token is Added =>
  Predicate.hasProperty(token, "id") && Predicate.isNumber(token.id)
  && Predicate.hasProperty(token, "content") && Predicate.isString(token.content)

/** What a template puts around a sequence, for it is told as tokens and not as ids. */
const frameOf = (
  tokenizer: Tokenizer,
  control: ReadonlyMap<string, number>
): Either.Either<Pick<TokenizerJson, "before" | "behind" | "sample">, string> => {
  const ids = ({ ids, tokens }: { readonly ids: ReadonlyArray<number>; readonly tokens: ReadonlyArray<string> }) =>
    tokens.map((token, i) => control.get(token) ?? ids[i] ?? -1)
  const bare = ids(tokenizer.encode("a", { add_special_tokens: false }))
  const framed = ids(tokenizer.encode("a"))
  const extra = framed.length - bare.length
  for (let at = 0; at <= extra; at++) {
    if (bare.every((id, i) => framed[at + i] === id)) {
      return Either.right({ before: framed.slice(0, at), behind: framed.slice(at + bare.length), sample: framed })
    }
  }
  return Either.left("its template does not keep a text as it is")
}

/** A model of 250,000 scored pieces takes seconds to load, and all but the pieces themselves can be tried with these. */
const fewPieces = 1000

const isScored = (piece: unknown): boolean =>
  Array.isArray(piece) && piece.length === 2 && Predicate.isString(piece[0]) && Predicate.isNumber(piece[1])

/** The model with the first of its pieces alone, where it has a list of scored ones. */
const abridged = (model: unknown): Either.Either<unknown, string> => {
  if (!Predicate.hasProperty(model, "vocab") || !Array.isArray(model.vocab)) return Either.right(model)
  const unknown = Predicate.hasProperty(model, "unk_id") && Predicate.isNumber(model.unk_id) ? model.unk_id : 0
  return model.vocab.every(isScored)
    ? Either.right({ ...model, vocab: model.vocab.slice(0, Math.max(unknown + 1, fewPieces)) })
    : Either.left("not understood: not every piece of its vocabulary has a score")
}

/** Made when it is first asked for. */
const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** The library is loaded by whoever needs it. */
const library = Effect.tryPromise({
  try: () => import("@huggingface/tokenizers"),
  catch: (cause) => `of no use here: @huggingface/tokenizers cannot be loaded: ${messageOf(cause)}`
})

/**
 * Understands the files, or says what is wrong with the first of them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ config, lowerCase, tokenizer }: TokenizerFiles): Effect.Effect<TokenizerJson, string> =>
  Effect.gen(function*() {
    const { Tokenizer } = yield* library
    const json = yield* jsonOf(tokenizer)
    const settings = config === undefined ? {} : yield* jsonOf(config)
    const added = Array.isArray(json["added_tokens"]) ? json["added_tokens"].filter(isAdded) : []
    const control = new Map(added.filter(({ special }) => special).map(({ content, id }) => [content, id]))
    const read = (model: unknown) =>
      new Tokenizer({ ...json, model, added_tokens: added.filter(({ special }) => !special) }, settings)
    const model = yield* abridged(json["model"])
    const { around, sketch } = yield* Either.try({
      try: () => {
        const sketch = read(model)
        return { sketch, around: frameOf(sketch, control) }
      },
      catch: (cause) => `not understood: ${messageOf(cause)}`
    })
    const frame = yield* around
    const reader = once(() => model === json["model"] ? sketch : read(json["model"]))
    const unknown = Predicate.hasProperty(sketch.model, "unk_token_id") ? sketch.model.unk_token_id : undefined
    const never = new Set([...control.values()].filter((id) => id !== unknown))
    const isPiece = (id: unknown): id is number => Predicate.isNumber(id) && !never.has(id)
    const piecesOf = (slice: string) => reader().encode(slice, { add_special_tokens: false }).ids.filter(isPiece)
    const encode = (text: string): Array<number> => slices(lowerCase ? text.toLowerCase() : text).flatMap(piecesOf)
    const files = createHash("sha256").update(JSON.stringify([tokenizer, config ?? "", lowerCase])).digest("hex")
    return {
      counter: { fingerprint: `tokenizer-json/${version}/${files}`, count: (text) => encode(text).length },
      encode,
      ...frame
    }
  })
