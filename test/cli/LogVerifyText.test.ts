import { assert, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { advice, lines } from "../../src/cli/LogVerifyText.ts"
import { type FaultKind, LogFault, LogVerifyReport } from "../../src/domain/LogVerifyReport.ts"

const fault = (kind: FaultKind, more: Partial<ConstructorParameters<typeof LogFault>[0]> = {}): LogFault =>
  new LogFault({ kind, segment: 3, path: "p", offset: 1234, length: 0, detail: "what it is", ...more })

const report = (more: Partial<ConstructorParameters<typeof LogVerifyReport>[0]> = {}): LogVerifyReport =>
  new LogVerifyReport({
    command: "log verify",
    ok: false,
    segments: 3,
    bytes: 5_000_000,
    records: 1,
    torn: 0,
    damaged: true,
    faults: [],
    more_faults: 0,
    ...more
  })

it("names each fault with its place and what is lost by it, then what was read", () => {
  const faults = [
    fault("damaged", { length: 1, first_seq: 7, last_seq: 7 }),
    fault("missing", { first_seq: 7, last_seq: 1200 }),
    fault("unreadable", { detail: "it said \u001b[31m" })
  ]
  assert.deepStrictEqual(lines(report({ faults })), [
    "00000003.jsonl at byte 1,234, 1 byte: damaged",
    "  what it is",
    "  lost: line 7",
    "00000003.jsonl at byte 1,234: missing",
    "  what it is",
    "  lost: lines 7 to 1200",
    "00000003.jsonl at byte 1,234: unreadable",
    "  it said \\u001b[31m",
    "1 record could be read in 3 segments, 5,000,000 bytes: 3 faults"
  ])
  assert.deepStrictEqual(lines(report({ faults: faults.slice(0, 1), more_faults: 1 })).slice(-2), [
    "and 1 fault more",
    "1 record could be read in 3 segments, 5,000,000 bytes: 2 faults"
  ])
})

it("says what to do about the worst of them, and nothing where there is none", () => {
  const of = (damaged: boolean, ...kinds: ReadonlyArray<FaultKind>) =>
    Option.getOrElse(advice(report({ damaged, faults: kinds.map((kind) => fault(kind)) })), () => "")
  assert.match(of(true, "too-new", "unreadable", "damaged"), /damaged; run "mem doctor --repair"/)
  assert.match(of(false, "too-new", "unreadable"), /check the disk/)
  assert.match(of(false, "too-new"), /does not know; install the version/)
  assert.strictEqual(of(false), "")
})
