/**
 * A console for the parser's help and error texts, which are coloured even in a pipe. Colours are left only where a
 * person looks: on a terminal, unless NO_COLOR is set.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { stripVTControlCharacters } from "node:util"

/**
 * Whether the output of each stream may be coloured.
 *
 * @since 0.1.0
 * @category models
 */
export interface Colours {
  readonly stdout: boolean
  readonly stderr: boolean
}

/**
 * By what the process writes to, and by its environment (https://no-color.org: set and not empty).
 *
 * @since 0.1.0
 * @category constructors
 */
export const coloursOf = (
  { env, stderr, stdout }: {
    readonly env: { readonly [name: string]: string | undefined }
    readonly stdout: { readonly isTTY?: boolean }
    readonly stderr: { readonly isTTY?: boolean }
  }
): Colours => {
  const wanted = (env["NO_COLOR"] ?? "") === ""
  return { stdout: wanted && stdout.isTTY === true, stderr: wanted && stderr.isTTY === true }
}

const plain = (part: unknown): unknown => typeof part === "string" ? stripVTControlCharacters(part) : part

/**
 * The console that is in use, without colours where there may be none.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (colours: Colours): Layer.Layer<never> =>
  Layer.unwrapEffect(Console.consoleWith((console) =>
    Effect.succeed(Console.setConsole<Console.Console>({
      ...console,
      log: (...parts) => console.log(...(colours.stdout ? parts : parts.map(plain))),
      error: (...parts) => console.error(...(colours.stderr ? parts : parts.map(plain)))
    }))
  ))
