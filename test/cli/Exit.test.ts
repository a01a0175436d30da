import { HelpDoc, ValidationError } from "@effect/cli"
import { assert, it } from "@effect/vitest"
import { Cause, Exit, FiberId } from "effect"
import { exitCode, ofDrift, ofSync } from "../../src/cli/Exit.ts"
import { ClosedPipe, OutputError } from "../../src/cli/Output.ts"
import { UsageError } from "../../src/cli/UsageError.ts"
import { ConnectorsFileError, RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import { ConnectorDrift, DriftDocuments, DriftReport } from "../../src/domain/Drift.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"
import { LogDamaged, LogLocked } from "../../src/domain/LogErrors.ts"
import {
  ConnectorSyncReport,
  FailedDocument,
  ReportedError,
  SyncReport,
  type SyncStatus
} from "../../src/domain/SyncReport.ts"
import { failedReport } from "../../src/sync/Report.ts"

const codeOf = (error: unknown) => exitCode(Exit.fail(error), undefined)

const error = new ReportedError({ code: "ConnectorError", message: "m" })

it("is 0 for a run that is done, unless it says another", () => {
  assert.strictEqual(exitCode(Exit.void, undefined), 0)
  assert.strictEqual(exitCode(Exit.succeed("x"), undefined), 0)
  assert.strictEqual(exitCode(Exit.succeed(0), undefined), 0)
  assert.strictEqual(exitCode(Exit.succeed(10), undefined), 10)
})

it("is what the error stands for", () => {
  assert.strictEqual(codeOf(new UsageError({ command: "mem", detail: "" })), 2)
  assert.strictEqual(codeOf(ValidationError.missingFlag(HelpDoc.p("x"))), 2)
  assert.strictEqual(codeOf(new ConnectorsFileError({ file: "connectors.yaml", detail: "x" })), 2)
  assert.strictEqual(codeOf(new LogLocked({ path: "p", pid: 1, host: "h", command: "c", started_at: "s" })), 5)
  assert.strictEqual(codeOf(new LogDamaged({ path: "p", offset: 1, detail: "d" })), 6)
  assert.strictEqual(codeOf(new ClosedPipe()), 0)
  assert.strictEqual(codeOf(new OutputError({ cause: new Error("ENOSPC") })), 1)
  assert.strictEqual(codeOf(new RecordSourceError({ source: "-", detail: "d", advice: "a" })), 1)
})

it("is 1 for whatever it does not know", () => {
  for (const error of [new Error("x"), "text", null, undefined, {}, { _tag: 5 }, { _tag: "toString" }]) {
    assert.strictEqual(codeOf(error), 1)
  }
})

it("is 1 for a bug, and for an interruption without a signal", () => {
  assert.strictEqual(exitCode(Exit.die(new Error("bug")), undefined), 1)
  assert.strictEqual(exitCode(Exit.failCause(Cause.interrupt(FiberId.none)), undefined), 1)
})

it("finds the error among whatever else went wrong", () => {
  const locked = new LogLocked({ path: "p", pid: 1, host: "h", command: "c", started_at: "s" })
  assert.strictEqual(exitCode(Exit.failCause(Cause.sequential(Cause.fail(locked), Cause.die("x"))), undefined), 5)
  assert.strictEqual(
    exitCode(Exit.failCause(Cause.parallel(Cause.interrupt(FiberId.none), Cause.fail(locked))), undefined),
    5
  )
})

it("is that of the signal if there was one, however the run ended", () => {
  for (
    const exit of [
      Exit.void,
      Exit.succeed(3),
      Exit.fail("x"),
      Exit.die("x"),
      Exit.failCause(Cause.interrupt(FiberId.none))
    ]
  ) {
    assert.strictEqual(exitCode(exit, "SIGINT"), 130)
    assert.strictEqual(exitCode(exit, "SIGTERM"), 143)
  }
})

it("of a sync is the worst of its connectors", () => {
  const connector = (status: SyncStatus, failed = 0) =>
    new ConnectorSyncReport({
      ...failedReport({ name: ConnectorName.make("notes"), kind: "vec", source_type: "document" }, error),
      status,
      failed: Array.from({ length: failed }, (_, i) =>
        new FailedDocument({ doc_id: DocId.make(`d${i}`), error: "fetch", message: "m", retryable: true }))
    })
  const code = (...connectors: ReadonlyArray<ConnectorSyncReport>) =>
    ofSync(new SyncReport({ command: "sync", ok: false, connectors, duration_ms: 0 }))
  assert.strictEqual(code(), 0)
  assert.strictEqual(code(connector("ok"), connector("ok")), 0)
  assert.strictEqual(code(connector("partial", 1)), 3)
  assert.strictEqual(code(connector("failed")), 1)
  assert.strictEqual(code(connector("failed"), connector("ok")), 3)
  assert.strictEqual(code(connector("failed"), connector("failed")), 1)
  assert.strictEqual(code(connector("refused")), 4)
  assert.strictEqual(code(connector("refused"), connector("ok")), 4)
  assert.strictEqual(code(connector("refused", 1)), 3)
  assert.strictEqual(code(connector("refused"), connector("failed")), 1)
})

it("of a drift is that of the sync that it foretells, and 10 only where it is asked for", () => {
  const connector = (status: ConnectorDrift["status"]) =>
    new ConnectorDrift({
      name: ConnectorName.make("notes"),
      status,
      new: 0,
      changed: 0,
      stale: 0,
      moved: 0,
      unchanged: 0,
      removed: 0,
      documents: new DriftDocuments({ new: [], changed: [], stale: [], moved: [], removed: [] })
    })
  const code = (drift: boolean, asked: boolean, ...statuses: ReadonlyArray<ConnectorDrift["status"]>) =>
    ofDrift(new DriftReport({ command: "drift", ok: true, drift, connectors: statuses.map(connector) }), asked)
  assert.deepStrictEqual([code(true, false, "ok"), code(true, true, "ok"), code(false, true, "ok")], [0, 10, 0])
  assert.deepStrictEqual([code(true, true, "failed"), code(true, true, "ok", "failed")], [1, 3])
  assert.deepStrictEqual([code(true, true, "refused"), code(true, true, "refused", "failed")], [4, 3])
})
