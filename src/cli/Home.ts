/**
 * Which memory home is meant: `--home`, else `MEM_HOME`, else the nearest folder upward that holds `connectors.yaml`,
 * else the current folder.
 *
 * @since 0.1.0
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { global } from "./Global.ts"
import { UsageError } from "./UsageError.ts"

const upward = (folder: string): Effect.Effect<Option.Option<string>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const here = yield* Effect.orElseSucceed(fs.exists(path.join(folder, "connectors.yaml")), () => false)
    if (here) return Option.some(folder)
    const parent = path.dirname(folder)
    return parent === folder ? Option.none() : yield* upward(parent)
  })

const fromEnvironment = Config.nonEmptyString("MEM_HOME").pipe(Config.option, Effect.orElseSucceed(Option.none))

/**
 * The home of this run, as an absolute path. It need not exist.
 *
 * @since 0.1.0
 * @category home
 */
export const home = Effect.gen(function*() {
  const path = yield* Path.Path
  const named = (yield* global).home
  const chosen = Option.isSome(named) ? named : yield* fromEnvironment
  if (Option.isSome(chosen)) return path.resolve(chosen.value)
  const here = path.resolve(".")
  return Option.getOrElse(yield* upward(here), () => here)
})

/**
 * The home, for a command that makes sense only where something was stored: a mistyped one is told, and nothing is made
 * there.
 *
 * @since 0.1.0
 * @category home
 */
export const existingHome = (command: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* home
    const here = yield* Effect.orElseSucceed(fs.exists(path.join(folder, "log")), () => false)
    return here ? folder : yield* new UsageError({
      command,
      detail: `there is no memory in ${folder} yet; "mem sync" fills one, and --home DIR names another`
    })
  })
