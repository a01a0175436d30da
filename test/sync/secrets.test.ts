/**
 * A connector that tells its secrets to everybody who asks: in its errors, its addresses and its causes. What it was
 * given by the environment is in no file, report, log line or trace afterwards.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { ConnectorError, DocumentError } from "../../src/domain/ConnectorErrors.ts"
import { DocumentRef } from "../../src/domain/Document.ts"
import { ConnectorName, SourceUri } from "../../src/domain/Ids.ts"
import { ListingRoot } from "../../src/domain/Listing.ts"
import { connectorKind } from "../../src/sync/connectorKind.ts"
import { drift } from "../../src/sync/drift.ts"
import { status } from "../../src/sync/status.ts"
import { defaults, sync } from "../../src/sync/sync.ts"
import { temporaryHome } from "../fixtures/TemporaryHome.ts"
import { onDiskAt, type Services, vec } from "./Harness.ts"

const canary = "hunter2-canary&x"

const leaky = connectorKind({
  kind: "leaky",
  source_type: "document",
  config: Schema.Struct({
    url: Schema.String,
    token: Schema.Redacted(Schema.String),
    listed: Schema.BooleanFromString
  }),
  make: (name, { listed, token, url }) =>
    Effect.gen(function*() {
      const { connector } = yield* vec(name, ["good", "bad"].map((doc_id) => ({ doc_id, content: "text\n" })))
      const secret = Redacted.value(token)
      const cause = new Error(`Authorization: Bearer ${secret}`)
      const detail = `401 from ${url}: ${encodeURIComponent(secret)} is no token`
      const at = (uri: string) => SourceUri.make(`${url}/${uri}?page=1&access_token=${encodeURIComponent(secret)}`)
      const gone = new ConnectorError({
        connector: name,
        operation: "list",
        detail,
        advice: detail,
        retryable: true,
        cause
      })
      return {
        ...connector,
        list: (known) =>
          listed
            ? Effect.map(connector.list(known), (listing) => ({
              ...listing,
              roots: [new ListingRoot({ uri: at(""), status: "readable" })],
              documents: Stream.map(
                listing.documents,
                (item) => item instanceof DocumentRef ? new DocumentRef({ ...item, source_uri: at(item.doc_id) }) : item
              )
            }))
            : Effect.fail(gone),
        fetch: (ref) =>
          ref.doc_id === "bad"
            ? new DocumentError({ doc_id: ref.doc_id, reason: "fetch", detail, retryable: false, cause })
            : connector.fetch(ref)
      } satisfies typeof connector
    })
})

const shownWhole = { depth: 8, maxArrayLength: null, maxStringLength: null }

const filesBelow = (root: string): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())

describe("a secret", () => {
  for (const listed of [true, false]) {
    it.scopedLive(`is told to nobody by a connector ${listed ? "whose documents fail" : "that cannot list"}`, () =>
      Effect.gen(function*() {
        const said: Array<unknown> = []
        const spans: Array<Tracer.Span> = []
        const native = yield* Effect.tracer
        const tracer = Tracer.make({
          span: (...args) => {
            const span = native.span(...args)
            spans.push(span)
            return span
          },
          context: native.context
        })
        const home = yield* temporaryHome
        yield* Effect.gen(function*() {
          const url = "https://reader:${TOKEN}@papers.example"
          const opened = yield* leaky.open(ConnectorName.make("papers"), {
            url,
            token: "${TOKEN}",
            listed: String(listed)
          })
          if (opened.source_type !== "document") return yield* Effect.dieMessage("no document connector")
          const world = yield* onDiskAt(home, { connectors: [opened] })
          const tell = <A, E>(program: Effect.Effect<A, E, Services>) =>
            Effect.map(
              Effect.exit(world.process(program)),
              (exit) => said.push(exit, Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "")
            )
          yield* tell(sync())
          yield* tell(sync())
          yield* tell(drift({ ...defaults, estimate: true }))
          yield* tell(status)
        }).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["TOKEN", canary]]))),
          Effect.provide(
            Logger.replace(Logger.defaultLogger, Logger.map(Logger.stringLogger, (line) => said.push(line)))
          ),
          Logger.withMinimumLogLevel(LogLevel.All),
          Effect.withTracer(tracer)
        )
        const all = [
          inspect(said, shownWhole),
          ...spans.map(({ attributes, name, status }) => inspect({ name, attributes, status }, shownWhole)),
          ...filesBelow(home).map((path) => readFileSync(path, "latin1"))
        ].join("\n")
        assert.isAbove(spans.length, 3)
        assert.isAbove(filesBelow(home).length, listed ? 2 : 0)
        for (const spelling of ["canary", encodeURIComponent(canary)]) assert.notInclude(all, spelling)
        if (listed) assert.include(all, "https://papers.example/good?page=1")
        assert.include(all, "401 from https://")
      }))
  }
})
