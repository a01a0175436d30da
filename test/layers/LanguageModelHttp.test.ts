import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as NodeHttp from "../../layers/HttpClient/Node.ts"
import * as OpenAiCompatible from "../../layers/LanguageModel/OpenAiCompatible.ts"
import { LanguageModel, type ModelRequest } from "../../services/LanguageModel.ts"
import { firstIssue } from "../../src/config/KeyPath.ts"
import type { Behaviour } from "../fixtures/ModelServer.ts"
import * as ModelServer from "../fixtures/ModelServer.ts"
import { stepped } from "../fixtures/SteppedClock.ts"

const key = "sk-hunter2-very-secret"

const request: ModelRequest = {
  messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Is it raining?" }],
  max_tokens: 64,
  temperature: 0
}

type Options = Partial<OpenAiCompatible.Options>

/** A model behind a server that does as it is told; the program sees both. */
const served = <A, E>(
  options: Options,
  program: (model: LanguageModel["Type"], server: ModelServer.Server) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const server = yield* ModelServer.make
    const layer = OpenAiCompatible.layer({ base_url: `${server.url}/v1`, model: "some-model", ...options })
    const model = yield* Effect.provide(LanguageModel, Layer.provide(layer, NodeHttp.layer))
    return yield* program(model, server)
  }).pipe(Effect.scoped)

const answersOf = (behaviours: ReadonlyArray<Behaviour>): ModelServer.Behave => (_, n) =>
  behaviours[Math.min(n, behaviours.length) - 1] ?? {}

const failureOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Cause.squash(exit.cause) : "it did not fail"

/** Asks once, with the clock running on, and answers how it ended, and when each request came. */
const asked = (behaviours: ReadonlyArray<Behaviour>, options: Options = {}, step = 100) =>
  served(options, (model, server) => {
    server.behave(answersOf(behaviours))
    return Effect.map(
      stepped(server, step, model.complete(request)),
      ({ exit, times }) => ({ exit, times, requests: server.requests })
    )
  })

const limited = (headers: Readonly<Record<string, string>> = {}): Behaviour => ({
  status: 429,
  headers,
  body: { error: { message: "slow down" } }
})

const fine = ModelServer.completion("It is.")

describe("LanguageModel/OpenAiCompatible", () => {
  it.effect("asks for a chat completion, and understands the answer", () =>
    served(
      { api_key: Redacted.make(key), seed: 3, model: "a model:7b", revision: "2" },
      (model, server) =>
        Effect.gen(function*() {
          server.behave(() => fine)
          const answer = yield* model.complete({ ...request, stop: ["</next>"] }).pipe(Effect.withSpan("outer"))
          assert.deepStrictEqual(answer, {
            text: "It is.",
            finish_reason: "stop",
            usage: { prompt_tokens: 11, completion_tokens: 7 }
          })
          const [received] = server.requests
          assert.strictEqual(received?.path, "/v1/chat/completions")
          assert.deepStrictEqual(received?.body, {
            model: "a model:7b",
            messages: request.messages,
            stream: false,
            max_tokens: 64,
            temperature: 0,
            seed: 3,
            stop: ["</next>"]
          })
          assert.strictEqual(received?.headers.authorization, `Bearer ${key}`)
          assert.strictEqual(received?.headers["content-type"], "application/json")
          assert.notProperty(received?.headers, "traceparent")
          assert.notProperty(received?.headers, "b3")
          assert.strictEqual(model.fingerprint, `a%20model:7b/2@${server.url}`)
        })
    ))

  it.effect("takes no count of tokens that is none", () =>
    served({}, (model, server) =>
      Effect.gen(function*() {
        for (const odd of [null, -1_000_000, 1.5, 1e300]) {
          server.behave(() => ({
            body: { choices: [{ message: { content: "It is." } }], usage: { prompt_tokens: odd } }
          }))
          const { usage } = yield* model.complete(request)
          assert.deepStrictEqual(usage, { prompt_tokens: 0, completion_tokens: 0 })
        }
      })))

  it.effect("sends its own seed where it has one, and else that of the request", () =>
    Effect.forEach(
      [[{ seed: 3 }, 3], [{}, 4]] as const,
      ([options, expected]) =>
        served(options, (model, server) =>
          Effect.gen(function*() {
            server.behave(() => fine)
            yield* model.complete({ ...request, seed: 4 })
            assert.strictEqual(server.requests[0]?.body["seed"], expected)
          }))
    ))

  it.effect("sends no key where it has none, and leaves out what it is told to", () =>
    served(
      { output_limit: "max_completion_tokens", omit: ["temperature", "seed"], seed: 3 },
      (model, server) =>
        Effect.gen(function*() {
          server.behave(() => fine)
          yield* model.complete({ ...request, seed: 4 })
          const [received] = server.requests
          assert.notProperty(received?.headers, "authorization")
          assert.deepStrictEqual(Object.keys(received?.body ?? {}).sort(), [
            "max_completion_tokens",
            "messages",
            "model",
            "stream"
          ])
          assert.strictEqual(model.fingerprint, `some-model@${server.url}`)
        })
    ))

  it.effect("tells by what an answer ended", () =>
    Effect.gen(function*() {
      const finish = (more: Readonly<Record<string, unknown>>, body = ModelServer.completion("x", more)) =>
        Effect.map(asked([body]), ({ exit }) =>
          Exit.match(exit, {
            onSuccess: ({ finish_reason, text }) => [finish_reason, text],
            onFailure: (cause) => [String(Cause.squash(cause))]
          }))
      assert.deepStrictEqual(yield* finish({ finish_reason: "length" }), ["length", "x"])
      assert.deepStrictEqual(yield* finish({ finish_reason: "eos" }), ["other", "x"])
      assert.deepStrictEqual(yield* finish({ finish_reason: "toString" }), ["other", "x"])
      assert.deepStrictEqual(yield* finish({ finish_reason: null }), ["other", "x"])
      const silent = { message: { role: "assistant", content: null } }
      assert.deepStrictEqual(yield* finish({ ...silent, finish_reason: "length" }), ["length", ""])
      assert.match((yield* finish({ ...silent, finish_reason: "tool_calls" })).join(), /without a text/)
      assert.match((yield* finish({ finish_reason: "content_filter" })).join(), /^ModelRefused/)
      const refusal = { message: { content: null, refusal: "I cannot help with that" } }
      assert.match((yield* finish(refusal)).join(), /^ModelRefused.*I cannot help with that/)
      const bare = { body: { choices: [{ message: { content: "x" } }] } }
      assert.deepStrictEqual(yield* finish({}, bare), ["other", "x"])
    }))

  it.effect("waits as long as it is asked to, by seconds and by date, then asks the same again", () =>
    Effect.gen(function*() {
      const ways: ReadonlyArray<readonly [Behaviour, number]> = [
        [limited({ "retry-after": "7" }), 7000],
        [limited({ "retry-after": "Thu, 01 Jan 1970 00:01:40 GMT" }), 100_000],
        [limited({ "retry-after": "60", "retry-after-ms": "3000" }), 3000],
        [{ status: 503, headers: { "retry-after": "5" }, body: "busy" }, 5000]
      ]
      for (const [first, wait] of ways) {
        yield* TestClock.setTime(0)
        const { exit, requests, times: [a = 0, b = 0] } = yield* asked([first, fine], {}, wait / 20)
        assert.isTrue(Exit.isSuccess(exit))
        assert.isAtLeast(b, Math.max(wait, a), JSON.stringify(first))
        assert.isAtMost(b - a, 1.5 * wait, JSON.stringify(first))
        assert.deepStrictEqual(requests[0]?.body, requests[1]?.body)
      }
    }))

  it.effect("backs off by itself where it is not told how long, never in step with others, and gives up in the end", () =>
    Effect.gen(function*() {
      // 0.5, 1, 2, 4 seconds, a fifth less or more; a step may be lost.
      for (const [random, shortest, longest] of [[0, 5900, 7400], [1, 8900, 10_500]] as const) {
        const { exit, times } = yield* asked([limited()]).pipe(Effect.withRandom(Random.fixed([random])))
        assert.deepInclude(failureOf(exit), { _tag: "RateLimited", model: "some-model" })
        assert.strictEqual(times.length, 5)
        const [first = 0, ...others] = times
        assert.isAtLeast((others.at(-1) ?? 0) - first, shortest)
        assert.isAtMost((others.at(-1) ?? 0) - first, longest)
        others.slice(1).forEach((time, i) =>
          assert.isAbove(time - (others[i] ?? 0), (others[i] ?? 0) - (times[i] ?? 0))
        )
      }
    }))

  it.effect("asks no more where it would have to wait too long, and says how long that is", () =>
    served({}, (model, server) =>
      Effect.gen(function*() {
        server.behave((_, n) => n === 1 ? limited({ "retry-after": "3600" }) : fine)
        const error = yield* Effect.flip(model.complete(request))
        assert.deepInclude(error, { _tag: "RateLimited", retry_after_ms: 3_600_000 })
        yield* TestClock.adjust("10 minutes")
        const again = yield* Effect.flip(model.complete(request))
        assert.deepInclude(again, { _tag: "RateLimited", retry_after_ms: 3_000_000 })
        assert.strictEqual(server.requests.length, 1)
        yield* TestClock.adjust("50 minutes")
        assert.strictEqual((yield* model.complete(request)).text, "It is.")
      })))

  it.effect("holds back all requests while one was told to wait", () =>
    served({ concurrency: 1 }, (model, server) =>
      Effect.gen(function*() {
        server.behave((_, n) => n === 1 ? limited({ "retry-after": "9" }) : fine)
        const both = Effect.all([model.complete(request), model.complete(request)], { concurrency: 2 })
        const { exit, times } = yield* stepped(server, 100, both)
        assert.isTrue(Exit.isSuccess(exit))
        assert.strictEqual(times.length, 3)
        assert.isAtLeast(times[1] ?? 0, 9000)
      })))

  it.effect("tries again what fails for a moment", () =>
    Effect.gen(function*() {
      const moments: ReadonlyArray<Behaviour> = [
        { status: 500, body: "oops" },
        { status: 502, body: "<html>bad gateway</html>" },
        { ...fine, only: 40 },
        { body: "<html>one moment</html>" },
        { ...fine, stall: "broken" }
      ]
      for (const moment of moments) {
        const { exit, times } = yield* asked([moment, moment, fine])
        assert.isTrue(Exit.isSuccess(exit), JSON.stringify(moment))
        assert.strictEqual(times.length, 3)
      }
    }))

  it.effect("gives up on a server that keeps failing, and asks it once at a time until it answers again", () =>
    served({ retries: 2 }, (model, server) =>
      Effect.gen(function*() {
        server.behave(() => ({ status: 500, body: { error: { message: "out of memory" } } }))
        const { exit } = yield* stepped(server, 100, model.complete(request))
        const error = failureOf(exit)
        assert.deepInclude(error, { _tag: "BadResponse" })
        assert.match(String(error), /status 500: out of memory/)
        assert.strictEqual(server.requests.length, 3)
        yield* Effect.flip(model.complete(request))
        assert.strictEqual(server.requests.length, 4)
        server.behave((_, n) => n === 6 ? { status: 500 } : fine)
        yield* model.complete(request)
        const { exit: last } = yield* stepped(server, 100, model.complete(request))
        assert.isTrue(Exit.isSuccess(last))
        assert.strictEqual(server.requests.length, 7)
      })))

  it.effect("tells failures apart that asking again does not mend, and asks once", () =>
    Effect.gen(function*() {
      const { complaint } = ModelServer
      const cases: ReadonlyArray<readonly [Behaviour, Readonly<Record<string, unknown>>, RegExp]> = [
        [complaint(400, "too much", { code: "context_length_exceeded" }), { _tag: "ContextTooLong" }, /too long/],
        [
          complaint(400, "the request exceeds the available context size", { n_prompt_tokens: 1407 }),
          { _tag: "ContextTooLong", tokens: 1407 },
          /1407 tokens/
        ],
        [
          complaint(500, "the request exceeds the available context size", { type: "exceed_context_size_error" }),
          { _tag: "ContextTooLong" },
          /too long/
        ],
        [complaint(400, "filtered", { code: "content_filter" }), { _tag: "ModelRefused" }, /filtered/],
        [complaint(401, "no such key"), { _tag: "BadResponse" }, /status 401: no such key/],
        [complaint(404, "model not found"), { _tag: "BadResponse" }, /model not found/],
        [
          complaint(429, "You exceeded your quota", { code: "insufficient_quota" }),
          { _tag: "BadResponse" },
          /exceeded your quota/
        ],
        [{ body: { error: { message: "upstream is gone", code: 502 } } }, { _tag: "BadResponse" }, /upstream is gone/],
        [{ body: { choices: [] } }, { _tag: "BadResponse" }, /choices/],
        [{ body: { choices: [{ message: { content: 7 } }] } }, { _tag: "BadResponse" }, /choices\.0\.message\.content/],
        [{ body: [] }, { _tag: "BadResponse" }, /some-model/],
        [{ status: 204 }, { _tag: "BadResponse" }, /no JSON/]
      ]
      for (const [behaviour, expected, message] of cases) {
        const { exit, requests } = yield* asked([behaviour], { retries: 0 })
        assert.deepInclude(failureOf(exit), expected, JSON.stringify(behaviour))
        assert.match(String(failureOf(exit)), message)
        assert.strictEqual(requests.length, 1)
      }
    }))

  it.effect("follows no redirect: what is meant for one server goes to no other", () =>
    Effect.gen(function*() {
      const other = yield* ModelServer.make
      const location = `${other.url}/v1/chat/completions`
      const { exit } = yield* asked([{ status: 307, headers: { location } }], { api_key: Redacted.make(key) })
      assert.match(String(failureOf(exit)), /it redirects \(status 307\)/)
      assert.deepStrictEqual(other.requests, [])
    }).pipe(Effect.scoped))

  it.effect("says at once that there is nobody where nobody is", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(Effect.map(ModelServer.make, ({ url }) => url))
      const error = yield* served({ base_url: gone }, ({ complete }) => Effect.flip(complete(request)))
      assert.match(
        String(error),
        /ModelUnreachable.*no connection to .*cannot be reached \(ECONNREFUSED\); check that its server is up/
      )
    }))

  it.effect("gives up on an answer that does not come, or does not end, and hangs up", () =>
    Effect.forEach(
      ["before", "within"] as const,
      (stall) =>
        served({ timeout: Duration.seconds(30) }, (model, server) =>
          Effect.gen(function*() {
            server.behave(() => ({ ...fine, stall }))
            const fiber = yield* Effect.fork(Effect.flip(model.complete(request)))
            for (const n of [1, 2]) {
              yield* server.until(({ requests }) => requests.length === n)
              yield* TestClock.adjust("29 seconds")
              assert.strictEqual(server.abandoned(), n - 1)
              yield* TestClock.adjust("1 seconds")
              yield* server.until((server) => server.abandoned() === n)
            }
            assert.deepInclude(yield* Fiber.join(fiber), { _tag: "ModelTimeout", after_ms: 30_000 })
            assert.strictEqual(server.requests.length, 2)
          }))
    ))

  it.effect("is patient with a slow answer", () =>
    Effect.map(asked([{ ...fine, after: 60 }]), ({ exit }) => assert.isTrue(Exit.isSuccess(exit))))

  it.effect("aborts its request when it is interrupted, before and within the answer", () =>
    Effect.forEach(["before", "within"] as const, (stall) =>
      served({}, (model, server) =>
        Effect.gen(function*() {
          server.behave(() => ({ ...fine, stall }))
          const fiber = yield* Effect.fork(model.complete(request))
          yield* server.until(({ requests }) => requests.length === 1)
          assert.strictEqual(server.abandoned(), 0)
          yield* Fiber.interrupt(fiber)
          yield* server.until((server) => server.abandoned() === 1 && server.inFlight().now === 0)
          assert.strictEqual(server.requests.length, 1)
        }))))

  it.effect("has no more requests in flight than it may, and as many as it may", () =>
    served({ concurrency: 3 }, (model, server) =>
      Effect.gen(function*() {
        server.behave(() => ({ ...fine, after: 25 }))
        yield* Effect.forEach(Array.from({ length: 9 }), () => model.complete(request), { concurrency: "unbounded" })
        assert.deepStrictEqual(server.inFlight(), { now: 0, most: 3 })
        assert.strictEqual(server.requests.length, 9)
      })))

  it.effect("sends nothing that does not fit, where it knows the window", () =>
    served({ context_tokens: 256 }, (model, server) =>
      Effect.gen(function*() {
        server.behave(() => fine)
        const messages = [{ role: "user" as const, content: "x".repeat(4 * 200) }]
        const error = yield* Effect.flip(model.complete({ ...request, messages }))
        assert.deepInclude(error, { _tag: "ContextTooLong", tokens: 216 })
        assert.strictEqual(server.requests.length, 0)
        yield* model.complete({ ...request, messages, max_tokens: 40 })
      })))

  it.effect("lets its key out nowhere, even where the server repeats it", () =>
    Effect.gen(function*() {
      const told: ReadonlyArray<Behaviour> = [
        ModelServer.complaint(401, `Incorrect API key provided: ${key}`),
        ModelServer.complaint(400, `context size ${key}`, { code: "context_length_exceeded" }),
        ModelServer.complaint(400, key, { code: "content_filter" }),
        { body: `no JSON but ${key}` },
        { body: { error: { message: key } } },
        { ...fine, stall: "broken" }
      ]
      for (const behaviour of told) {
        const { exit } = yield* asked([behaviour], { api_key: Redacted.make(key), retries: 0 })
        assert.isTrue(Exit.isFailure(exit), JSON.stringify(behaviour))
        const shown = [
          inspect(exit, { depth: 20 }),
          JSON.stringify(exit),
          Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : "",
          String(failureOf(exit))
        ]
        for (const text of shown) assert.notInclude(text, "hunter2")
      }
    }))

  it("knows its options, and names none of their values", () => {
    const decode = Schema.decodeUnknownEither(OpenAiCompatible.Config, { onExcessProperty: "error" })
    const base = { base_url: "http://localhost:11434/v1", model: "qwen3:4b" }
    assert.deepInclude(Schema.decodeUnknownSync(OpenAiCompatible.Config)({ ...base, timeout: "90s" }), {
      timeout: Duration.seconds(90),
      output_limit: "max_tokens"
    })
    for (
      const wrong of [
        { api_key: `${key} two` },
        { base_url: `http://user:${key}@host/v1` },
        { base_url: `http://host/v1?key=${key}` },
        { timeout: key }
      ]
    ) {
      const { detail, path } = firstIssue(Either.getOrThrow(Either.flip(decode({ ...base, ...wrong }))))
      assert.deepStrictEqual(path, Object.keys(wrong))
      assert.match(detail, /^expected /)
      assert.notInclude(detail, "hunter2")
    }
  })
})
