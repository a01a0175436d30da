import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Registry from "../../layers/ConnectorKinds/Registry.ts"
import * as Vec from "../../layers/SourceConnector/Vec.ts"
import { type ConnectorKind, ConnectorKinds, type RegisteredKind } from "../../services/ConnectorKinds.ts"
import type { SessionConnector, SourceConnector } from "../../services/SourceConnector.ts"
import { Origin } from "../../src/config/Origin.ts"
import { ConnectorError, DocumentError, RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import { defaultLimits } from "../../src/domain/ConnectorsFile.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, DocId, Fingerprint, SourceUri, Timestamp } from "../../src/domain/Ids.ts"
import { ManifestEntry } from "../../src/domain/Manifest.ts"
import { connectorKind } from "../../src/sync/connectorKind.ts"

const name = ConnectorName.make("papers")

const Config = Schema.Struct({
  url: Schema.String.pipe(Schema.filter((url) => url.startsWith("http") || `${url} is no URL`)),
  token: Schema.optional(Schema.Redacted(Schema.String)),
  pages: Schema.optional(Schema.NumberFromString),
  tags: Schema.optional(Schema.Array(Schema.String))
})

type Make = ConnectorKind<typeof Config.Type, typeof Config.Encoded>["make"]

const vec: Make = (name) => Effect.map(Vec.make(name, []), ({ connector }) => connector)

const kind = (make: Make): RegisteredKind =>
  connectorKind({ kind: "paperless", source_type: "document", config: Config, make })

const canary = "hunter2-canary"

const variables = Effect.withConfigProvider(
  ConfigProvider.fromMap(new Map([["TOKEN", canary], ["HOST", "attic"], ["PAGES", "7"]]))
)

const open = (options: unknown, make: Make = vec) => Effect.scoped(kind(make).open(name, options)).pipe(variables)

const failure = (options: unknown, make?: Make) =>
  Effect.map(Effect.flip(open(options, make)), ({ message }) => message)

describe("ConnectorKinds/Registry", () => {
  const named = (word: string) => ({ ...kind(vec), kind: word })
  const [b, a] = [named("b"), named("a")]

  it.effect("knows its kinds by their names, sorted", () =>
    Effect.gen(function*() {
      const { get, names } = yield* ConnectorKinds
      assert.deepStrictEqual(names, ["a", "b"])
      assert.strictEqual(Option.getOrNull(get("a")), a)
      assert.deepStrictEqual(["A", "", "constructor", "__proto__"].map((kind) => Option.isNone(get(kind))), [
        true,
        true,
        true,
        true
      ])
    }).pipe(Effect.provide(Registry.layer([b, a]))))

  it.effect("takes two of one name for a mistake of the program", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Registry.make([a, b, named("a")]))
      const defects = Exit.isFailure(exit) ? Chunk.toReadonlyArray(Cause.defects(exit.cause)) : []
      assert.match(String(defects[0]), /two kinds of connector are called "a"/)
    }))
})

describe("connectorKind", () => {
  it.effect("opens with its own options, decoded, variables in place", () =>
    Effect.gen(function*() {
      const seen: Array<typeof Config.Type> = []
      const connector = yield* open(
        { url: "http://${HOST}:1/", token: "${TOKEN}", pages: "${PAGES}", tags: ["x"] },
        (name, config) => Effect.zipRight(Effect.sync(() => seen.push(config)), vec(name, config))
      )
      const [config] = seen
      assert.deepStrictEqual([config?.url, config?.pages, config?.tags], ["http://attic:1/", 7, ["x"]])
      assert.strictEqual(config?.token === undefined ? "" : Redacted.value(config.token), canary)
      assert.deepStrictEqual([connector.name, connector.source_type], [name, "document"])
    }))

  const prefix = "cannot open connector \"papers\": connectors.papers"
  const bad: ReadonlyArray<readonly [options: unknown, says: string | RegExp]> = [
    [{}, `${prefix}.url: this key is missing; correct it and run the command again`],
    [
      { url: "http:", pth: "a" },
      /^cannot open connector "papers": connectors\.papers\.pth: unknown key; known here: .*"url"/
    ],
    [{ url: "http:", tags: [1] }, `${prefix}.tags.0: expected string; correct it and run the command again`],
    [{ url: "http:", tags: "a" }, /connectors\.papers\.tags: expected ReadonlyArray<string>;/],
    [{ url: "ftp://a" }, `${prefix}.url: ftp://a is no URL; correct it and run the command again`],
    ["x", `${prefix}: expected a map of options; correct it and run the command again`],
    [
      { url: "http:", token: "${NOT_SET}" },
      `${prefix}.token: the environment variable NOT_SET is not set; set it and run the command again`
    ]
  ]
  it.effect.each(bad)(
    "refuses %j",
    ([options, says]) =>
      Effect.map(
        failure(options),
        (message) => typeof says === "string" ? assert.strictEqual(message, says) : assert.match(message, says)
      )
  )

  it.effect("names file and line, where there are any", () =>
    Effect.map(
      failure({ url: "http:", tags: [1] }).pipe(
        Effect.provideService(Origin, { file: "c.yaml", lineOf: (path) => path.length })
      ),
      (message) => assert.include(message, "c.yaml:4: connectors.papers.tags.0: expected string")
    ))

  it.effect("asks for no variable that is not there, and makes nothing of bad options", () =>
    Effect.gen(function*() {
      const made: Array<string> = []
      const make: Make = (name, config) => Effect.zipRight(Effect.sync(() => made.push(name)), vec(name, config))
      yield* failure({ url: "ftp:" }, make)
      yield* failure({ url: "http:", token: "${NOT_SET}" }, make)
      assert.deepStrictEqual(made, [])
    }))

  it.effect("repeats no value of a variable, whatever is wrong with it", () =>
    Effect.gen(function*() {
      const options: ReadonlyArray<unknown> = [
        { url: "${TOKEN}" },
        { url: "x ${TOKEN} y" },
        { url: "http:", pages: "${TOKEN}" },
        { url: "http:", tags: "${TOKEN}" },
        { url: "http:", tags: [{ a: "${TOKEN}" }] },
        { url: "http:", other: "${TOKEN}" },
        "${TOKEN}"
      ]
      for (const option of options) {
        const error = yield* Effect.flip(open(option))
        assert.notInclude(inspect(error, { depth: null }) + JSON.stringify(error) + error.message, canary)
      }
      assert.include(yield* failure({ url: "${TOKEN}" }), "connectors.papers.url: ${TOKEN} is no URL")
    }))

  const cause = new Error(`bearer ${canary}`)
  const ref = new DocumentRef({ doc_id: DocId.make("d"), source_uri: SourceUri.make("vec:///d") })
  const leaking = (name: ConnectorName) => {
    const detail = `401 for Bearer ${canary}`
    const advice = `check ${encodeURIComponent(canary)}`
    const listing = new ConnectorError({ connector: name, operation: "list", detail, advice, retryable: true, cause })
    const opening = new ConnectorError({ connector: name, operation: "open", detail, advice, retryable: true, cause })
    const fetching = new DocumentError({ doc_id: ref.doc_id, reason: "fetch", detail, retryable: true, cause })
    const reading = new RecordSourceError({ source: canary, position: 3, detail, advice, cause })
    const documents: SourceConnector["Type"] = {
      source_type: "document",
      name,
      kind: "paperless",
      limits: defaultLimits,
      list: (known) =>
        known.size === 0
          ? Effect.succeed({ coverage: "complete", roots: [], documents: Stream.fail(listing) })
          : Effect.fail(listing),
      fetch: () => fetching
    }
    const sessions: SessionConnector = {
      source_type: "session",
      name,
      kind: "paperless",
      limits: defaultLimits,
      list: documents.list,
      records: () => Stream.fail(reading)
    }
    return { opening, documents, sessions }
  }

  const known = new ManifestEntry({
    doc_id: ref.doc_id,
    source_uri: ref.source_uri,
    content_hash: Fingerprint.make(`sha256:${"0".repeat(64)}`),
    chunk_count: 0,
    synced_at: Timestamp.make("2026-11-29T20:00:00.000Z")
  })

  const errorsOf = (connector: SourceConnector["Type"]) =>
    Effect.all([
      Effect.flip(Effect.flatMap(connector.list(new Map()), ({ documents }) => Stream.runDrain(documents))),
      Effect.flip(connector.list(new Map([[ref.doc_id, known]]))),
      connector.source_type === "document"
        ? Effect.flip(connector.fetch(ref))
        : Effect.flip(Stream.runDrain(connector.records(ref, undefined)))
    ])

  it.effect.each(
    [["from a variable", "${TOKEN}", "${TOKEN}"], ["from the file itself", canary, "<redacted>"]] as const
  )(
    "takes a secret %s out of every error of the connector",
    ([, token, shown]) =>
      Effect.gen(function*() {
        const options = { url: "http:", token }
        const { documents, opening, sessions } = leaking(name)
        const errors = [
          yield* Effect.flip(open(options, () => opening)),
          ...(yield* Effect.flatMap(open(options, () => Effect.succeed(documents)), errorsOf)),
          ...(yield* Effect.flatMap(open(options, () => Effect.succeed(sessions)), errorsOf))
        ]
        assert.strictEqual(errors.length, 7)
        for (const error of errors) {
          assert.notInclude(inspect(error, { depth: null }) + JSON.stringify(error) + error.message, canary)
          assert.include(error.message, `401 for Bearer ${shown}`)
        }
      })
  )

  it.effect("leaves a connector without secrets as it was made", () =>
    Effect.gen(function*() {
      const { documents } = leaking(name)
      assert.strictEqual(yield* open({ url: "http:" }, () => Effect.succeed(documents)), documents)
    }))
})
