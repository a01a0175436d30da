/**
 * The layers of a real memory home, composed once. A command takes only what it needs: what reads cannot write.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import type { LogReader } from "../services/LogReader.ts"
import * as Segments from "./Log/Segments.ts"
import * as NodeLogFs from "./LogFs/Node.ts"

/**
 * What a command that only reads the log needs.
 *
 * @since 0.1.0
 * @category layers
 */
export const readLog = (home: string): Layer.Layer<LogReader> =>
  Layer.provide(Segments.reader({ home }), NodeLogFs.layer)
