/**
 * The options of a folder connector, and the folder that is meant.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import type { OptionsFile } from "../../../src/config/Origin.ts"

/**
 * A glob as people write it, made relative to the root: `./a`, `/a` and `a/` are `a`.
 *
 * @since 0.1.0
 * @category getters
 */
export const relative = (glob: string): string => glob.replace(/^(?:\.?\/)+/, "").replace(/(?<=.)\/+$/, "")

const path = "expected the path of a folder"
const globs = "expected a list of globs, like [\"**/*.md\"]"

const Path = Schema.String.annotations({ message: () => path }).pipe(
  Schema.filter((text) => text.trim() !== "" && !text.includes("\0"), { message: () => path })
)

const maxGlob = 4096

const Glob = Schema.String.annotations({ message: () => globs }).pipe(
  Schema.filter((text) => relative(text).trim() !== "" && text.length <= maxGlob, { message: () => globs })
)

const Globs = Schema.Array(Glob).annotations({ message: () => globs })

/**
 * What is taken where `include` is not there.
 *
 * @since 0.1.0
 * @category constants
 */
export const defaultInclude: ReadonlyArray<string> = ["**/*.md", "**/*.markdown", "**/*.txt"]

/**
 * `path` is relative to the file that holds it; `~/` is the home folder. Globs are relative to `path`. `read_evicted`
 * reads what looks, on macOS, like a file whose content is in iCloud.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Config = Schema.Struct({
  path: Path,
  include: Schema.optionalWith(
    Globs.pipe(Schema.filter((list) => list.length > 0, { message: () => "expected at least one glob" })),
    { exact: true, default: () => defaultInclude }
  ),
  exclude: Schema.optionalWith(Globs, { exact: true, default: () => [] }),
  read_evicted: Schema.optionalWith(Schema.Boolean, { exact: true, default: () => false })
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type Config = typeof Config.Type

/**
 * The folder that an option means, as an absolute path.
 *
 * @since 0.1.0
 * @category getters
 */
export const folderOf = (path: string, origin: OptionsFile | undefined): string => {
  const [, inHome] = /^~(?:\/+(.*))?$/s.exec(path) ?? []
  if (path === "~" || inHome !== undefined) return resolve(homedir(), inHome ?? "")
  return resolve(...(origin === undefined ? [] : [dirname(origin.file)]), path)
}
