/**
 * Paints how far a sync has come, on a terminal and nowhere else: one line, at most ten times a second, gone when the
 * sync is. It needs no colours and no codes, so that NO_COLOR takes nothing away.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { SyncObserver } from "../../services/SyncObserver.ts"
import * as Line from "./ProgressLine.ts"
import { type Screen, Terminal } from "./Terminal.ts"

const between = "100 millis"

/** The one line of a screen that is painted over again and again. */
const makePainter = (screen: Screen) => {
  let painted = 0
  const clear = (): void => {
    if (painted > 0) screen.write(`\r${" ".repeat(painted)}\r`)
    painted = 0
  }
  const paint = (text: string): void => {
    screen.write(`\r${text}${" ".repeat(Math.max(0, painted - text.length))}`)
    painted = text.length
  }
  return { clear, paint }
}

/** A message on standard error stands on a line of its own, and the progress below it. */
const besideMessages = (clear: () => void) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.consoleWith((console) =>
    Effect.withConsole(self, {
      ...console,
      error: (...parts) => Effect.zipRight(Effect.sync(clear), console.error(...parts)),
      unsafe: {
        ...console.unsafe,
        error: (...parts) => {
          clear()
          console.unsafe.error(...parts)
        }
      }
    })
  )

const watchedOn = (screen: Screen) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const { clear, paint } = makePainter(screen)
    let progress = Line.nothing
    const note = SyncObserver.of({
      note: (event) => Effect.map(Clock.currentTimeMillis, (now) => void (progress = Line.add(progress, event, now)))
    })
    const repaint = Effect.map(
      Clock.currentTimeMillis,
      (now) => paint(Line.line(progress, now, screen.columns() - 1))
    )
    return Effect.scoped(Effect.gen(function*() {
      yield* Effect.addFinalizer(() => Effect.sync(clear))
      yield* Effect.forkScoped(Effect.repeat(repaint, Schedule.spaced(between)))
      return yield* Effect.provideService(self, SyncObserver, note)
    })).pipe(besideMessages(clear))
  })

/**
 * The sync, with its progress on the terminal behind standard error, if there is one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const watched = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Terminal> =>
  Effect.flatMap(
    Terminal,
    ({ screen }) => Option.match(screen, { onNone: () => self, onSome: (there) => watchedOn(there)(self) })
  )
