import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { type SyncEvent, SyncObserver } from "../../services/SyncObserver.ts"
import { watched } from "../../src/cli/Progress.ts"
import * as Line from "../../src/cli/ProgressLine.ts"
import * as StderrLogger from "../../src/cli/StderrLogger.ts"
import { layer as terminalOf, Terminal } from "../../src/cli/Terminal.ts"
import { ConnectorName, DocId } from "../../src/domain/Ids.ts"

const connector = ConnectorName.make("notes")
const doc_id = DocId.make("a.md")

const listed = (documents: number, toDo: number): SyncEvent => ({ _tag: "Listed", connector, documents, toDo })
const fetched: SyncEvent = { _tag: "Fetched", connector, doc_id }
const done: SyncEvent = { _tag: "Done", connector, doc_id }
const embedding = (texts: number): SyncEvent => ({ _tag: "Embedding", connector, texts })
const embedded = (texts: number): SyncEvent => ({ _tag: "Embedded", connector, texts })

const after = (events: ReadonlyArray<SyncEvent>, at = 0) =>
  events.reduce((progress, event) => Line.add(progress, event, at), Line.nothing)

const times = (n: number, event: SyncEvent): ReadonlyArray<SyncEvent> => Array.from({ length: n }, () => event)

describe("the line", () => {
  it("tells what was listed, fetched, embedded and done, over all connectors", () => {
    assert.strictEqual(Line.line(Line.nothing, 0, 79), "listing ...")
    assert.strictEqual(Line.line(after([listed(1200, 0)]), 0, 79), "1,200 listed, nothing to do")
    const progress = after([listed(5, 5), listed(1000, 1995), ...times(700, fetched), ...times(500, done)])
    assert.strictEqual(Line.line(progress, 0, 79), "##........ 500 of 2,000 done, 700 fetched")
    assert.strictEqual(
      Line.line(after([listed(2, 2), fetched, embedding(64), embedded(12)]), 0, 79),
      ".......... 0 of 2 done, 1 fetched, 12 embedded"
    )
    assert.strictEqual(
      Line.line(after([listed(2, 2), fetched, embedding(64)]), 0, 79),
      ".......... 0 of 2 done, 1 fetched, embedding"
    )
    assert.strictEqual(
      Line.line(after([listed(2, 2), fetched, embedding(64), embedded(64), done, done]), 0, 79),
      "########## 2 of 2 done, 1 fetched, 64 embedded"
    )
  })

  it("guesses what is left once there is something to guess from", () => {
    const at = (millis: number, n = 25) =>
      times(n, done).reduce((now, event) => Line.add(now, event, millis), after([listed(100, 100)], 1000))
    assert.notInclude(Line.line(at(2000), 2000, 79), "left")
    assert.include(Line.line(at(21_000), 21_000, 79), ", 1 min left")
    assert.include(Line.line(at(4_100), 4_100, 79), ", 10 s left")
    assert.notInclude(Line.line(at(21_000, 5), 21_000, 79), "left", "of too few")
    // Nothing is done for a while: the guess goes down with the time, and ends.
    assert.include(Line.line(at(21_000), 41_000, 79), ", 40 s left")
    assert.notInclude(Line.line(at(21_000), 90_000, 79), "left")
    assert.notInclude(Line.line(after([listed(3, 3)], 0), 60_000, 79), "left")
    assert.notInclude(Line.line(after([listed(3, 3), ...times(3, done)], 0), 60_000, 79), "left")
  })

  it("never is longer than the terminal is wide", () => {
    for (const columns of [0, 1, 10, 40]) {
      assert.isAtMost(Line.line(after([listed(5, 5), fetched]), 0, columns).length, columns)
    }
  })
})

/** A terminal's last line, by what was written to it. */
const screen = (columns: number) => {
  let row = ""
  let column = 0
  const paints: Array<string> = []
  const write = (text: string): void => {
    for (const character of text) {
      if (character === "\r") column = 0
      else {
        row = row.slice(0, column).padEnd(column) + character + row.slice(column + 1)
        column += 1
      }
    }
    if (row.trimEnd() !== "") paints.push(row.trimEnd())
  }
  return { screen: { columns: () => columns, write }, shown: () => row.trimEnd(), paints }
}

const terminal = (screen: Option.Option<{ readonly columns: () => number; readonly write: (text: string) => void }>) =>
  Effect.provideService(Terminal, { reads: false, colours: false, screen })

const note = (event: SyncEvent) => Effect.flatMap(SyncObserver, (observer) => observer.note(event))

describe("on a terminal", () => {
  it.effect("it is painted at most ten times a second, and gone at the end", () =>
    Effect.gen(function*() {
      const { paints, screen: there, shown } = screen(80)
      const sync = Effect.gen(function*() {
        yield* note(listed(100, 100))
        yield* Effect.forEach(times(100, done), (event) => Effect.zipRight(note(event), Effect.sleep("10 millis")))
        return "report"
      })
      const running = yield* Effect.fork(sync.pipe(watched, terminal(Option.some(there))))
      yield* TestClock.adjust("500 millis")
      assert.match(shown(), /^#{4}\.{6} 4\d of 100 done, 0 fetched$|^#{5}\.{5} 5\d of 100/)
      assert.isAtMost(paints.length, 6)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* Fiber.join(running), "report")
      assert.strictEqual(shown(), "")
      assert.isAtMost(paints.length, 12)
      const painted = paints.length
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(paints.length, painted)
    }))

  it.effect("it is gone when the sync fails or is interrupted, too", () =>
    Effect.gen(function*() {
      for (const end of [Effect.fail("x"), Effect.interrupt]) {
        const { screen: there, shown } = screen(80)
        const sync = Effect.zipRight(Effect.sleep("1 seconds"), end)
        const running = yield* Effect.fork(sync.pipe(watched, terminal(Option.some(there))))
        yield* TestClock.adjust("500 millis")
        assert.strictEqual(shown(), "listing ...")
        yield* TestClock.adjust("1 seconds")
        yield* Fiber.await(running)
        assert.strictEqual(shown(), "")
      }
    }))

  it.effect("a warning stands on a line of its own", () =>
    Effect.gen(function*() {
      const { screen: there, shown } = screen(80)
      const messages: Array<readonly [string, string]> = []
      const console = yield* Effect.console
      const told = (...parts: ReadonlyArray<unknown>) => void messages.push([parts.join(" "), shown()])
      const sync = Effect.gen(function*() {
        yield* Effect.sleep("150 millis")
        yield* Effect.logWarning("careful")
        yield* Console.error("twice")
        yield* Effect.sleep("1 seconds")
      })
      const running = yield* sync.pipe(
        watched,
        terminal(Option.some(there)),
        Effect.provide(StderrLogger.layer),
        Effect.withConsole({
          ...console,
          error: (...parts) => Effect.sync(() => told(...parts)),
          unsafe: { ...console.unsafe, error: told }
        }),
        Effect.fork
      )
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(shown(), "listing ...")
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(messages, [["mem: warning: careful", ""], ["twice", ""]])
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(shown(), "listing ...")
      yield* Fiber.interrupt(running)
    }))

  it.effect("a line that became shorter leaves nothing of the longer one", () =>
    Effect.gen(function*() {
      const { screen: there, shown } = screen(80)
      const sync = Effect.gen(function*() {
        yield* note(listed(1_000_000_000_000, 0))
        yield* Effect.sleep("150 millis")
        yield* note(listed(0, 1))
        yield* Effect.sleep("150 millis")
      })
      const running = yield* Effect.fork(sync.pipe(watched, terminal(Option.some(there))))
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(shown(), "1,000,000,000,000 listed, nothing to do")
      yield* TestClock.adjust("150 millis")
      assert.strictEqual(shown(), ".......... 0 of 1 done, 0 fetched")
      yield* Fiber.interrupt(running)
    }))
})

it.effect("where there is no terminal, nobody watches", () =>
  Effect.gen(function*() {
    const observer = yield* SyncObserver
    const inside = yield* SyncObserver.pipe(watched, terminal(Option.none()))
    assert.strictEqual(inside, observer)
  }))

describe("Terminal", () => {
  const of = (stdout: boolean, stderr: boolean, columns?: number, env: { readonly [name: string]: string } = {}) =>
    Effect.provide(
      Terminal,
      terminalOf({
        env,
        stdout: { isTTY: stdout },
        stderr: { isTTY: stderr, ...(columns === undefined ? {} : { columns }), write: () => true }
      })
    )

  it.effect("is what the streams of the process are", () =>
    Effect.gen(function*() {
      const pipes = yield* of(false, false)
      assert.deepStrictEqual([pipes.reads, pipes.colours, Option.isNone(pipes.screen)], [false, false, true])
      const both = yield* of(true, true, 132)
      assert.deepStrictEqual([both.reads, both.colours], [true, true])
      assert.strictEqual(Option.getOrThrow(both.screen).columns(), 132)
      const plain = yield* of(true, true, 0, { NO_COLOR: "1" })
      assert.deepStrictEqual([plain.reads, plain.colours], [true, false])
      assert.strictEqual(Option.getOrThrow(plain.screen).columns(), 80)
      assert.strictEqual(Option.getOrThrow((yield* of(false, true)).screen).columns(), 80)
    }))
})
