import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Registry from "../../layers/ConnectorKinds/Registry.ts"
import * as Configured from "../../layers/Connectors/Configured.ts"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { Connectors } from "../../services/Connectors.ts"
import { parse } from "../../src/config/ConnectorsYaml.ts"
import { ConnectorError } from "../../src/domain/ConnectorErrors.ts"
import { ConnectorName } from "../../src/domain/Ids.ts"
import { connectorKind } from "../../src/sync/connectorKind.ts"

const yaml = `connectors:
  zeta:
    kind: vec
    greeting: hello
    max_concurrent_fetches: 3
  "2024": { kind: vec, greeting: "\${GREETING}" }
  broken: { kind: down }
  typo:
    kind: vec

    greting: hello
chunking:
  vec: { markdown: paragraph }
`

const zeta = ConnectorName.make("zeta")
const broken = ConnectorName.make("broken")
const typo = ConnectorName.make("typo")
const year = ConnectorName.make("2024")

/** Connectors of that file, and what was opened and closed. */
const setUp = (text = yaml) => {
  const seen: Array<string> = []
  const note = (what: string) => Effect.sync(() => void seen.push(what))
  const vec = connectorKind({
    kind: "vec",
    source_type: "document",
    config: Schema.Struct({ greeting: Schema.String }),
    make: (name, { greeting }) =>
      Effect.acquireRelease(note(`open ${name} ${greeting}`), () => note(`close ${name}`)).pipe(
        Effect.zipRight(Vec.make(name, [], { limits: { max_concurrent_fetches: 5, starts_per_second: 2 } })),
        Effect.map(({ connector }) => connector)
      )
  })
  const down = connectorKind({
    kind: "down",
    source_type: "session",
    config: Schema.Struct({}),
    make: (connector) =>
      Effect.zipRight(
        note(`try ${connector}`),
        new ConnectorError({ connector, operation: "open", detail: "refused", advice: "wait", retryable: true })
      )
  })
  const layer = Layer.unwrapEffect(Effect.map(parse(text), Configured.layer)).pipe(
    Layer.provide(Registry.layer([vec, down]))
  )
  return { seen, layer }
}

const variables = Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["GREETING", "hunter2"]])))

describe("Connectors/Configured", () => {
  it.effect("knows all of them in the order of the file, and opens none", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function*() {
      const { configured } = yield* Connectors
      assert.deepStrictEqual(configured.map(({ kind, name, source_type }) => [String(name), kind, source_type]), [
        ["zeta", "vec", "document"],
        ["2024", "vec", "document"],
        ["broken", "down", "session"],
        ["typo", "vec", "document"]
      ])
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("opens one once, shares it, and closes it with the last scope that holds it", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function*() {
      const { get } = yield* Connectors
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      const [one, same] = yield* Effect.all([Scope.extend(get(zeta), first), Scope.extend(get(zeta), second)], {
        concurrency: 2
      })
      assert.strictEqual(one, same)
      assert.strictEqual(yield* Scope.extend(get(zeta), first), one)
      yield* Scope.close(first, Exit.void)
      assert.deepStrictEqual(seen, ["open zeta hello"])
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(seen, ["open zeta hello", "close zeta"])
      yield* Effect.scoped(get(zeta))
      assert.deepStrictEqual(seen.slice(2), ["open zeta hello", "close zeta"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("lets each fail alone", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function*() {
      const { configured, get } = yield* Connectors
      const opened = yield* Effect.forEach(configured, ({ name }) => Effect.either(Effect.scoped(get(name))), {
        concurrency: 4
      })
      assert.deepStrictEqual(opened.map(Either.match({ onLeft: ({ message }) => message, onRight: () => "open" })), [
        "open",
        "cannot open connector \"2024\": connectors.yaml:6: connectors.2024.greeting: the environment variable GREETING is not set; set it and run the command again",
        "cannot open connector \"broken\": refused; wait",
        "cannot open connector \"typo\": connectors.yaml:11: connectors.typo.greting: unknown key; known here: \"greeting\"; correct it and run the command again"
      ])
      assert.deepStrictEqual([...seen].sort(), ["close zeta", "open zeta hello", "try broken"])
    }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())), Effect.provide(layer))
  })

  it.effect("tries one again that failed, in another scope", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function*() {
      const { get } = yield* Connectors
      yield* Effect.flip(Effect.scoped(get(broken)))
      yield* Effect.flip(Effect.scoped(get(broken)))
      assert.deepStrictEqual(seen, ["try broken", "try broken"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks for a variable when its connector is opened", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function*() {
      const { get } = yield* Connectors
      yield* Effect.scoped(get(zeta))
      yield* variables(Effect.scoped(get(year)))
      assert.include(seen, "open 2024 hunter2")
      assert.strictEqual((yield* Effect.flip(Effect.scoped(get(typo)))).retryable, false)
    }).pipe(Effect.provide(layer))
  })

  it.effect("puts the file's limits before those of the kind", () => {
    const { layer } = setUp()
    return Effect.gen(function*() {
      const { get } = yield* Connectors
      const { limits } = yield* get(zeta)
      assert.deepStrictEqual(limits, {
        max_concurrent_fetches: 3,
        fetch_timeout: Duration.seconds(60),
        starts_per_second: 2
      })
      const { limits: own } = yield* variables(get(year))
      assert.strictEqual(own.max_concurrent_fetches, 5)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("says which there are when a name is asked for that is none of them", () => {
    const { layer } = setUp()
    return Effect.gen(function*() {
      const { get } = yield* Connectors
      for (const name of ["nobody", "constructor"]) {
        const { message } = yield* Effect.flip(Effect.scoped(get(ConnectorName.make(name))))
        assert.strictEqual(
          message,
          `cannot open connector "${name}": connectors.yaml has no connector of this name; choose one of "zeta", "2024", "broken", "typo", or add it there`
        )
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [
      "connectors:\n  a:\n    kind: foldr",
      "connectors.yaml:3: connectors.a.kind: there is no kind of connector \"foldr\"; known: \"down\", \"vec\""
    ],
    [
      "chunking:\n  foldr: {}",
      "connectors.yaml:2: chunking.foldr: there is no kind of connector \"foldr\"; known: \"down\", \"vec\""
    ]
  ])(
    "takes a kind that nobody knows for a mistake of the file: %j",
    ([text = "", says = ""]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Layer.build(setUp(text).layer))
        assert.strictEqual(error._tag, "ConnectorsFileError")
        assert.include(error.message, says)
      }).pipe(Effect.scoped)
  )
})
