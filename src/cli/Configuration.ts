/**
 * The `connectors.yaml` of the memory home.
 *
 * @since 0.1.0
 */
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Live from "../../layers/Live.ts"
import { parse } from "../config/ConnectorsYaml.ts"
import { maxBytes } from "../config/YamlTree.ts"
import { ConnectorsFileError } from "../domain/ConnectorErrors.ts"
import type { ConnectorName } from "../domain/Ids.ts"
import { references } from "../sync/references.ts"
import { home } from "./Home.ts"
import { UsageError } from "./UsageError.ts"

/**
 * The home has no `connectors.yaml`: nobody has begun yet, or another folder was meant.
 *
 * @since 0.1.0
 * @category errors
 */
export class NoConnectorsFile extends Schema.TaggedError<NoConnectorsFile>("mem/NoConnectorsFile")("NoConnectorsFile", {
  home: Schema.String
}) {
  override get message(): string {
    return `there is no connectors.yaml in ${this.home}; to begin, run "mem init --path NOTES" with the folder of your `
      + "notes, then \"mem sync\" (a memory that is elsewhere is named with --home DIR or MEM_HOME)"
  }
}

const unreadable = (folder: string, file: string) => (error: PlatformError.PlatformError) =>
  error._tag === "SystemError" && error.reason === "NotFound"
    ? new NoConnectorsFile({ home: folder })
    : new ConnectorsFileError({
      file,
      detail: error._tag === "SystemError" && error.reason === "PermissionDenied"
        ? "you may not read it"
        : `it cannot be read (${error.message})`
    })

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Read and understood, before anything is done.
 *
 * @since 0.1.0
 * @category configuration
 */
export const configuration = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* home
  const file = (yield* Path.Path).join(folder, "connectors.yaml")
  const { size, type } = yield* Effect.mapError(fs.stat(file), unreadable(folder, file))
  // A pipe would be waited for without an end, and a device read without one.
  if (type !== "File" || size > maxBytes) {
    return yield* new ConnectorsFileError({
      file,
      detail: type === "File" ? `it has ${size} bytes, the most is ${maxBytes}` : "it is no regular file"
    })
  }
  const bytes = yield* Effect.mapError(fs.readFile(file), unreadable(folder, file))
  const text = yield* Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => new ConnectorsFileError({ file, detail: "it is not UTF-8" })
  })
  return { home: folder, file: yield* parse(text, file) }
})

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

/**
 * The connectors that a command is about: the named one, or all of them.
 *
 * @since 0.1.0
 * @category configuration
 */
export const chosen = (
  command: string,
  name: Option.Option<string>,
  names: ReadonlyArray<ConnectorName>
): Effect.Effect<ReadonlyArray<ConnectorName>, UsageError> => {
  if (names.length === 0) {
    return new UsageError({
      command: "mem init",
      detail:
        "connectors.yaml names no connector yet: write one into it, or take the comment marks from an example there"
    })
  }
  if (Option.isNone(name)) return Effect.succeed(names)
  const found = names.filter((each) => each === name.value)
  return found.length > 0
    ? Effect.succeed(found)
    : new UsageError({
      command,
      detail: `there is no connector ${JSON.stringify(name.value)}; connectors.yaml names ${quoted(names)}`
    })
}

/**
 * The connector of that name, if `connectors.yaml` has it or memory holds documents of it. A home without the file, or
 * with one that has a mistake, is no hindrance to look at what is stored.
 *
 * @since 0.1.0
 * @category configuration
 */
export const knownName = (command: string, name: string, stored: Iterable<ConnectorName>) =>
  Effect.gen(function*() {
    const configured = yield* Effect.map(
      Effect.option(configuration),
      Option.match({ onNone: () => [], onSome: ({ file }) => file.connectors.map(({ name }) => name) })
    )
    const names = [...new Set([...configured, ...stored])]
    const found = names.find((each) => each === name)
    return found === undefined
      ? yield* new UsageError({
        command,
        detail: `there is no connector ${JSON.stringify(name)}`
          + (names.length === 0 ? "" : `; there is ${quoted(names)}`)
      })
      : found
  })

/**
 * As {@link knownName}. Memory is read only where `connectors.yaml` does not have the name.
 *
 * @since 0.1.0
 * @category configuration
 */
export const knownOrStored = (command: string, name: string, home: string) =>
  Effect.catchTag(knownName(command, name, []), "UsageError", () =>
    Effect.flatMap(
      Effect.provide(references, Live.read(home)),
      ({ documents, sessions }) =>
        knownName(command, name, [...documents, ...sessions].map(({ connector }) => connector))
    ))
