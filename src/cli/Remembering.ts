/**
 * Behind a sync: where `connectors.yaml` names a language model, the gated loop reads what sessions hold into memory. And
 * behind a drift: what that would cost.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Live from "../../layers/Live.ts"
import { keyPath } from "../config/KeyPath.ts"
import { ConnectorsFileError } from "../domain/ConnectorErrors.ts"
import type { ConnectorsFile } from "../domain/ConnectorsFile.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import type { SyncReport } from "../domain/SyncReport.ts"
import * as Ahead from "../memory/Ahead.ts"
import { embedMemory } from "../memory/embedMemory.ts"
import { estimate } from "../memory/estimate.ts"
import { defaultOptions, remember } from "../memory/loop.ts"
import { markDue } from "../memory/markDue.ts"
import { Profile } from "../memory/Profile.ts"
import { forSessions, type Lacking } from "../memory/Room.ts"
import { embedded, foreseen, remembered, sessionsIn } from "../memory/route.ts"
import { waiting, waitingIn } from "../memory/waiting.ts"
import { drift, type DriftOptions } from "../sync/drift.ts"
import { number } from "../text/Amounts.ts"

/**
 * What the model may be asked for in one run; no limit where it is absent.
 *
 * @since 0.1.0
 * @category options
 */
export interface ModelLimits {
  readonly max_calls?: number | undefined
  readonly max_tokens?: number | undefined
}

/**
 * The profiles that the file names, or the standard one.
 *
 * @since 0.1.0
 * @category configuration
 */
export const profilesOf = ({ profiles }: ConnectorsFile): ReadonlyArray<Profile> =>
  profiles === undefined
    ? defaultOptions.profiles
    : profiles.map(({ name, questions }) => new Profile({ name, questions }))

/**
 * How the file has sessions read.
 *
 * @since 0.1.0
 * @category configuration
 */
export const optionsOf = (file: ConnectorsFile) => ({ ...defaultOptions, profiles: profilesOf(file) })

/**
 * Fails where the context that the file says the model has leaves no room beside the answer.
 *
 * @since 0.1.0
 * @category configuration
 */
export const roomIn = <E, R>(
  file: ConnectorsFile,
  lacking: Effect.Effect<Option.Option<Lacking>, E, R>
): Effect.Effect<void, E | ConnectorsFileError, R> =>
  Effect.flatMap(
    lacking,
    Option.match({
      onNone: () => Effect.void,
      onSome: ({ answer, least, tokens }) => {
        const path = ["model", "context_tokens"]
        return new ConnectorsFileError({
          file: file.file,
          line: file.lineOf(path),
          key_path: keyPath(path),
          detail: `${number(tokens)} tokens leave no room: ${number(answer)} of them are kept for the answer, and with `
            + `what the model is told and shown it takes ${least} at least. Its server must give it that window, too`
        })
      }
    })
  )

/**
 * As {@link roomIn}, for reading sessions. Nothing is asked, so the key need not be there.
 *
 * @since 0.1.0
 * @category configuration
 */
export const roomForSessions = (file: ConnectorsFile) =>
  file.model === undefined ? Effect.void : roomIn(
    file,
    forSessions(defaultOptions.rules, profilesOf(file)).pipe(
      Effect.provide(Live.model(file, Live.withoutKey(file.model)))
    )
  )

/** Sessions of a connector that is not in the file any more, or could not be listed, are nobody's to pay for. */
const namesOf = (connectors: ReadonlyArray<{ readonly name: ConnectorName }>): ReadonlyArray<ConnectorName> =>
  connectors.map(({ name }) => name)

/**
 * The report, with what reading into memory came to. Without a model, or without sessions, it is as it was.
 *
 * @since 0.1.0
 * @category programs
 */
export const remembering = (file: ConnectorsFile, report: SyncReport, { max_calls, max_tokens }: ModelLimits) =>
  Effect.gen(function*() {
    const sessions = sessionsIn(report)
    if (!Arr.isNonEmptyReadonlyArray(sessions)) return report
    // What was taken out goes from memory without a model, too.
    if (file.model === undefined) return yield* Effect.as(markDue, report)
    const loop = yield* remember({
      ...optionsOf(file),
      connectors: namesOf(sessions),
      max_calls,
      max_tokens
    }).pipe(Effect.provide(Live.model(file, file.model)))
    return remembered(report, loop)
  })

/**
 * The report, with what it took to make memory found by meaning. Where the index refuses that, it is said: what is
 * remembered is safe, and the next sync makes up for it.
 *
 * @since 0.1.0
 * @category programs
 */
export const embeddingMemory = (report: SyncReport) =>
  sessionsIn(report).length === 0 ? Effect.succeed(report) : embedMemory.pipe(
    Effect.map((done) => embedded(report, done)),
    Effect.catchTag("ProjectionError", ({ message }) =>
      Effect.as(
        Effect.logWarning(`${message}. What is remembered is safe, and is found once the index can be written`),
        report
      ))
  )

/**
 * The drift, with the sessions that wait to be read into memory, and with what that would cost where an estimate is asked
 * for. No model is asked, so its key need not be there.
 *
 * @since 0.1.0
 * @category programs
 */
export const foreseeing = (file: ConnectorsFile, options: DriftOptions) =>
  Effect.gen(function*() {
    const { model } = file
    if (model === undefined) return yield* drift(options)
    return yield* Effect.gen(function*() {
      const how = optionsOf(file)
      const look = Effect.gen(function*() {
        const ahead = yield* Ahead.make(how.policy)
        return { ahead, left: yield* waiting(ahead.live, how) }
      })
      // What a sync would archive is not there yet, and waits for no reading.
      const before = options.estimate ? yield* look : undefined
      const report = yield* drift(before === undefined ? options : { ...options, ahead: before.ahead })
      const sessions = report.connectors.filter(({ bytes }) => bytes !== undefined)
      if (!Arr.isNonEmptyReadonlyArray(sessions)) return report
      const { ahead, left } = before ?? (yield* look)
      const told = waitingIn(report, left, false)
      if (told.drift && !options.estimate) return told
      const spent = yield* estimate({ ...how, connectors: namesOf(sessions) }, ahead)
      const all = told.drift ? told : waitingIn(report, left, spent.consolidated.calls > 0)
      return options.estimate ? foreseen(all, spent) : all
    }).pipe(Effect.provide(Live.model(file, Live.withoutKey(model))))
  })
