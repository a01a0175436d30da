import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Configured from "../../layers/Embedder/Configured.ts"
import * as Hashed from "../../layers/Embedder/Hashed.ts"
import { Embedder } from "../../services/Embedder.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { embedderKind } from "../../src/config/embedderKind.ts"
import { ConnectorsFileError } from "../../src/domain/ConnectorErrors.ts"
import { EmbedderError, EmbedderUnavailable, EmbedRefused } from "../../src/domain/EmbedderErrors.ts"
import { EngineStatus } from "../../src/domain/EmbedderStatus.ts"

const variables = Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["TOKEN", "hunter2"], ["DIMS", "x"]])))

/** A kind of an app: behind a server that repeats what it was told. */
const told = (text: string) => `told ${text}`
const remote = embedderKind({
  kind: "remote",
  remark: "it costs money",
  config: Schema.Struct({ token: Schema.Redacted(Schema.String), down: Schema.optional(Schema.Boolean) }),
  make: ({ down = false, token }) => {
    const detail = told(Redacted.value(token))
    const broken = new EmbedderError({ embedder: "remote", detail, advice: detail, retryable: true, cause: detail })
    return down ? broken : Effect.succeed(Embedder.of({
      ...Hashed.make(),
      missing: () => broken,
      embed: (texts) =>
        texts.includes("refused")
          ? Effect.succeed([Either.left(new EmbedRefused({ detail, retryable: true }))])
          : texts.includes("gone")
          ? new EmbedderUnavailable({ embedder: "remote", detail })
          : broken
    }))
  },
  engines: () => Effect.succeed([new EngineStatus({ engine: "abacus", used: true })])
})

const kinds = [...Configured.kinds, remote]

const layer = (text: string) =>
  Layer.unwrapEffect(Effect.map(parse(text, "home/connectors.yaml"), (file) => Configured.layer(file, kinds)))

const status = (text: string) => Effect.flatMap(parse(text), (file) => Configured.status(file, kinds))

const open = (text: string) => Effect.provide(Effect.map(Embedder, (embedder) => embedder), layer(text))

const mistake = (text: string) =>
  Effect.map(Effect.flip(open(text)), (error) => {
    assert.instanceOf(error, ConnectorsFileError)
    return error.message
  })

const correct = "; nothing was done: correct it and run the command again"

describe("Embedder/Configured", () => {
  it.effect("is minilm where the file says nothing", () =>
    Effect.map(open("connectors: {}\n"), ({ counter, dims, fingerprint }) => {
      assert.strictEqual(
        fingerprint,
        "minilm-l6-v2/fp32/384/256tok/6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"
      )
      assert.strictEqual(dims, 384)
      assert.strictEqual(counter.count("hello world"), 2)
    }))

  it.effect("is what the file says, with its options", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* open("embedder: { kind: hashed }\n")).fingerprint, "hashed/1/16")
      assert.strictEqual((yield* open("embedder:\n  kind: hashed\n  dims: 32\n")).fingerprint, "hashed/1/32")
      assert.match((yield* open("embedder: { kind: minilm, threads: 2 }\n")).fingerprint, /^minilm-l6-v2/)
    }))

  it.effect("refuses a kind that nobody knows, with its place and the kinds that there are", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* mistake("connectors: {}\nembedder:\n  kind: word2vec\n"),
        `home/connectors.yaml:3: embedder.kind: there is no kind of embedder "word2vec"; known: "minilm", "onnx-folder", "openai-compatible", "ollama", "hashed", "remote"${correct}`
      )
    }))

  it.effect("refuses an option that the kind does not know, and a value that it cannot use", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* mistake("embedder:\n  kind: minilm\n  thread: 2\n"),
        `home/connectors.yaml:3: embedder.thread: unknown key; known here: "threads"${correct}`
      )
      for (const threads of ["0", "65", "1.5", "many"]) {
        assert.strictEqual(
          yield* mistake(`embedder:\n  kind: minilm\n  threads: ${threads}\n`),
          `home/connectors.yaml:3: embedder.threads: expected a whole number from 1 to 64${correct}`
        )
      }
      assert.include(yield* mistake("embedder: { kind: hashed, dims: 0 }\n"), "expected a whole number from 1 to 4096")
    }))

  it.effect("refuses a variable that is not set, and names no value that is", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* mistake("embedder:\n  kind: remote\n  token: ${NOWHERE}\n"),
        `home/connectors.yaml:3: embedder.token: the environment variable NOWHERE is not set${correct}`
      )
      const message = yield* mistake("embedder: { kind: remote, token: \"${TOKEN}\", down: \"${TOKEN}\" }\n")
      assert.include(message, "embedder.down: expected boolean")
      assert.notInclude(message, "hunter2")
    }).pipe(variables))

  it.effect("lets no secret out in an error, whether it stands in the file or in a variable", () =>
    Effect.gen(function*() {
      for (const [written, shown] of [["\"${TOKEN}\"", "${TOKEN}"], ["hunter2", "<redacted>"]] as const) {
        const file = (rest: string) => `embedder: { kind: remote, token: ${written}${rest} }\n`
        const closed = yield* Effect.flip(open(file(", down: true")))
        const { embed, missing } = yield* open(file(""))
        const [refused] = yield* embed(["refused"])
        const errors = [
          closed,
          yield* Effect.flip(missing(["a"])),
          yield* Effect.flip(embed(["a"])),
          yield* Effect.flip(embed(["gone"])),
          refused === undefined ? undefined : Either.flip(refused).pipe(Either.getOrThrow)
        ]
        for (const error of errors) {
          assert.include(error?.message, told(shown))
          assert.notInclude(JSON.stringify(error), "hunter2")
        }
      }
    }).pipe(variables))

  it.live("says which engines could run it, and what to know of it, without embedding", () =>
    Effect.gen(function*() {
      const { engines, kind, remark } = yield* status("connectors: {}\n")
      assert.strictEqual(kind, "minilm")
      assert.match(remark ?? "", /English/)
      assert.deepStrictEqual(engines.map(({ engine, problem }) => [engine, problem]), [
        ["onnxruntime-node", undefined],
        ["@lat.md/embed", undefined]
      ])
      assert.deepStrictEqual(engines.map(({ used }) => used), [true, false])
    }))

  it.effect("has nothing to probe of a kind that has no engines", () =>
    Effect.gen(function*() {
      const { engines, kind, remark } = yield* status("embedder: { kind: hashed }\n")
      assert.deepStrictEqual({ engines, kind }, { engines: [], kind: "hashed" })
      assert.match(remark ?? "", /for tests/)
      const { engines: [abacus] } = yield* status("embedder: { kind: remote, token: x }\n")
      assert.strictEqual(abacus?.engine, "abacus")
      assert.instanceOf(yield* Effect.flip(status("embedder: { kind: no }\n")), ConnectorsFileError)
    }))
})
