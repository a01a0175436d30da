/**
 * Addresses without what would let somebody in: they go into the log, which nothing is taken out of again.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"

const userInfo = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i

const secretName =
  /^(?:[a-z_-]*token|(?:api|access|auth|private|secret)?[_-]?key|auth|authorization|credential|pass|passwd|password|pwd|secret|sig|signature|x-(?:amz|goog)-(?:credential|security-token|signature))$/i

const decoded = Option.liftThrowable(decodeURIComponent)

const nameOf = (parameter: string): string => {
  const name = parameter.split("=", 1)[0] ?? ""
  return Option.getOrElse(decoded(name), () => name)
}

/** A query, or a fragment that is written like one. */
const withoutSecrets = (mark: "?" | "#", parameters: string): string => {
  const all = parameters.split("&")
  const kept = all.filter((parameter) => !(parameter.includes("=") && secretName.test(nameOf(parameter))))
  return kept.length === 0 ? "" : `${mark}${kept.join("&")}`
}

/**
 * The address without user name and password, and without the parameters whose names say that they are secret.
 *
 * @since 0.1.0
 * @category formatting
 */
export const withoutCredentials = (uri: string): string => {
  if (!/[@?#]/.test(uri)) return uri
  const [, place = "", query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(uri) ?? []
  return [
    place.replace(userInfo, "$1"),
    query === undefined ? "" : withoutSecrets("?", query),
    fragment === undefined ? "" : withoutSecrets("#", fragment)
  ].join("")
}
