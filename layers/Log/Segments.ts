/**
 * The log as files: segments below `log/segments` of a memory home.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogFs } from "../../services/LogFs.ts"
import { LogReader, type LogReadError } from "../../services/LogReader.ts"
import { LogWriter } from "../../services/LogWriter.ts"
import type { LogLocked } from "../../src/domain/LogErrors.ts"
import * as SegmentReader from "./SegmentReader.ts"
import * as SegmentWriter from "./SegmentWriter.ts"

/**
 * Reads; never writes, locks or recovers.
 *
 * @since 0.1.0
 * @category layers
 */
export const reader = (options: { readonly home: string }): Layer.Layer<LogReader, never, LogFs> =>
  Layer.effect(LogReader, Effect.map(LogFs, (fs) => SegmentReader.make(fs, options.home)))

/**
 * Writes: holds the lock as long as it lives, and has recovered the log before anybody can ask for it.
 *
 * @since 0.1.0
 * @category layers
 */
export const writer = (
  options: { readonly home: string } & Partial<SegmentWriter.WriterOptions>
): Layer.Layer<LogWriter, LogLocked | LogReadError, LogFs> =>
  Layer.scoped(
    LogWriter,
    Effect.flatMap(LogFs, (fs) => SegmentWriter.make(fs, { ...SegmentWriter.defaults, ...options }))
  )
