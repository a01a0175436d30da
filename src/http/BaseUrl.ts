/**
 * The address of a server, as an option.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const expected = "expected an address like \"http://localhost:8080/v1\", without user, password, \"?\" or \"#\""

const urlOf = (text: string): URL | undefined => Either.getOrUndefined(Either.try(() => new URL(text)))

const isBase = (text: string): boolean => {
  const url = urlOf(text)
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    && !/[?#]/.test(text)
}

/**
 * An address below which a server answers. A key in it would be seen in errors and in fingerprints.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BaseUrl = Schema.String.annotations({ message: () => expected }).pipe(
  Schema.filter(isBase, { message: () => expected })
)

const noKey = "expected a key: letters, digits and punctuation, without blanks"

/**
 * A key that can stand in a header.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ApiKey = Schema.Redacted(
  Schema.String.annotations({ message: () => noKey }).pipe(
    Schema.filter((text) => /^[!-~]+$/.test(text), { message: () => noKey })
  )
)

/**
 * Scheme, host and port.
 *
 * @since 0.1.0
 * @category getters
 */
export const originOf = (base_url: string): string => urlOf(base_url)?.origin ?? base_url

/**
 * A name as a part of a fingerprint: printable, without blanks.
 *
 * @since 0.1.0
 * @category formatting
 */
export const nameOf = (name: string): string => encodeURI(name.toWellFormed())
