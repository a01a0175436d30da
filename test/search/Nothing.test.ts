/** What somebody is told who was told nothing: only what cannot be there. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as VecSessions from "../../layers/SourceConnector/VecSessions.ts"
import type { SearchQuery } from "../../services/Search.ts"
import { ConnectorName, RecordKey, Timestamp } from "../../src/domain/Ids.ts"
import { Record, RecordMeta } from "../../src/domain/Record.ts"
import { whyNothing } from "../../src/search/Nothing.ts"
import type { RecordFilter } from "../../src/search/search.ts"
import { quiet } from "../fixtures/Index.ts"
import { document, notes, synced } from "../sync/Given.ts"
import { inMemory, vec } from "../sync/Harness.ts"

const claude = ConnectorName.make("claude")

const at = (minute: number) => Timestamp.make(`2026-05-01T09:0${minute}:00.000Z`)

const say = (key: string, more: Partial<Record>) => new Record({ key: RecordKey.make(key), text: key, ...more })

it.scopedLive("whoever finds nothing is told of what is not there, and of nothing else", () =>
  Effect.gen(function*() {
    const { connector: documents } = yield* vec("notes", [document("a.md")])
    const { connector: sessions } = yield* VecSessions.make("claude", [{
      id: "s1",
      items: [
        say("a", { role: "user", at: at(1), meta: new RecordMeta({ cwd: "/w/demo" }) }),
        say("b", { role: "tool", tool_name: "Bash", at: at(2) })
      ]
    }])
    const world = yield* inMemory({ connectors: [documents, sessions] })
    const why = (filter?: RecordFilter, query: Partial<SearchQuery> = {}) =>
      world.process(whyNothing({ text: "x", mode: "hybrid", k: 1, ...query }, filter))
    assert.strictEqual(yield* why(), "nothing is in memory yet; run \"mem sync\"")
    assert.strictEqual(yield* why({ tool: "Bash" }), "nothing is in memory yet; run \"mem sync\"")
    yield* synced(world)

    const silent: ReadonlyArray<readonly [RecordFilter | undefined, Partial<SearchQuery>]> = [
      [undefined, {}],
      [{ tool: "Bash", role: "tool", since: "2026-05", until: "2026-06", project: "/w/*" }, {}],
      [{ role: "user" }, { connector: claude, path: "s*" }],
      [undefined, { mode: "vector", connector: notes, path: "*.md", levels: ["R"] }]
    ]
    for (const [filter, query] of silent) assert.isUndefined(yield* why(filter, query), JSON.stringify([filter, query]))

    const told: ReadonlyArray<readonly [RecordFilter | undefined, Partial<SearchQuery>, string]> = [
      [{ tool: "bash" }, {}, "the tool is called Bash, not bash"],
      [{ tool: "Nope" }, {}, "no tool Nope was used in sessions; there is Bash"],
      [{ role: "assistant" }, {}, "nothing in sessions is of assistant; there is tool, user"],
      [{ project: "/x/*" }, {}, "no session is of a project that matches /x/*; there is /w/demo"],
      [{ since: "2027" }, {}, `the newest of what was said in sessions is of ${at(2)}`],
      [{ until: "2026-05-01" }, {}, `the oldest of what was said in sessions is of ${at(1)}`],
      [{ role: "user" }, { connector: notes }, "--role looks in sessions alone, and notes has none in memory"],
      [{ role: "user" }, { path: "*.txt" }, "no document or session matches *.txt"],
      [undefined, { levels: ["L1"] }, "nothing is remembered of sessions yet; \"mem memory\" says what it takes"],
      [
        undefined,
        { mode: "vector", connector: claude },
        "claude holds no passages, and what sessions hold is found by its words: leave out --mode vector"
      ]
    ]
    for (const [filter, query, hint] of told) assert.strictEqual(yield* why(filter, query), hint)
  }).pipe(Effect.provide(quiet)))
