/**
 * A layer around a language model that spoils its answers as real models and servers do, for tests.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { LanguageModel, type ModelAnswer, type ModelRequest } from "../../services/LanguageModel.ts"
import {
  BadResponse,
  ContextTooLong,
  type LanguageModelError,
  ModelRefused,
  ModelTimeout,
  RateLimited
} from "../../src/domain/LanguageModelErrors.ts"
import { suffixOf } from "../../src/memory/Asked.ts"

type Spoil = (answer: ModelAnswer, request: ModelRequest) => Effect.Effect<ModelAnswer, LanguageModelError>

const promptOf = ({ messages }: ModelRequest): string => messages.map(({ content }) => content).join("\n\n")

const text = (spoilt: (text: string, request: ModelRequest) => string): Spoil => (answer, request) =>
  Effect.succeed({ ...answer, text: spoilt(answer.text, request) })

const block = (name: string): RegExp => new RegExp(`<${name}(-[0-9a-z]+)?>([^]*?)</${name}\\1>`, "i")

const model = "faulty"

const modes = {
  /** Without its last tag. */
  missingTag: text((said) => said.replace(block("next"), "")),
  /** Everything twice. */
  doubledTags: text((said) => `${said}\n${said}`),
  /** One tag within another. */
  nestedTags: text((said) =>
    said.replace(block("update"), (whole, suffix = "") => `<check${suffix}>${whole}</check${suffix}>`)
  ),
  /** Words before and behind, a thought and a fence, as chatty models have them. */
  textAround: text((said) => `<think>Let me see.</think>\nHere you are:\n\`\`\`\n${said}\n\`\`\`\nAnything else?`),
  /** A thought that never ends. */
  unclosedThink: text((said) => `<think>Let me see. ${said}`),
  upperCase: text((said) => said.replace(/<\/?[a-z]+(?:-[0-9a-z]+)?>/g, (tag) => tag.toUpperCase())),
  /** Gates that are neither open nor closed. */
  otherWords: text((said) =>
    said.replace(block("check"), (_, suffix = "") => `<check${suffix}>maybe</check${suffix}>`)
  ),
  emptyUpdate: text((said) => said.replace(block("update"), (_, suffix = "") => `<update${suffix}></update${suffix}>`)),
  /** What it was shown, before what it has to say. */
  quotedPrompt: text((said, request) => `${promptOf(request)}\n${said}`),
  /** What it was shown, its plain tags made those of this call, as one would that was talked into it. */
  obeyed: text((_, request) => {
    const prompt = promptOf(request)
    const suffix = suffixOf(prompt)
    return prompt.replace(/(<\/?(?:check|update|next|cite))>/g, `$1${suffix}>`)
  }),
  /** Cut in the middle, which the server says. */
  truncated: (answer) =>
    Effect.succeed({ ...answer, text: answer.text.slice(0, answer.text.length / 2), finish_reason: "length" }),
  empty: text(() => ""),
  limited: () => Effect.fail(new RateLimited({ model, retry_after_ms: 1000 })),
  timeout: () => Effect.fail(new ModelTimeout({ model, after_ms: 1000 })),
  refused: () => Effect.fail(new ModelRefused({ model, detail: "it was told to" })),
  tooLong: () => Effect.fail(new ContextTooLong({ model })),
  bad: () => Effect.fail(new BadResponse({ model, detail: "it was told to answer so" })),
  /** Never answers. */
  hang: () => Effect.never
} as const satisfies Readonly<Record<string, Spoil>>

/**
 * How an answer is spoilt.
 *
 * @since 0.1.0
 * @category models
 */
export type Mode = keyof typeof modes

/**
 * All modes, for tests that go through them.
 *
 * @since 0.1.0
 * @category constants
 */
export const allModes: ReadonlyArray<Mode> = Object.keys(modes).filter((mode): mode is Mode => mode in modes)

/**
 * `calls` says which ones are spoilt, counted from 1 over the layer's life; all, if it is left out.
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  readonly mode: Mode
  readonly calls?: (call: number) => boolean
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { calls = () => true, mode }: Options
): Effect.Effect<LanguageModel["Type"], never, LanguageModel> =>
  Effect.gen(function*() {
    const inner = yield* LanguageModel
    const made = yield* Ref.make(0)
    const spoil: Spoil = modes[mode]
    return LanguageModel.of({
      fingerprint: inner.fingerprint,
      complete: (request) =>
        Effect.flatMap(
          Ref.updateAndGet(made, (n) => n + 1),
          (call) =>
            calls(call)
              ? Effect.flatMap(inner.complete(request), (answer) => spoil(answer, request))
              : inner.complete(request)
        )
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel, never, LanguageModel> =>
  Layer.effect(LanguageModel, make(options))
