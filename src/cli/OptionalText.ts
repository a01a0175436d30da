/**
 * An option of a command that takes a text and may be left out.
 *
 * @since 0.1.0
 */
import * as Options from "@effect/cli/Options"
import type * as Option from "effect/Option"

/**
 * `value` is how the help calls what it takes.
 *
 * @since 0.1.0
 * @category options
 */
export const optionalText = (
  name: string,
  value: string,
  description: string
): Options.Options<Option.Option<string>> =>
  Options.text(name).pipe(
    Options.withPseudoName(value),
    Options.withDescription(description),
    Options.optional
  )
