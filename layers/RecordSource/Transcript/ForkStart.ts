/**
 * Where a fork of a Codex session goes its own way: both files are read side by side, from the front, for as long as
 * they say the same.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Line } from "../../../src/log/Lines.ts"
import { type ForkLine, forkLine } from "../../../src/transcript/Codex/Fork.ts"
import { type FileError, Files, type OpenFile } from "./File.ts"
import { type Front, frontAt, nextLines } from "./Position.ts"

/** The lines of a block, `at` being the one that comes next, and what lies behind the block. */
interface Ahead {
  readonly front: Front
  readonly lines: ReadonlyArray<Line>
  readonly at: number
}

interface Next {
  readonly ahead: Ahead
  readonly line: ForkLine
  readonly end: number
}

const front: Ahead = { front: frontAt(0), lines: [], at: 0 }

/** The next closed line that says something. */
const next = (file: OpenFile, from: Ahead): Effect.Effect<Next | undefined, FileError> =>
  Effect.gen(function*() {
    let ahead = from
    for (;;) {
      const first = ahead.lines[ahead.at]
      if (first === undefined) {
        const more = yield* nextLines(file, ahead.front, file.size)
        if (more === undefined) return undefined
        ahead = { front: more[0], lines: more[1], at: 0 }
      } else {
        ahead = { ...ahead, at: ahead.at + 1 }
        const line = first._tag === "Line" ? forkLine(first.bytes) : undefined
        if (first._tag === "Line" && line !== undefined) {
          return { ahead, line, end: first.offset + first.bytes.length + 1 }
        }
      }
    }
  })

const nextItem = (file: OpenFile, from: Ahead): Effect.Effect<Next | undefined, FileError> =>
  Effect.flatMap(
    next(file, from),
    (found) => found?.line._tag === "Header" ? nextItem(file, found.ahead) : Effect.succeed(found)
  )

/** Where the first line stands that the parent does not hold at the same place. */
const commonEnd = (fork: OpenFile, parent: OpenFile): Effect.Effect<number, FileError> =>
  Effect.gen(function*() {
    let [ours, theirs] = yield* Effect.all([nextItem(fork, front), nextItem(parent, front)])
    let end = 0
    while (
      ours !== undefined && theirs !== undefined && ours.line._tag === "Item" && theirs.line._tag === "Item"
      && ours.line.same === theirs.line.same
    ) {
      end = ours.end
      ours = yield* nextItem(fork, ours.ahead)
      theirs = yield* nextItem(parent, theirs.ahead)
    }
    return end
  })

/**
 * The place in the file where what is no copy of its parent begins; its front, where it is no fork, or the parent is not
 * there. `parentOf` gives the path of a session's file.
 *
 * @since 0.1.0
 * @category reading
 */
export const forkStart =
  (parentOf: (session: string) => Effect.Effect<string | undefined>) =>
  (fork: OpenFile): Effect.Effect<number, FileError> =>
    Effect.gen(function*() {
      const first = yield* next(fork, front)
      if (first?.line._tag !== "Header" || first.line.parent === undefined) return 0
      const path = yield* parentOf(first.line.parent)
      if (path === undefined) return 0
      const open = (yield* Files).open(path)
      return yield* Effect.scoped(Effect.flatMap(open, (parent) => commonEnd(fork, parent))).pipe(
        Effect.catchAll((error) =>
          Effect.as(Effect.logWarning(`${path}, of which a fork is read, cannot be read (${error.code})`), 0)
        )
      )
    })
