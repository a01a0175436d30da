/**
 * Where the options of the connector that is being opened were written, so that an error can name file and line. An
 * app that opens a connector without a file need not say anything.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import { keyPath } from "./KeyPath.ts"

/**
 * A file of options, and the lines of its keys.
 *
 * @since 0.1.0
 * @category models
 */
export interface OptionsFile {
  readonly file: string
  readonly lineOf: (path: ReadonlyArray<PropertyKey>) => number | undefined
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Origin extends Context.Reference<Origin>()("mem/Origin", {
  defaultValue: (): OptionsFile | undefined => undefined
}) {}

/**
 * `connectors.yaml:7: connectors.papers.url`, or the path alone where there is no file.
 *
 * @since 0.1.0
 * @category formatting
 */
export const place = (origin: OptionsFile | undefined, path: ReadonlyArray<PropertyKey>): string =>
  [
    ...(origin === undefined
      ? []
      : [[origin.file, origin.lineOf(path)].filter((part) => part !== undefined).join(":")]),
    keyPath(path)
  ].join(": ")
