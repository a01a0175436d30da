/**
 * What a person sits in front of, if one does: whether standard output may be coloured, and where progress can be
 * painted.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { coloursOf } from "./PlainConsole.ts"

/**
 * A terminal behind standard error. What is written stands on its last line.
 *
 * @since 0.1.0
 * @category models
 */
export interface Screen {
  readonly columns: () => number
  readonly write: (text: string) => void
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Terminal extends Context.Tag("mem/cli/Terminal")<Terminal, {
  /** Standard output is a terminal: what is printed there must not act on it. */
  readonly reads: boolean
  /** And it may be coloured. */
  readonly colours: boolean
  readonly screen: Option.Option<Screen>
}>() {}

const defaultColumns = 80

/**
 * By what the process writes to, and by its environment.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  { env, stderr, stdout }: {
    readonly env: { readonly [name: string]: string | undefined }
    readonly stdout: { readonly isTTY?: boolean }
    readonly stderr: {
      readonly isTTY?: boolean
      readonly columns?: number
      readonly write: (text: string) => unknown
    }
  }
): Layer.Layer<Terminal> =>
  Layer.succeed(Terminal, {
    reads: stdout.isTTY === true,
    colours: coloursOf({ env, stderr, stdout }).stdout,
    screen: stderr.isTTY === true
      ? Option.some({
        // A terminal that does not know its width says 0.
        columns: () => stderr.columns === undefined || stderr.columns === 0 ? defaultColumns : stderr.columns,
        write: (text: string) => {
          stderr.write(text)
        }
      })
      : Option.none()
  })
