/**
 * Globs over paths with `/`, as people write them in `include`, `exclude` and `--path`.
 *
 * @since 0.1.0
 */
import picomatch from "picomatch"

/**
 * Whether a path matches any of the patterns. Case counts, a leading dot is no special character, `!` and `()` mean
 * themselves; `*` stays within a folder, `**` does not. A line break is like any other character.
 *
 * @since 0.1.0
 * @category matching
 */
export const matcher = (patterns: ReadonlyArray<string>): (path: string) => boolean => {
  const matches = patterns.map((pattern) =>
    picomatch(pattern, { dot: true, nonegate: true, noextglob: true, nocase: false, windows: false, flags: "s" })
  )
  return (path) => matches.some((match) => match(path))
}
