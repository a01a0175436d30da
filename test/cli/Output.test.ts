import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Queue } from "effect"
import { constVoid } from "effect/Function"
import { Writable } from "node:stream"
import { ClosedPipe, layer, Output, OutputError } from "../../src/cli/Output.ts"

interface Piece {
  readonly text: string
  /** Says that the piece was taken, or why it was not. */
  readonly taken: (error?: Error) => void
}

/** A reader that takes each piece only when the test says so. */
const reader = Effect.gen(function*() {
  const pieces = yield* Queue.unbounded<Piece>()
  const stream = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (text, _encoding, taken) => {
      Queue.unsafeOffer(pieces, { text: String(text), taken })
    }
  })
  stream.on("error", constVoid)
  const write = (text: string) => Effect.provide(Effect.flatMap(Output, (output) => output.write(text)), layer(stream))
  return { write, next: Queue.take(pieces) }
})

const errno = (code: string) => Object.assign(new Error(code), { code })

it.live("returns when the reader has taken the text, and not before", () =>
  Effect.gen(function*() {
    const { next, write } = yield* reader
    const writing = yield* Effect.fork(write("one\n"))
    const piece = yield* next
    yield* Effect.yieldNow()
    assert.isTrue(Option.isNone(yield* Fiber.poll(writing)))
    piece.taken()
    assert.deepStrictEqual(yield* Fiber.await(writing), Exit.void)
  }))

it.live("writes texts as they are, one after the other", () =>
  Effect.gen(function*() {
    const { next, write } = yield* reader
    const texts = ["", "ä\u001b[31m\r\n", "no line end", "🐑\n"]
    const writing = yield* Effect.fork(Effect.forEach(texts, write, { discard: true }))
    const seen = yield* Effect.forEach(texts, () =>
      Effect.map(Effect.tap(next, ({ taken }) => taken()), ({ text }) => text))
    yield* Fiber.join(writing)
    assert.deepStrictEqual(seen, texts)
  }))

it.live("fails with ClosedPipe when the reader has gone", () =>
  Effect.gen(function*() {
    const { next, write } = yield* reader
    const writing = yield* Effect.fork(Effect.flip(write("one\n")))
    const piece = yield* next
    piece.taken(errno("EPIPE"))
    assert.instanceOf(yield* Fiber.join(writing), ClosedPipe)
  }))

it.live("fails with OutputError, which names the cause, on any other error", () =>
  Effect.gen(function*() {
    for (const error of [errno("ENOSPC"), errno("EIO"), new Error("no code at all")]) {
      const { next, write } = yield* reader
      const writing = yield* Effect.fork(Effect.flip(write("one\n")))
      const piece = yield* next
      piece.taken(error)
      const failure = yield* Fiber.join(writing)
      assert.instanceOf(failure, OutputError)
      assert.include(failure.message, error.message)
    }
  }))
