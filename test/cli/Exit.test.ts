import { HelpDoc, ValidationError } from "@effect/cli"
import { assert, it } from "@effect/vitest"
import { Cause, Exit, FiberId } from "effect"
import { exitCode } from "../../src/cli/Exit.ts"
import { ClosedPipe, OutputError } from "../../src/cli/Output.ts"
import { UsageError } from "../../src/cli/UsageError.ts"
import { ConnectorsFileError, RecordSourceError } from "../../src/domain/ConnectorErrors.ts"
import { LogDamaged, LogLocked } from "../../src/domain/LogErrors.ts"

const codeOf = (error: unknown) => exitCode(Exit.fail(error), undefined)

it("is 0 for a run that is done, whatever it returned", () => {
  assert.strictEqual(exitCode(Exit.void, undefined), 0)
  assert.strictEqual(exitCode(Exit.succeed("x"), undefined), 0)
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
  for (const exit of [Exit.void, Exit.fail("x"), Exit.die("x"), Exit.failCause(Cause.interrupt(FiberId.none))]) {
    assert.strictEqual(exitCode(exit, "SIGINT"), 130)
    assert.strictEqual(exitCode(exit, "SIGTERM"), 143)
  }
})
