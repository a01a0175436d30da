/** What a person reads: each report as the lines that are printed for it. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as DoctorText from "../../src/cli/DoctorText.ts"
import * as DriftText from "../../src/cli/DriftText.ts"
import * as GetText from "../../src/cli/GetText.ts"
import { overview } from "../../src/cli/Overview.ts"
import * as RefText from "../../src/cli/RefText.ts"
import * as SearchText from "../../src/cli/SearchText.ts"
import * as StatusText from "../../src/cli/StatusText.ts"
import * as SyncText from "../../src/cli/SyncText.ts"
import { broken, duration, moment, size, some, width, wrapped } from "../../src/cli/Words.ts"
import { DoctorReport, Finding } from "../../src/domain/DoctorReport.ts"
import { ConnectorDrift, DriftDocuments, DriftMemory, DriftReport, Estimate } from "../../src/domain/Drift.ts"
import { GetReport } from "../../src/domain/GetReport.ts"
import {
  ChunkId,
  ConnectorName,
  DocId,
  Fingerprint,
  RecordKey,
  SessionKey,
  SourceUri,
  Timestamp
} from "../../src/domain/Ids.ts"
import { ReferenceDocument, ReferenceSession } from "../../src/domain/ReferenceReport.ts"
import { RecordHit, SearchHit, SearchReport } from "../../src/domain/SearchReport.ts"
import {
  ConnectorStatus,
  GateStatus,
  LogStatus,
  MemoryStatus,
  ProjectionStatus,
  StatusReport
} from "../../src/domain/StatusReport.ts"
import {
  ConnectorSyncReport,
  FailedDocument,
  ReportedError,
  SkippedDocument,
  SyncReport
} from "../../src/domain/SyncReport.ts"
import { failedReport } from "../../src/sync/Report.ts"

const notes = ConnectorName.make("notes")
const at = Timestamp.make("2026-11-29T20:00:00.000Z")
const uri = (id: string) => SourceUri.make(`file:///vault/${encodeURIComponent(id)}`)

const nothing = failedReport(
  { name: notes, kind: "folder", source_type: "document" },
  new ReportedError({ code: "x", message: "x" })
)

const synced = (connector: Partial<ConnectorSyncReport>) => {
  const { error: _, ...zero } = nothing
  return new ConnectorSyncReport({ ...zero, status: "ok", ...connector })
}

const syncText = (...connectors: ReadonlyArray<ConnectorSyncReport>) =>
  SyncText.lines(new SyncReport({ command: "sync", ok: true, connectors, duration_ms: 2345 }))

const failure = (doc_id: string, message: string, retryable = true) =>
  new FailedDocument({ doc_id: DocId.make(doc_id), error: "fetch", message: `${doc_id}: ${message}`, retryable })

const skip = (doc_id: string, reason: string) => new SkippedDocument({ doc_id: DocId.make(doc_id), reason })

describe("a sync", () => {
  it("says what a model has done", () => {
    const told = (done: Partial<ConnectorSyncReport>) =>
      syncText(synced({ source_type: "session", listed: 4, unchanged: 4, records: 0, ...done }))[1]
    assert.strictEqual(
      told({ model_calls: 3, sessions_read: 2, memories_made: 1 }),
      "  2 sessions read into memory, memory over all sessions made anew (3 calls of"
    )
    assert.strictEqual(told({ model_calls: 1, sessions_read: 1 }), "  1 session read into memory (1 call of the model)")
    assert.strictEqual(told({ model_calls: 2, sessions_read: 0, memories_made: 0 }), "  2 calls of the model")
    assert.strictEqual(told({ model_calls: 0, sessions_read: 0, memories_made: 0 }), "done in 2.3 s")
  })

  it("says in a block what changed, what did not work and what it cost", () => {
    assert.deepStrictEqual(
      syncText(synced({
        status: "partial",
        listed: 1459,
        new: 12,
        changed: 3,
        stale: 2,
        moved: 1,
        unchanged: 1437,
        removed: 4,
        failed: [
          failure("odd/bad.md", "it is not UTF-8; mend it at its source, or leave it out with \"mem ref rm\"", false)
        ],
        skipped: [skip("a.md", "excluded"), skip("b.md", "excluded"), skip("big.md", "larger than 8388608 bytes")],
        resumed: 7,
        embed_texts: 41,
        embed_calls: 1,
        reused: 12,
        chunks_added: 53,
        chunks_tombstoned: 20
      })),
      [
        "notes (folder): 12 new, 3 changed, 2 done anew from the log, 1 moved, 4 removed;",
        "  1,437 unchanged",
        "  it went on from a sync that was cut short, which had stored 7 documents",
        "  already",
        "  1 failed:",
        "    odd/bad.md: it is not UTF-8; mend it at its source, or leave it out with",
        "      \"mem ref rm\"",
        "  3 left out:",
        "    a.md, b.md: excluded",
        "    big.md: larger than 8388608 bytes",
        "  53 passages added, 20 taken out; 41 texts embedded in 1 call, 12 vectors",
        "  reused",
        "done in 2.3 s"
      ]
    )
  })

  it("says it when nothing has changed, when nothing is there, and when nothing could be stored", () => {
    assert.deepStrictEqual(syncText(synced({ listed: 3, unchanged: 3 })), [
      "notes (folder): nothing has changed in 3 documents",
      "done in 2.3 s"
    ])
    assert.include(syncText(synced({}))[0], "no document is there")
    assert.include(
      syncText(synced({ listed: 1, new: 1, chunks_added: 1, embed_texts: 1, embed_calls: 1 })),
      "  1 passage added; 1 text embedded in 1 call"
    )
    const all = [failure("a.md", "down"), failure("b.md", "down")]
    assert.deepStrictEqual(syncText(synced({ status: "partial", listed: 2, failed: all })), [
      "notes (folder): nothing was stored",
      "  2 failed:",
      "    a.md, b.md: down",
      "done in 2.3 s; the next sync tries what failed again"
    ])
    const some = [failure("a.md", "down"), failure("b.md", "bad", false)]
    assert.include(syncText(synced({ failed: some, listed: 2 })).at(-1), "tries 1 of the 2 that failed again")
  })

  it("tells of one trouble once, however many documents have it, and of not too many troubles", () => {
    const many = Array.from({ length: 1000 }, (_, i) => failure(`d${i}.md`, "the embedder is down"))
    assert.deepStrictEqual(syncText(synced({ status: "partial", failed: many, listed: 1000 })).slice(1, 3), [
      "  1,000 failed:",
      "    d0.md, d1.md, d2.md and 997 more: the embedder is down"
    ])
    const rare = [failure("z.md", "rare"), ...many]
    assert.include(syncText(synced({ status: "partial", failed: rare, listed: 1001 }))[3], "z.md: rare")
    const different = Array.from({ length: 30 }, (_, i) => failure(`d${i}.md`, `trouble ${i}`))
    const lines = syncText(synced({ status: "partial", failed: different, listed: 30 }))
    assert.include(lines, "    and 22 others; --json names them all")
    assert.isBelow(lines.length, 15)
  })

  it("says why a connector failed or was refused, and what to do", () => {
    const error = new ReportedError({
      code: "ConnectorError",
      message: "cannot open connector \"papers\": the environment variable TOKEN is not set; set it and run it again"
    })
    assert.deepStrictEqual(
      syncText(
        new ConnectorSyncReport({ ...nothing, error }),
        synced({
          status: "refused",
          error: new ReportedError({ code: "MassRemoval", message: "5 are gone" }),
          listed: 0,
          unchanged: 0,
          removed: 1
        })
      ),
      [
        "notes (folder): failed; nothing of it was touched",
        "  cannot open connector \"papers\": the environment variable TOKEN is not set; set",
        "  it and run it again",
        "notes (folder): 1 removed",
        "  removals were refused:",
        "  5 are gone",
        "done in 2.3 s"
      ]
    )
  })
})

const drift = (connector: Partial<ConnectorDrift> = {}) =>
  new ConnectorDrift({
    name: notes,
    status: "ok",
    new: 0,
    changed: 0,
    stale: 0,
    moved: 0,
    unchanged: 7,
    removed: 0,
    documents: new DriftDocuments({ new: [], changed: [], stale: [], moved: [], removed: [] }),
    ...connector
  })

const driftText = (connector: ConnectorDrift, drift = true) =>
  DriftText.lines(new DriftReport({ command: "drift", ok: true, drift, connectors: [connector] }))

describe("a drift", () => {
  it("names the documents by what would be done with them, and what that would cost", () => {
    const documents = new DriftDocuments({
      new: Array.from({ length: 14 }, (_, i) => DocId.make(`n${i}.md`)),
      changed: [DocId.make("\u001b[31mred.md")],
      stale: [],
      moved: [],
      removed: [DocId.make("gone.md")]
    })
    const estimate = new Estimate({ documents: 15, passages: 80, tokens: 12_000, embed_texts: 1, cost_usd: 0.00024 })
    assert.deepStrictEqual(driftText(drift({ new: 14, changed: 1, removed: 1, documents, estimate })), [
      "notes: 14 new, 1 changed, 1 removed; 7 unchanged",
      ...Array.from({ length: 10 }, (_, i) => `  new      n${i}.md`),
      "  new      and 4 more; --json names them all",
      "  changed  \\u001b[31mred.md",
      "  removed  gone.md",
      "  a sync would cut 15 documents into 80 passages of 12,000 tokens and embed 1",
      "  text for 0.0002 US dollars",
      "nothing was changed; \"mem sync\" does it"
    ])
  })

  it("says it where there is none, and where nobody can tell", () => {
    const sessions = { documents: 2, passages: 0, tokens: 0, embed_texts: 0, records: 9 }
    const read = (calls: { model_calls?: number; model_tokens?: number }) =>
      driftText(drift({ changed: 2, estimate: new Estimate({ ...sessions, ...calls }) })).slice(1, -1)
    assert.deepStrictEqual(read({}), ["  a sync would archive 9 Records of 2 sessions"])
    assert.deepStrictEqual(read({ model_calls: 12, model_tokens: 34_567 }).slice(1), [
      "  reading sessions into memory would take up to 12 calls of the language model,",
      "  with 34,567 tokens sent"
    ])
    assert.deepStrictEqual(read({ model_calls: 0, model_tokens: 0 }).slice(1), [
      "  no call of the language model to read sessions into memory"
    ])
    const nothing = { documents: 0, passages: 0, tokens: 0, embed_texts: 0 }
    for (const more of [{}, { cost_usd: 0 }, { records: 0 }, { records: 0, model_calls: 0, model_tokens: 0 }]) {
      const estimate = new Estimate({ ...nothing, ...more })
      assert.deepStrictEqual(driftText(drift({ estimate }), false), ["notes: nothing to do, 7 unchanged"])
    }
    assert.deepStrictEqual(driftText(drift(), false), ["notes: nothing to do, 7 unchanged"])
    const error = new ReportedError({ code: "ConnectorError", message: "it is away" })
    assert.deepStrictEqual(driftText(drift({ status: "failed", error }), false), ["notes: failed", "  it is away"])
    const refused = { status: "refused" as const, error, removed: 12, unchanged: 0 }
    assert.deepStrictEqual(driftText(drift(refused)), [
      "notes: 12 removed",
      "  a sync would refuse the removals:",
      "  it is away",
      "nothing was changed; \"mem sync --allow-mass-removal\" does 12 removals"
    ])
    assert.strictEqual(
      driftText(drift({ ...refused, new: 1 })).at(-1),
      "nothing was changed; \"mem sync\" does all but 12 removals"
    )
  })

  it("names what would be left out, and tells of sessions that a model would read though none is new", () => {
    const skipped = [skip("link.md", "it is a symbolic link"), skip("big.md", "larger than 8 bytes")]
    assert.deepStrictEqual(driftText(drift({ skipped, remark: "it matches 0" }), false), [
      "notes: nothing to do, 7 unchanged",
      "  it matches 0",
      "  2 left out:",
      "    link.md: it is a symbolic link",
      "    big.md: larger than 8 bytes"
    ])
    const memory = (waiting: number, over_all: boolean, more: Partial<ConnectorDrift> = {}) =>
      driftText(drift({ memory: new DriftMemory({ waiting, over_all }), ...more }))[0]
    assert.strictEqual(memory(2, false), "notes: 2 sessions to be read into memory; 7 unchanged")
    assert.strictEqual(memory(1, false, { new: 3 }), "notes: 3 new, 1 session to be read into memory; 7 unchanged")
    assert.strictEqual(memory(0, true), "notes: the memory over all sessions to be made anew; 7 unchanged")
    assert.strictEqual(memory(0, false), "notes: nothing to do, 7 unchanged")
  })
})

describe("a status", () => {
  const status = (connector: Partial<ConnectorStatus>, projection: ProjectionStatus["state"] = "current") =>
    StatusText.lines(
      new StatusReport({
        command: "status",
        ok: true,
        connectors: [
          new ConnectorStatus({
            name: notes,
            kind: "folder",
            source_type: "document",
            documents: 3,
            chunks: 12,
            last_sync: at,
            failed: [],
            skipped: [],
            pending: 0,
            ...connector
          })
        ],
        log: new LogStatus({ segments: 1, bytes: 1_234_567, records: 200, dead: 30 }),
        projection: new ProjectionStatus({ state: projection, behind: projection === "behind" ? 5 : 0 })
      })
    )

  it("counts what is there and names the rest with reasons", () => {
    assert.deepStrictEqual(
      status({ failed: [failure("bad.md", "it is bad")], skipped: [skip("x.md", "unavailable")], pending: 2 }),
      [
        "notes (folder): 3 documents, 12 passages, last changed 2026-11-29 20:00 UTC",
        "  2 documents of a sync still to do: it runs now, or was cut short and the next",
        "  one goes on",
        "  1 failed:",
        "    bad.md: it is bad",
        "  1 left out:",
        "    x.md: unavailable",
        "log: 200 records in 1 segment, 1.2 MB; 30 (15 %) no longer in use",
        "search index: current"
      ]
    )
    assert.include(status({ last_sync: null })[0], "never synced")
  })

  const memory = (gate: Partial<GateStatus>, more: Partial<MemoryStatus> = {}) =>
    new MemoryStatus({
      sessions: 2,
      stale: 0,
      evidence: 5,
      gates: [
        new GateStatus({
          profile: "work",
          model: "m",
          current: true,
          steps: 20,
          updates: 4,
          malformed: 0,
          exits: 0,
          prompt_tokens: 12_345,
          completion_tokens: 678,
          ...gate
        })
      ],
      ...more
    })
  const told = (gate: Partial<GateStatus>, more?: Partial<MemoryStatus>) =>
    status({ source_type: "session", records: 9, memory: memory(gate, more) }).slice(1, -2)

  it("says how the gates have answered, of the way in which a profile was read last", () => {
    assert.deepStrictEqual(told({}), [
      "  memory of 2 sessions, on 5 pieces of L0 evidence",
      "  work by m: 20 steps, 4 updates (20 %); 12,345 tokens sent, 678 answered"
    ])
    assert.deepStrictEqual(told({ malformed: 3, exits: 1 }, { stale: 1, evidence: 1 }), [
      "  memory of 2 sessions (1 stale), on 1 piece of L0 evidence",
      "  work by m: 20 steps, 4 updates (20 %), 3 malformed (15 %), 1 exit; 12,345",
      "    tokens sent, 678 answered"
    ])
    assert.lengthOf(told({ current: false, updates: 20 }), 1)
    assert.deepStrictEqual(told({}, { waiting: 2 }).slice(1, -1), [
      "  2 sessions wait to be read into memory by the model of connectors.yaml; the",
      "  next sync does it"
    ])
    assert.deepStrictEqual(told({ current: false }, { sessions: 0, waiting: 0, gates: [] }), [])
  })

  it("warns of a model that takes nearly everything, or cannot keep to the form, once there are enough steps", () => {
    const warnings = (gate: Partial<GateStatus>) =>
      told(gate).join(" ").replaceAll(/ +/g, " ").split("warning: ").slice(1)
    for (const [updates, warned] of [[18, 0], [19, 1], [20, 1]] as const) {
      assert.lengthOf(warnings({ updates }), warned, `${updates} of 20`)
    }
    assert.lengthOf(warnings({ steps: 19, updates: 19, malformed: 19 }), 0)
    for (const [malformed, warned] of [[3, 0], [4, 1]] as const) assert.lengthOf(warnings({ malformed }), warned)
    const [everything] = warnings({ updates: 20 })
    for (const word of ["untrained or too small", "citations", "another model", "narrower questions"]) {
      assert.include(everything, word)
    }
    assert.include(warnings({ malformed: 10 })[0], "50 % of the answers of m for work could not be read")
  })

  it("says of the index how it is, and what mends it", () => {
    const last = (state: ProjectionStatus["state"]) => status({}, state).slice(2).join(" ")
    assert.include(last("behind"), "5 records behind the log")
    for (const state of ["missing", "foreign", "damaged"] as const) {
      assert.include(last(state), "mem rebuild --from-log")
    }
    assert.strictEqual(new Set((["current", "behind", "missing", "foreign", "damaged"] as const).map(last)).size, 5)
  })
})

const hit = (more: Partial<SearchHit>) =>
  new SearchHit({
    score: 0.8123,
    level: "R",
    connector: notes,
    doc_id: DocId.make("k8s.md"),
    source_uri: uri("k8s.md"),
    heading_path: ["Kubernetes", "Networking"],
    lines: [10, 20],
    text: "A pod has an address.\n\nEach service\thas one too.\n",
    chunk_id: ChunkId.make("0".repeat(32)),
    stale: false,
    ...more
  })

const found = (hits: ReadonlyArray<SearchHit>, word: string, marks = SearchText.uncoloured) =>
  SearchText.lines(
    new SearchReport({ command: "search", ok: true, query: `what \u0007 ${word}`, mode: "hybrid", hits }),
    (text) => [...text.matchAll(new RegExp(word, "g"))].map(({ 0: match, index }) => [index, index + match.length]),
    marks
  )

describe("a search", () => {
  it("prints score, place, level, headings and the text with its matches", () => {
    assert.deepStrictEqual(found([hit({}), hit({ stale: true, lines: [3, 3], heading_path: [] })], "has"), [
      "0.812  notes:k8s.md:10-20  (R reference)",
      "  Kubernetes > Networking",
      "  A pod «has» an address.",
      "  Each service «has» one too.",
      "",
      "0.812  notes:k8s.md:3  (R reference)",
      "  its source has changed or gone since the last sync",
      "  A pod «has» an address.",
      "  Each service «has» one too."
    ])
    assert.include(found([hit({})], "pod", SearchText.coloured), "  A \u001b[1mpod\u001b[22m has an address.")
  })

  it("shows of a long text what is around the first match", () => {
    const text = Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\r\n")
    assert.deepStrictEqual(found([hit({ text, heading_path: [] })], "line 20").slice(1), [
      "  …",
      "  line 19",
      "  «line 20»",
      "  line 21",
      "  line 22",
      "  line 23",
      "  line 24",
      "  …"
    ])
    assert.deepStrictEqual(found([hit({ text, heading_path: [] })], "none").slice(1, 3), ["  line 0", "  line 1"])
    assert.deepStrictEqual(found([hit({ text, heading_path: [] })], "line 29").slice(-2), ["  line 28", "  «line 29»"])
  })

  it("leaves the front matter of a note out, unless it is all that matches, or all there is", () => {
    const text = "---\ntags: pods\n---\n\nA pod has an address.\n"
    const shown = (word: string, more: Partial<SearchHit> = {}) =>
      found([hit({ text, heading_path: [], lines: [1, 5], ...more })], word).slice(1)
    assert.deepStrictEqual(shown("pod"), ["  A «pod» has an address."])
    assert.deepStrictEqual(shown("none"), ["  A pod has an address."])
    const whole = ["  ---", "  «tags»: pods", "  ---", "  A pod has an address."]
    assert.deepStrictEqual(shown("tags"), whole)
    assert.deepStrictEqual(shown("none", { text: "---\na: b\n---\n" }), ["  ---", "  a: b", "  ---"])
    assert.deepStrictEqual(shown("pod", { doc_id: DocId.make("k8s.txt") }).slice(0, 2), ["  ---", "  tags: «pod»s"])
    assert.deepStrictEqual(shown("pod", { lines: [3, 7] }).slice(0, 2), ["  ---", "  tags: «pod»s"])
  })

  it("says that nothing was found", () => {
    assert.deepStrictEqual(found([], "here"), ["nothing was found for \"what \\u0007 here\""])
    const hint = "the tool is called Bash, not \u0007"
    const report = new SearchReport({ command: "search", ok: true, query: "x", mode: "hybrid", hits: [], hint })
    assert.deepStrictEqual(SearchText.lines(report, () => [], SearchText.uncoloured), [
      "nothing was found for \"x\": the tool is called Bash, not \\u0007"
    ])
  })

  it("tells Records apart from the hits before them, whose scores are of another scale", () => {
    const record = new RecordHit({
      score: 1,
      connector: notes,
      doc_id: DocId.make("s1"),
      source_uri: uri("s1"),
      lines: [3, 3],
      key: RecordKey.make("k"),
      session_key: SessionKey.make("s1"),
      role: "user",
      block: "text",
      at: null,
      derived: false,
      text: "has",
      excerpt: false
    })
    const lines = (hits: ReadonlyArray<SearchHit>) =>
      SearchText.lines(
        new SearchReport({ command: "search", ok: true, query: "x", mode: "hybrid", hits, records: [record] }),
        () => [],
        SearchText.uncoloured
      )
    const [first, ...rest] = lines([])
    assert.deepStrictEqual(lines([hit({})]).slice(-5), ["", "in sessions, by words:", "", first, ...rest])
  })

  it.prop("marks all matches, and lets nothing else of a text act on a terminal", [
    FastCheck.array(FastCheck.constantFrom("ab", "b", "\n", "\u001b[0m", "\u0001", "\u0002", " ", "\u202e", "é"), {
      maxLength: 30
    })
  ], ([parts]) => {
    const text = parts.join("")
    const lines = found([hit({ text, heading_path: [] })], "ab").slice(1)
    assert.notMatch(lines.join(""), /[\p{Cc}\p{Bidi_Control}]/u)
    const shown = lines.join("").split("«ab»").length - 1
    if (lines.every((line) => line !== "  …")) assert.strictEqual(shown, text.split("ab").length - 1)
  })
})

const got = (more: Partial<GetReport>) =>
  new GetReport({
    command: "get",
    ok: true,
    level: "R",
    connector: notes,
    doc_id: DocId.make("a\n.md"),
    source_uri: uri("a"),
    content_hash: Fingerprint.make(`sha256:${"0".repeat(64)}`),
    synced_at: at,
    heading_path: ["A", "B"],
    lines: [10, 11],
    of: 12,
    before: "nine\r\n",
    text: "\tten\u001b[2J\neleven\n",
    after: "twelve",
    ...more
  })

describe("lines of a document", () => {
  it("are numbered and marked among those around them", () => {
    assert.deepStrictEqual(GetText.numbered(got({})), [
      "notes:a\\u000a.md, lines 10 to 11 of 12",
      "A > B",
      "",
      "   9  nine",
      "> 10  \tten\\u001b[2J",
      "> 11  eleven",
      "  12  twelve"
    ])
    assert.deepStrictEqual(
      GetText.numbered(got({ lines: [1, 1], of: 1, before: "", text: "one", after: "", heading_path: [] })),
      ["notes:a\\u000a.md, line 1 of 1", "", "> 1  one"]
    )
  })

  it("are printed whole without anything that acts on the terminal", () => {
    assert.deepStrictEqual(GetText.plain(got({})), ["\tten\\u001b[2J", "eleven"])
    assert.deepStrictEqual(GetText.plain(got({ text: "" })), [])
  })
})

it("documents and sessions are a table for each connector", () => {
  const document = (name: string, id: string, chunks: number, excluded = false) =>
    new ReferenceDocument({
      connector: ConnectorName.make(name),
      doc_id: DocId.make(id),
      source_uri: uri(id),
      chunks,
      synced_at: at,
      excluded
    })
  const session = (name: string, more: Partial<ReferenceSession> = {}) =>
    new ReferenceSession({
      connector: ConnectorName.make(name),
      doc_id: DocId.make("s1"),
      source_uri: uri("s1"),
      records: 1234,
      latest: null,
      synced_at: at,
      ...more
    })
  assert.deepStrictEqual(
    RefText.lines({
      documents: [document("a", "x.md", 1234), document("a", "\u009b.md", 0, true), document("b", "y", 1)],
      sessions: [session("a2", { latest: at, project: "/w/\u009b" }), session("b"), session("b", { records: 7 })]
    }),
    [
      "a: 2 documents",
      "  passages  stored                document",
      "     1,234  2026-11-29 20:00 UTC  x.md",
      "  excluded  2026-11-29 20:00 UTC  \\u009b.md",
      "a2: 1 session",
      "   Records  last said             session, and its project",
      "     1,234  2026-11-29 20:00 UTC  s1  /w/\\u009b",
      "b: 1 document",
      "  passages  stored                document",
      "         1  2026-11-29 20:00 UTC  y",
      "b: 2 sessions",
      "   Records  last said             session, and its project",
      "     1,234                        s1",
      "         7                        s1"
    ]
  )
  assert.deepStrictEqual(RefText.lines({ documents: [], sessions: [] }), ["nothing is in memory"])
})

it("what a check found is told with what to do, and summed up", () => {
  const finding = (level: Finding["level"], more: Partial<Finding> = {}) =>
    new Finding({ check: "log", level, message: "m", ...more })
  const text = (...findings: ReadonlyArray<Finding>) =>
    DoctorText.lines(new DoctorReport({ command: "doctor", ok: true, findings }))
  assert.deepStrictEqual(
    DoctorText.lines(
      new DoctorReport({
        command: "doctor",
        ok: true,
        findings: [finding("ok"), finding("problem", { check: "source", subject: "notes", advice: "do it" })],
        repaired: ["the index"]
      })
    ),
    ["mended  the index", "ok      log: m", "PROBLEM source of notes: m", "        Do it.", "1 problem"]
  )
  assert.strictEqual(text(finding("ok"), finding("note")).at(-1), "all is well")
  assert.include(text(finding("problem"), finding("damage")).at(-1), "damaged")
})

describe("words", () => {
  it("are figures that a person reads", () => {
    assert.deepStrictEqual([0, 1, 999, 1000, 1_234_567, 999_999, 5e12].map(size), [
      "0 bytes",
      "1 byte",
      "999 bytes",
      "1.0 kB",
      "1.2 MB",
      "1.0 MB",
      "5.0 TB"
    ])
    assert.deepStrictEqual([0, 940, 9949, 9950, 59_499, 60_000, 200_000, 3_599_499, 7_500_000].map(duration), [
      "0.0 s",
      "0.9 s",
      "9.9 s",
      "10 s",
      "59 s",
      "1 min",
      "3 min 20 s",
      "59 min 59 s",
      "2 h 5 min"
    ])
    assert.strictEqual(moment(at), "2026-11-29 20:00 UTC")
    assert.deepStrictEqual([1, 4, 5].map((n) => some(Array.from({ length: n }, (_, i) => `${i}`))), [
      "0",
      "0, 1, 2, 3",
      "0, 1, 2 and 2 more"
    ])
  })

  it.prop("are broken between two of them, within the width, and none is lost", [
    FastCheck.array(FastCheck.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 40 }),
    FastCheck.integer({ min: 0, max: 10 })
  ], ([parts, indent]) => {
    const lines = broken(" ".repeat(indent), parts.join(" "))
    assert.isTrue(lines.every((line) => line.length <= width))
    assert.strictEqual(lines.map((line) => line.slice(indent)).join(" "), parts.join(" "))
  })

  it("leave a path whole, and nothing that acts on a terminal", () => {
    const path = `/${"x".repeat(100)}`
    assert.deepStrictEqual(wrapped("  ", `see ${path} and\u001b[0m go`), ["  see", `  ${path}`, "  and\\u001b[0m go"])
  })
})

it("the page of all commands fits a terminal", () => {
  assert.isTrue(overview.split("\n").every((line) => line.length <= width))
})
