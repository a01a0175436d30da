/**
 * Logs for a person, on standard error: `mem: warning: notes.jsonl:3: not JSON`. Standard output is for data.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { printable } from "./Printable.ts"

const words: ReadonlyMap<string, string> = new Map([
  ["WARN", "warning"],
  ["ERROR", "error"],
  ["FATAL", "error"],
  ["INFO", "info"],
  ["DEBUG", "debug"],
  ["TRACE", "trace"]
])

const text = (part: unknown): string => printable(typeof part === "string" ? part : Inspectable.toStringUnknown(part))

const logger = Logger.make<unknown, string>(({ annotations, logLevel, message }) =>
  [
    `mem: ${words.get(logLevel.label) ?? logLevel.label}:`,
    ...Arr.ensure(message).map(text),
    ...HashMap.toEntries(annotations).map(([key, value]) => `${key}=${text(value)}`)
  ].join(" ")
)

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(logger))
