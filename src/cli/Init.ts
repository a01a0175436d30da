/**
 * `mem init`: writes a commented `connectors.yaml` into the home. It never overwrites one.
 *
 * @since 0.1.0
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { homedir } from "node:os"
import { answer } from "./Answer.ts"
import { global } from "./Global.ts"
import { home } from "./Home.ts"
import { starterFile } from "./StarterFile.ts"
import { UsageError } from "./UsageError.ts"
import { wrapped } from "./Words.ts"

/**
 * The home could not be written to.
 *
 * @since 0.1.0
 * @category errors
 */
export class InitError extends Schema.TaggedError<InitError>("mem/InitError")("InitError", {
  file: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot write ${this.file}: ${this.detail}; choose another home with --home DIR, or mend its permissions`
  }
}

const refuse = (detail: string) => new UsageError({ command: "mem init", detail })

const isReason = (error: PlatformError.PlatformError, reason: PlatformError.SystemErrorReason): boolean =>
  error._tag === "SystemError" && error.reason === reason

/** A shell leaves the tilde of a quoted path, or of `--path=~/notes`, as it is. */
const withoutTilde = (path: string): string =>
  path === "~" || path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path

/** Where the notes are, as an absolute path to a folder. */
const notesAt = (given: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const absolute = (yield* Path.Path).resolve(withoutTilde(given))
    const info = yield* Effect.mapError(fs.stat(absolute), (error) =>
      refuse(
        isReason(error, "NotFound")
          ? `--path: there is no folder ${absolute}`
          : `--path: ${absolute} cannot be looked at (${error.message})`
      ))
    return info.type === "Directory" ? absolute : yield* refuse(`--path: ${absolute} is no folder`)
  })

/** Relative where the notes lie in the home, so that both can be moved together. */
const written = (path: Path.Path, folder: string, notes: string): string => {
  const relative = path.relative(folder, notes)
  if (relative === "") return "."
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
    ? notes
    : `.${path.sep}${relative}`
}

const exists = (folder: string, file: string): UsageError =>
  refuse(
    `${file} is there already, and is not overwritten; edit it, or choose another home than ${folder} with --home DIR`
  )

/**
 * The command.
 *
 * @since 0.1.0
 * @category commands
 */
export const init = Command.make("init", {
  path: Options.text("path").pipe(
    Options.withPseudoName("NOTES"),
    Options.withDescription("The folder of your notes: Markdown and plain text"),
    Options.optional
  )
}, (given) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* home
    const file = path.join(folder, "connectors.yaml")
    // Before the path is asked for: whoever runs it twice should hear that, and nothing else.
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return yield* exists(folder, file)
    const notes = yield* Effect.transposeMapOption(given.path, notesAt)
    const text = starterFile(Option.getOrUndefined(Option.map(notes, (at) => written(path, folder, at))))
    yield* Effect.zipRight(
      fs.makeDirectory(folder, { recursive: true, mode: 0o700 }),
      fs.writeFileString(file, text, { flag: "wx", mode: 0o600 })
    ).pipe(
      Effect.mapError((error) =>
        isReason(error, "AlreadyExists") ? exists(folder, file) : new InitError({ file, detail: error.message })
      )
    )
    const named = Option.match((yield* global).home, { onNone: () => "", onSome: (dir) => ` --home ${dir}` })
    yield* answer({
      document: {
        command: "init",
        ok: true,
        home: folder,
        file,
        ...Option.match(notes, { onNone: () => ({}), onSome: (path) => ({ path }) })
      },
      lines: [
        ...wrapped("", `wrote ${file}`),
        ...Option.match(notes, {
          onNone: () => [
            ...wrapped("", "It names no connector yet: open it, and name the folder of your notes as it shows."),
            ...wrapped("", `Then "mem sync${named}" reads them into memory.`)
          ],
          onSome: (at) => [
            ...wrapped("", `It names the notes in ${at}`),
            ...wrapped("", `Now "mem sync${named}" reads them into memory, and "mem search${named} WORDS" finds them.`)
          ]
        }),
        ...wrapped("", "The model for search by meaning is an English one; the file says how to choose another.")
      ]
    })
  })).pipe(Command.withDescription("Write a commented connectors.yaml into the home. It never overwrites one."))
