/**
 * Every error that a person may read: what happened, to what, and what to do next. The table must name each error that
 * the domain exports, so that a new one cannot come without its entry here.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readdirSync } from "node:fs"
import { InvalidChunkPolicy } from "../../src/domain/ChunkPolicy.ts"
import * as ConnectorErrors from "../../src/domain/ConnectorErrors.ts"
import * as EmbedderErrors from "../../src/domain/EmbedderErrors.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import * as LanguageModelErrors from "../../src/domain/LanguageModelErrors.ts"
import * as LogErrors from "../../src/domain/LogErrors.ts"
import * as StoreErrors from "../../src/domain/StoreErrors.ts"
import { TokenCounterError } from "../../src/domain/TokenCounterErrors.ts"

interface Entry {
  readonly of: unknown
  readonly name: string
  readonly variant: string
  readonly message: string
  readonly says: ReadonlyArray<string>
  readonly error: Error
  readonly read: () => {
    readonly written: string
    readonly again: string
    readonly back: { readonly error: Error; readonly sameClass: boolean }
  }
}

/** An error as it would be raised, with what its message must not leave out. */
const entry = <A extends Error, I>(
  of: Schema.Schema<A, I>,
  variant: string,
  error: A,
  says: ReadonlyArray<string>
): Entry => ({
  of,
  name: error.name,
  variant,
  message: error.message,
  says,
  error,
  read: () => {
    const written = JSON.stringify(Schema.encodeSync(of)(error))
    const back = Schema.decodeUnknownSync(of)(JSON.parse(written))
    return {
      written,
      again: JSON.stringify(Schema.encodeSync(of)(back)),
      back: { error: back, sameClass: Schema.is(of)(back) }
    }
  }
})

class Foreign extends Error {
  override readonly name = "Foreign"
  readonly code = "EXDEV"
}
const cause = new Foreign("cross-device link")

const connector = ConnectorName.make("papers")
const doc_id = DocId.make("inbox/K8s.md")
const path = "log/segments/00000003.jsonl"
const model = "small-1"

const { BadResponse, ContextTooLong, ModelRefused, ModelTimeout, ModelUnreachable, RateLimited } = LanguageModelErrors
const { ConnectorError, ConnectorsFileError, DocumentError, RecordSourceError } = ConnectorErrors
const { EmbedderError, EmbedderUnavailable, EmbedRefused } = EmbedderErrors
const { LogDamaged, LogFsError, LogLocked, LogPoisoned, LogRecordTooLarge, LogTooNew, LogWriteError } = LogErrors
const { EmbedderMismatch, ManifestError, ProjectionError } = StoreErrors

const advice = "check its token"

const table: ReadonlyArray<Entry> = [
  entry(InvalidChunkPolicy, "of max_tokens", new InvalidChunkPolicy({ option: "max_tokens", given: "-7" }), [
    "max_tokens",
    "-7",
    "from 1 to"
  ]),
  entry(InvalidChunkPolicy, "of flush", new InvalidChunkPolicy({ option: "flush_tokens", given: "0.5" }), [
    "flush_tokens",
    "0.5"
  ]),
  entry(InvalidChunkPolicy, "of a silence", new InvalidChunkPolicy({ option: "idle", given: "0" }), [
    "idle",
    "10 seconds"
  ]),
  entry(
    TokenCounterError,
    "",
    new TokenCounterError({ counter: "o200k_base", detail: "it is gone", advice }),
    ["o200k_base", "it is gone", advice]
  ),
  entry(
    ConnectorsFileError,
    "at a line",
    new ConnectorsFileError({ file: "connectors.yaml", line: 7, key_path: "connectors.papers.url", detail: "no URL" }),
    ["connectors.yaml:7", "connectors.papers.url", "no URL"]
  ),
  entry(
    ConnectorsFileError,
    "as a whole",
    new ConnectorsFileError({ file: "connectors.yaml", detail: "not readable" }),
    ["connectors.yaml", "not readable"]
  ),
  entry(
    ConnectorError,
    "on opening",
    new ConnectorError({ connector, operation: "open", detail: "401", advice, retryable: false, cause }),
    ["open", "papers", "401", advice]
  ),
  entry(
    ConnectorError,
    "on listing",
    new ConnectorError({ connector, operation: "list", detail: "503", advice, retryable: true }),
    ["list", "papers", "503", advice]
  ),
  ...(["fetch", "timeout", "gone", "chunk", "embed", "refused"] as const).flatMap((reason) =>
    [true, false].map((retryable) =>
      entry(
        DocumentError,
        `${reason}, ${retryable ? "retryable" : "for good"}`,
        new DocumentError({ doc_id, reason, detail: "status 418", retryable, cause }),
        [doc_id, "status 418"]
      )
    )
  ),
  entry(
    RecordSourceError,
    "at a line",
    new RecordSourceError({ source: "s.jsonl", position: 12, detail: "no text", advice: "pass --skip-bad", cause }),
    ["s.jsonl:12", "no text", "--skip-bad"]
  ),
  entry(
    RecordSourceError,
    "at its start",
    new RecordSourceError({ source: "s.jsonl", position: 0, detail: "no text", advice: "pass --skip-bad" }),
    ["s.jsonl:0"]
  ),
  entry(EmbedRefused, "for good", new EmbedRefused({ detail: "600 tokens, limit 512", retryable: false }), [
    "600 tokens, limit 512"
  ]),
  entry(EmbedRefused, "retryable", new EmbedRefused({ detail: "it was busy", retryable: true }), ["it was busy"]),
  entry(
    EmbedderError,
    "with its advice",
    new EmbedderError({ embedder: "minilm", detail: "no weights", advice, retryable: false, cause }),
    ["minilm", "no weights", advice]
  ),
  entry(
    EmbedderUnavailable,
    "with its reason",
    new EmbedderUnavailable({ embedder: "minilm", detail: "no such library", cause }),
    ["minilm", "no such library", "without vectors", "mem doctor"]
  ),
  entry(RateLimited, "with a time", new RateLimited({ model, retry_after_ms: 1200 }), [model, "2 s", "--max-calls"]),
  entry(RateLimited, "without a time", new RateLimited({ model }), [model, "later", "--max-calls"]),
  entry(ModelTimeout, "after a while", new ModelTimeout({ model, after_ms: 60000 }), [model, "60000 ms"]),
  entry(ModelRefused, "with its words", new ModelRefused({ model, detail: "not this" }), [
    model,
    "not this",
    "archived"
  ]),
  entry(ModelUnreachable, "with its words", new ModelUnreachable({ model, detail: "ECONNREFUSED" }), [
    model,
    "ECONNREFUSED",
    "base_url"
  ]),
  entry(BadResponse, "of a proxy", new BadResponse({ model, detail: "HTML", cause }), [model, "HTML", "base URL"]),
  entry(ContextTooLong, "with a count", new ContextTooLong({ model, tokens: 90000, answer_tokens: 4096 }), [
    model,
    "90000 tokens, with 4096 kept for the answer",
    "context_tokens"
  ]),
  entry(ContextTooLong, "without a count", new ContextTooLong({ model }), [model, "context"]),
  ...LogErrors.FsReason.literals.flatMap((reason) => [
    entry(LogFsError, reason, new LogFsError({ operation: "rename", path, reason, cause }), ["rename", path]),
    entry(LogWriteError, reason, new LogWriteError({ path, reason, cause }), [path, "safe", "next sync"]),
    ...(["read", "write"] as const).map((operation) =>
      entry(ManifestError, `${operation} ${reason}`, new ManifestError({ path, operation, reason, cause }), [
        operation,
        path
      ])
    )
  ]),
  entry(
    LogWriteError,
    "with bytes",
    new LogWriteError({ path, reason: "NoSpace", needed: 4097, free: 12 }),
    [path, "4097", "12 free", "free some space"]
  ),
  entry(LogPoisoned, "after a failed write", new LogPoisoned({ path, reason: "DeviceError", cause }), [
    path,
    "input/output error; check the disk",
    "run the command again"
  ]),
  entry(LogPoisoned, "for another reason", new LogPoisoned({ path, reason: "Unknown", cause }), [
    path,
    "cross-device link"
  ]),
  entry(LogPoisoned, "after somebody else's write", new LogPoisoned({ path, cause }), [
    path,
    "(Foreign: cross-device link)"
  ]),
  entry(
    LogLocked,
    "by another process",
    new LogLocked({ path: "log/LOCK", pid: 4711, host: "attic", command: "mem sync", started_at: "2026-11-29" }),
    ["log/LOCK", "4711", "attic", "mem sync", "2026-11-29", "mem doctor"]
  ),
  entry(LogDamaged, "at a byte", new LogDamaged({ path, offset: 0, detail: "checksum" }), [
    path,
    "byte 0",
    "checksum",
    "mem doctor --repair"
  ]),
  entry(LogTooNew, "at a byte", new LogTooNew({ path, offset: 512, detail: "kind \"seam\"" }), [
    path,
    "512",
    "kind \"seam\"",
    "newer"
  ]),
  entry(LogRecordTooLarge, "by a byte", new LogRecordTooLarge({ kind: "record", bytes: 33554433, limit: 33554432 }), [
    "record",
    "33554433",
    "33554432"
  ]),
  entry(ProjectionError, "not to be opened", new ProjectionError({ path: "projection", detail: "malformed", cause }), [
    "projection",
    "malformed",
    "mem rebuild --from-log"
  ]),
  entry(
    ProjectionError,
    "on a full disk",
    new ProjectionError({ path: "projection", detail: "the disk is full", advice: "free some space" }),
    ["projection", "the disk is full", "free some space"]
  ),
  entry(EmbedderMismatch, "of two", new EmbedderMismatch({ index: "minilm/384", query: "big/1024" }), [
    "minilm/384",
    "big/1024",
    "mem sync",
    "--mode keyword"
  ])
]

/** A word that tells the reader to do something, or that nothing is left to do. */
const nextStep = new RegExp(
  `\\b(${
    [
      "run",
      "check",
      "free",
      "raise",
      "remount",
      "choose",
      "mend",
      "move",
      "wait",
      "install",
      "leave",
      "left out",
      "split",
      "lower",
      "use",
      "set",
      "shorten",
      "pass",
      "try",
      "tries",
      "correct",
      "whole number from 1"
    ].join("|")
  })\\b`
)

describe("errors", () => {
  it("each error of the domain has an entry", async () => {
    const folder = new URL("../../src/domain/", import.meta.url)
    const modules: ReadonlyArray<{ readonly [name: string]: unknown }> = await Promise.all(
      readdirSync(folder).filter((file) => file.endsWith(".ts")).map((file) => import(new URL(file, folder).href))
    )
    const exported = modules.flatMap((module) => Object.entries(module)).filter(([, value]) =>
      typeof value === "function" && value.prototype instanceof Error
    )
    const listed = new Set(table.map(({ of }) => of))
    assert.isAbove(exported.length, 20)
    assert.deepStrictEqual(exported.filter(([, value]) => !listed.has(value)).map(([name]) => name), [])
  })

  const classes = [...new Set(table.map(({ name }) => name))].map((name) => ({
    name,
    entries: table.filter((entry) => entry.name === name)
  }))

  it.each(classes)("$name says what happened, to what", ({ entries }) => {
    for (const { message, says } of entries) {
      for (const part of says) assert.include(message, part)
      assert.notMatch(message, /undefined|\[object|\bNaN\b/)
    }
  })

  it.each(classes)("$name says what to do next", ({ entries }) => {
    const silent = entries.filter(({ message }) => !nextStep.test(message))
    assert.deepStrictEqual(silent.map(({ message, variant }) => `${variant}: ${message}`), [])
  })

  it.each(classes)("$name survives JSON", ({ entries }) => {
    for (const { error, read } of entries) {
      const { again, back, written } = read()
      assert.strictEqual(again, written)
      assert.isTrue(back.sameClass)
      assert.strictEqual(back.error.message, error.message)
      assert.strictEqual(back.error.name, error.name)
    }
  })

  it.each(classes.filter(({ entries }) => entries.some(({ error }) => error.cause !== undefined)))(
    "$name keeps a foreign cause",
    ({ entries }) => {
      for (const { error, read } of entries.filter(({ error }) => error.cause !== undefined)) {
        assert.strictEqual(error.cause, cause)
        const kept = read().back.error.cause
        assert.instanceOf(kept, Error)
        assert.deepStrictEqual([kept.name, kept.message], ["Foreign", "cross-device link"])
      }
    }
  )

  // A cause that only a debugger shows is no help: where mem has no word of its own, the system's is the only one.
  it.each([
    new LogFsError({ operation: "rename", path, reason: "Unknown", cause }),
    new LogWriteError({ path, reason: "Unknown", cause }),
    new ManifestError({ path, operation: "write", reason: "Unknown", cause })
  ])("$name of an unknown reason passes on the system's words", (error) => {
    assert.include(error.message, "cross-device link")
  })

  // "PermissionDenied" sends nobody to the folder's owner.
  it("a manifest's failure is told in words", () => {
    const codes = LogErrors.FsReason.literals.filter((reason) =>
      new ManifestError({ path, operation: "write", reason }).message.includes(`(${reason})`)
    )
    assert.deepStrictEqual(codes, [])
  })

  it("only what is tried again promises that", () => {
    const told = [true, false].map((retryable) =>
      new DocumentError({ doc_id, reason: "fetch", detail: "d", retryable }).message.includes("next sync tries")
    )
    assert.deepStrictEqual(told, [true, false])
  })
})
