import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as Configured from "../../layers/Embedder/Configured.ts"
import * as Ollama from "../../layers/Embedder/Ollama.ts"
import * as OpenAiCompatible from "../../layers/Embedder/OpenAiCompatible.ts"
import { batches, halves, windows } from "../../layers/Embedder/Remote/Batches.ts"
import type { Options } from "../../layers/Embedder/Remote/Config.ts"
import * as NodeHttp from "../../layers/HttpClient/Node.ts"
import { Embedder } from "../../services/Embedder.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { contract, difference } from "../contracts/Embedder.ts"
import * as ModelServer from "../fixtures/ModelServer.ts"
import { stepped } from "../fixtures/SteppedClock.ts"

const { complaint, dims, inputOf, wellBehaved } = ModelServer

const kinds = [
  { name: "OpenAiCompatible", of: OpenAiCompatible, path: "/embeddings" },
  { name: "Ollama", of: Ollama, path: "/api/embed" }
] as const

type Kind = (typeof kinds)[number]["of"]

const layerOf = (kind: Kind, server: ModelServer.Server, options: Partial<Options>) =>
  Layer.provide(kind.layer({ base_url: server.url, model: "some-model", dims, ...options }), NodeHttp.layer)

/** An embedder behind a server that does as it is told; the program sees both. */
const served = <A, E>(
  kind: Kind,
  options: Partial<Options>,
  program: (embedder: Embedder["Type"], server: ModelServer.Server) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const server = yield* ModelServer.make
    const embedder = yield* Effect.provide(Embedder, layerOf(kind, server, options))
    return yield* program(embedder, server)
  }).pipe(Effect.scoped)

const texts = (n: number) => Array.from({ length: n }, (_, i) => `text number ${i}`)

const inputs = ({ requests }: ModelServer.Server) => requests.map(inputOf)

const assertExpected = (answers: ReadonlyArray<Either.Either<Float32Array, unknown>>, of: ReadonlyArray<string>) =>
  Effect.map(ModelServer.expected(of), (vectors) => {
    assert.isAtMost(difference(answers.map(Either.getOrThrow), vectors), 1e-6)
  })

/** Refuses whole batches with such a text in them. */
const dislikes = (word: string, answer: ModelServer.Behaviour): ModelServer.Behave => (request, n) =>
  inputOf(request).some((text) => text.includes(word)) ? answer : wellBehaved(request, n)

for (const { name, of } of kinds) {
  contract(
    name,
    Layer.unwrapScoped(Effect.map(ModelServer.make, (server) => layerOf(of, server, { batch_texts: 3 }))),
    { numRuns: 8, tolerance: 1e-6 }
  )
}

for (const { name, of: kind, path } of kinds) {
  describe(`Embedder/${name}`, () => {
    it.effect("asks for each text once, in batches, and puts every answer at its place", () =>
      served(kind, { batch_texts: 4, api_key: Redacted.make("sk-1") }, (embedder, server) =>
        Effect.gen(function*() {
          const all = [...texts(9), "text number 3"]
          yield* assertExpected(yield* embedder.embed(all), all)
          assert.deepStrictEqual(inputs(server).map(({ length }) => length).sort(), [1, 4, 4])
          assert.deepStrictEqual(inputs(server).flat().sort(), texts(9).sort())
          for (const { body, headers, path: asked } of server.requests) {
            assert.strictEqual(asked, path)
            assert.strictEqual(headers.authorization, "Bearer sk-1")
            assert.strictEqual(body["model"], "some-model")
            assert.strictEqual(body["truncate"], kind === Ollama ? false : undefined)
            assert.notProperty(body, "dimensions")
          }
        })))

    it.effect("bounds a batch by its tokens, and what is in flight", () =>
      served(kind, { batch_tokens: 8, concurrency: 2 }, (embedder, server) =>
        Effect.gen(function*() {
          server.behave((request, n) => ({ ...wellBehaved(request, n), after: 15 }))
          yield* embedder.embed(texts(8))
          assert.deepStrictEqual(inputs(server).map(({ length }) => length), [2, 2, 2, 2])
          assert.deepStrictEqual(server.inFlight(), { now: 0, most: 2 })
        })))

    it.effect("waits as long as it is asked to, and asks for the same batch again", () =>
      served(kind, {}, (embedder, server) =>
        Effect.gen(function*() {
          server.behave((request, n) =>
            n === 1 ? { ...complaint(429, "slow"), headers: { "retry-after": "6" } } : wellBehaved(request, n)
          )
          const { exit, times } = yield* stepped(server, 500, embedder.embed(texts(5)))
          assert.isTrue(Exit.isSuccess(exit))
          assert.deepStrictEqual(inputs(server), [texts(5), texts(5)])
          assert.isAtLeast(times[1] ?? 0, 6000)
        })))

    it.effect("tries again what fails for a moment, and halves nothing", () =>
      served(kind, { retries: 2 }, (embedder, server) =>
        Effect.gen(function*() {
          server.behave((request, n) =>
            n === 1 ? { status: 500 } : { ...wellBehaved(request, n), only: n === 2 ? 30 : 1e9 }
          )
          const { exit } = yield* stepped(server, 500, embedder.embed(texts(3)))
          assert.isTrue(Exit.isSuccess(exit))
          server.behave(() => ({ status: 502, body: "bad gateway" }))
          const { exit: second } = yield* stepped(server, 500, Effect.flip(embedder.embed(texts(3))))
          assert.deepInclude(Exit.getOrElse(second, () => ({})), { _tag: "EmbedderError", retryable: false })
          assert.deepStrictEqual(inputs(server), Array.from({ length: 6 }, () => texts(3)))
        })))

    it.effect("lets a bad text cost nobody but itself", () =>
      served(kind, {}, (embedder, server) =>
        Effect.gen(function*() {
          for (const status of [400, 413, 422]) {
            server.behave(dislikes("number 6", complaint(status, "I do not like this one")))
            const answers = yield* embedder.embed(texts(10))
            const [refused, ...others] = answers.flatMap((answer) => Either.isLeft(answer) ? [answer.left] : [])
            assert.deepStrictEqual(others, [])
            assert.deepInclude(refused, { _tag: "EmbedRefused", retryable: false })
            assert.match(refused?.message ?? "", /I do not like this one/)
            assert.strictEqual(answers.findIndex(Either.isLeft), 6)
            const good = texts(10).filter((_, i) => i !== 6)
            yield* assertExpected(answers.filter(Either.isRight), good)
          }
          // 10, 5 and 5, 3 and 2, 2 and 1, 1 and 1.
          assert.strictEqual(server.requests.length, 3 * 9)
        })))

    it.effect("refuses a text without a direction, and keeps its batch", () =>
      served(kind, {}, (embedder, server) =>
        Effect.gen(function*() {
          for (const value of [null, 0]) {
            server.behave((request, n) => {
              const spoilt = JSON.stringify(wellBehaved(request, n).body).replace(
                /(\[)(-?[\d.e-]+,?){12}\]/,
                (_, open: string) =>
                  `${open}${
                    Array.from({ length: dims }, (_, i) => value === 0 || i === 0 ? JSON.stringify(value) : "1").join()
                  }]`
              )
              return { body: spoilt }
            })
            const answers = yield* embedder.embed(texts(4))
            assert.strictEqual(answers.filter(Either.isLeft).length, 1, JSON.stringify(value))
          }
          assert.strictEqual(server.requests.length, 2)
          server.behave(dislikes("number 1", { status: 500, body: { error: "json: unsupported value: NaN" } }))
          const answers = yield* embedder.embed(texts(4))
          assert.deepStrictEqual(answers.map(Either.isLeft), [false, true, false, false])
        })))

    it.effect("sends a text that is too long in parts, and leaves nothing of it out", () =>
      served(kind, { max_tokens: 50 }, (embedder, server) =>
        Effect.gen(function*() {
          const long = Array.from({ length: 90 }, (_, i) => `word${i}`).join(" ")
          const [vector = []] = (yield* embedder.embed([long])).map(Either.getOrThrow)
          assert.approximately(Math.hypot(...vector), 1, 1e-6)
          assert.strictEqual(inputs(server).flat().join(""), long)
          assert.isTrue(inputs(server).flat().every(({ length }) => length <= 200))

          // Parts that are alike are sent once.
          const alike = "la la ".repeat(100)
          yield* embedder.embed([alike])
          const sent = inputs(server).flat().filter((part) => alike.includes(part))
          assert.strictEqual(sent.length, new Set(sent).size)
          assert.isAbove(sent.length, 0)

          // By the server's word, where the counter had not foreseen it.
          const before = server.requests.length
          server.behave((request, n) =>
            inputOf(request).some(({ length }) => length > 60)
              ? complaint(500, "input (596 tokens) is too large to process. increase the physical batch size")
              : wellBehaved(request, n)
          )
          const both = yield* embedder.embed([long.slice(0, 150), "short"])
          assert.isTrue(both.every(Either.isRight))
          const parts = inputs(server).slice(before).filter((input) => input.every(({ length }) => length <= 60)).flat()
          assert.strictEqual(parts.filter((part) => part !== "short").join(""), long.slice(0, 150))
          yield* assertExpected(both.slice(1), ["short"])
        })))

    it.effect("does not work with vectors of another length, or of another number", () =>
      served(kind, { dims: dims + 1 }, (embedder, server) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(embedder.embed(texts(2)))
          assert.deepInclude(error, { _tag: "EmbedderError", retryable: false })
          assert.match(error.message, /have 12 values, 13 were declared; say dims: 12/)
          server.behave((request, n) =>
            wellBehaved({ ...request, body: { ...request.body, input: inputOf(request).slice(1) } }, n)
          )
          assert.match((yield* Effect.flip(embedder.embed(texts(2)))).message, /1 vectors came back for 2 texts/)
          server.behave(() => ({ body: { vectors: [] } }))
          assert.match(
            (yield* Effect.flip(embedder.embed(texts(2)))).message,
            /its answer has (data|embeddings): this key is missing/
          )
        })))

    it.effect("keeps what other batches brought when one fails", () =>
      served(kind, { batch_texts: 2, retries: 0 }, (embedder, server) =>
        Effect.gen(function*() {
          server.behave(dislikes("number 2", { status: 500, body: "oops" }))
          const answers = yield* embedder.embed(texts(6))
          assert.deepStrictEqual(answers.map(Either.isRight), [true, true, false, false, true, true])
          const refused = answers.flatMap((answer) => Either.isLeft(answer) ? [answer.left] : [])
          for (const error of refused) assert.deepInclude(error, { _tag: "EmbedRefused", retryable: true })
        })))

    it.effect("is not there where nobody listens, and does not work with a wrong key", () =>
      Effect.gen(function*() {
        const gone = yield* Effect.scoped(Effect.map(ModelServer.make, ({ url }) => url))
        const unavailable = yield* served(
          kind,
          { base_url: gone },
          ({ embed }) => Effect.flip(embed(texts(2)))
        )
        assert.deepInclude(unavailable, { _tag: "EmbedderUnavailable" })
        assert.match(unavailable.message, /ECONNREFUSED/)
        yield* served(kind, { api_key: Redacted.make("sk-hunter2") }, ({ embed }, server) =>
          Effect.gen(function*() {
            server.behave(() => complaint(401, "sk-hunter2 is no key"))
            const error = yield* Effect.flip(embed(texts(2)))
            assert.match(error.message, /<redacted> is no key; check its api_key/)
            assert.notInclude(inspect(error, { depth: 20 }), "hunter2")
            assert.strictEqual(server.requests.length, 1)
          }))
      }))

    it.effect("hangs up when it is interrupted, and when it has waited long enough", () =>
      served(kind, {}, (embedder, server) =>
        Effect.gen(function*() {
          server.behave(() => ({ stall: "before" }))
          const fiber = yield* Effect.fork(embedder.embed(texts(2)))
          yield* server.until(({ requests }) => requests.length === 1)
          yield* Fiber.interrupt(fiber)
          yield* server.until((server) => server.abandoned() === 1)
          const waiting = yield* Effect.fork(Effect.flip(embedder.embed(texts(2))))
          for (const n of [2, 3]) {
            yield* server.until(({ requests }) => requests.length === n)
            yield* TestClock.adjust("2 minutes")
          }
          assert.match((yield* Fiber.join(waiting)).message, /no answer within 120000 ms; raise its timeout/)
        })))

    it.effect("names its model, dims and revision, asks for shorter vectors where it should, and says its price", () =>
      served(
        kind,
        { model: "a model", revision: "v2", shorten: true, usd_per_million_tokens: 0.02 },
        (embedder, server) =>
          Effect.gen(function*() {
            const kindName = kind === Ollama ? "ollama" : "openai-compatible"
            assert.strictEqual(embedder.fingerprint, `${kindName}/a%20model/12/v2`)
            assert.strictEqual(embedder.usd_per_million_tokens, 0.02)
            yield* embedder.embed(["x"])
            assert.strictEqual(server.requests[0]?.body["dimensions"], dims)
          })
      ))
  })
}

describe("Embedder/OpenAiCompatible", () => {
  it.effect("takes no vectors that are numbered wrongly", () =>
    served(OpenAiCompatible, {}, (embedder, server) =>
      Effect.gen(function*() {
        const embedding = Array.from({ length: dims }, () => 1)
        server.behave(() => ({ body: { data: [{ index: 1, embedding }, { index: 1, embedding }] } }))
        assert.match((yield* Effect.flip(embedder.embed(texts(2)))).message, /numbered wrongly/)
        server.behave(() => ({ body: { data: [{ embedding }, { embedding }] } }))
        assert.isTrue((yield* embedder.embed(texts(2))).every(Either.isRight))
      })))

  it.effect("counts with the counter that it is given", () =>
    served(OpenAiCompatible, {
      counter: TokenCounter.of({ fingerprint: "letters/1", count: ({ length }) => length }),
      max_tokens: 16
    }, ({ counter, embed }, server) =>
      Effect.gen(function*() {
        assert.strictEqual(counter.count("abc"), 3)
        yield* embed(["a text of 24 characters."])
        assert.deepStrictEqual(inputs(server).flat().join(""), "a text of 24 characters.")
        assert.strictEqual(inputs(server).flat().length, 2)
      })))
})

describe("batches and windows", () => {
  const count = (text: string) => text.length
  const some = FastCheck.array(FastCheck.fullUnicodeString({ maxLength: 40 }), { maxLength: 20 })
  const max = FastCheck.integer({ min: 1, max: 30 })

  it.prop(
    "put every text into one batch, in order, within the limits",
    [some, max, max],
    ([all, batch_texts, batch_tokens]) => {
      const made = batches(all, count, { batch_texts, batch_tokens })
      assert.deepStrictEqual(made.flat(), all)
      for (const batch of made) {
        assert.isAtMost(batch.length, batch_texts)
        assert.isTrue(batch.length === 1 || batch.join("").length <= batch_tokens)
      }
      // None could have been filled up by the next one's first.
      made.slice(1).forEach(([first = ""], i) => {
        const before = made[i] ?? []
        assert.isTrue(before.length === batch_texts || before.join("").length + first.length > batch_tokens)
      })
    }
  )

  it.prop(
    "cut a text at characters, and lose nothing",
    [FastCheck.fullUnicodeString({ maxLength: 300 }), max],
    ([text, max]) => {
      const made = windows(text, count, max)
      assert.strictEqual(made.join(""), text)
      assert.isTrue(made.every((window) => window.isWellFormed()))
      assert.isTrue(made.every(({ length }) => length <= Math.max(max, 16)))
      assert.strictEqual(halves(text).join(""), text)
    }
  )
})

describe("the configured embedders behind servers", () => {
  const variables = (url: string) =>
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["KEY", "hunter2"], ["SERVER", url]])))

  const opened = (text: string) =>
    Effect.flatMap(parse(text), (file) => Effect.provide(Embedder, Configured.layer(file)))

  const status = (text: string) => Effect.flatMap(parse(text), (file) => Configured.status(file))

  it.effect("are what the file says", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make
      const { embed, fingerprint } = yield* opened(
        `embedder: { kind: openai-compatible, base_url: "\${SERVER}", model: m, dims: ${dims}, api_key: "\${KEY}" }\n`
      ).pipe(variables(server.url))
      assert.strictEqual(fingerprint, "openai-compatible/m/12")
      yield* assertExpected(yield* embed(["a"]), ["a"])
      assert.strictEqual(server.requests[0]?.headers.authorization, "Bearer hunter2")
      server.behave(() => complaint(403, "hunter2"))
      const error = yield* Effect.flip(embed(["a"]))
      assert.include(error.message, "${SERVER}: status 403: ")
      assert.notInclude(inspect(error), "hunter2")
      assert.strictEqual((yield* opened("embedder: { kind: ollama, model: m, dims: 3 }\n")).fingerprint, "ollama/m/3")
    }).pipe(Effect.scoped))

  it.effect("are refused where an option is wrong, without its value", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<readonly [string, RegExp]> = [
        ["kind: openai-compatible, model: m, dims: 3", /embedder\.base_url: this key is missing/],
        ["kind: ollama, dims: 3", /embedder\.model: this key is missing/],
        ["kind: ollama, model: m", /embedder\.dims: this key is missing/],
        ["kind: ollama, model: m, dims: 0", /embedder\.dims: expected a whole number from 1/],
        [
          "kind: ollama, model: m, dims: 3, base_url: \"http://u:hunter2@host\"",
          /embedder\.base_url: expected an address/
        ],
        ["kind: ollama, model: m, dims: 3, api_key: \"hunter2 x\"", /embedder\.api_key: expected a key/],
        ["kind: ollama, model: m, dims: 3, usd_per_million_tokens: -1", /expected US dollars/],
        ["kind: ollama, model: m, dims: 3, timeout: hunter2", /expected a time/],
        ["kind: ollama, model: m, dims: 3, truncate: true", /unknown key/]
      ]
      for (const [options, message] of wrong) {
        const error = yield* Effect.flip(opened(`embedder: { ${options} }\n`))
        assert.match(error.message, message, options)
        assert.notInclude(error.message, "hunter2")
      }
    }))

  it.effect("say in mem doctor whether their server is there, without any text", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make
      const ollama = (model: string) =>
        `embedder: { kind: ollama, base_url: "\${SERVER}", model: "${model}", dims: 3 }\n`
      const openai =
        "embedder: { kind: openai-compatible, base_url: \"${SERVER}\", model: m, dims: 3, api_key: \"${KEY}\" }\n"
      const probed = (text: string, url = server.url) =>
        Effect.map(
          variables(url)(status(text)),
          ({ engines }) => engines.map(({ engine, problem, used }) => [engine, problem, used])
        )
      assert.deepStrictEqual(yield* probed(ollama("some-model")), [["${SERVER}", undefined, true]])
      assert.deepStrictEqual(yield* probed(ollama("other")), [
        ["${SERVER}", "it has no model \"other\"; \"ollama pull other\" fetches it", false]
      ])
      assert.deepStrictEqual(yield* probed(openai), [["${SERVER}", undefined, true]])
      server.behave(() => ({ status: 404, body: "no list here" }))
      assert.deepStrictEqual(yield* probed(openai), [["${SERVER}", undefined, true]])
      server.behave(() => complaint(401, "not hunter2"))
      assert.deepStrictEqual(yield* probed(openai), [["${SERVER}", "status 401: not <redacted>", false]])
      assert.isTrue(server.requests.every(({ body }) => Object.keys(body).length === 0))
      const gone = yield* Effect.scoped(Effect.map(ModelServer.make, ({ url }) => url))
      assert.deepStrictEqual(yield* probed(openai, gone), [["${SERVER}", "it cannot be reached (ECONNREFUSED)", false]])
      assert.match((yield* variables(server.url)(status(openai))).remark ?? "", /sends the text of every passage/)
    }).pipe(Effect.scoped))
})
