/**
 * `${NAME}` in an option stands for an environment variable. It is looked up when the connector is opened and not
 * before, so that a missing token of one connector is no other's trouble; and what it stood for is taken out of every
 * text that leaves the connector.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

const maxDepth = 64
const reference = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/g

/**
 * A value that must not be seen, and what is shown in its place.
 *
 * @since 0.1.0
 * @category models
 */
export interface Secret {
  readonly shown: string
  readonly value: Redacted.Redacted
}

/**
 * Options with every variable in its place, and the values that came in.
 *
 * @since 0.1.0
 * @category models
 */
export interface Resolved {
  readonly options: Redacted.Redacted<unknown>
  readonly secrets: ReadonlyArray<Secret>
}

/**
 * A reference that leads nowhere, at `path` of the options.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unresolved {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
  readonly advice: string
}

const malformed = "\"${\" begins no variable here"
const malformedAdvice = "write ${NAME}, or $${ for the characters themselves"

/**
 * What is wrong with the references of a text, if anything is.
 *
 * @since 0.1.0
 * @category predicates
 */
export const malformedReference = (text: string): string | undefined =>
  [...text.matchAll(reference)].some(([found, name]) => found === "${" && name === undefined)
    ? `${malformed}: ${malformedAdvice}`
    : undefined

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

const lookUp = (variable: string, path: ReadonlyArray<PropertyKey>): Effect.Effect<Secret, Unresolved> =>
  Config.redacted(variable).pipe(
    Effect.filterOrFail((value) => Redacted.value(value) !== "", () => "empty"),
    Effect.mapBoth({
      onFailure: (why) => ({
        path,
        detail: `the environment variable ${variable} is ${why === "empty" ? "empty" : "not set"}`,
        advice: "set it and run the command again"
      }),
      onSuccess: (value) => ({ shown: `\${${variable}}`, value })
    })
  )

/**
 * Looks up every `${NAME}` in the strings of these options, at any depth. Keys are left alone, and so is everything
 * that YAML could not have written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const resolve = (options: unknown): Effect.Effect<Resolved, Unresolved> =>
  Effect.gen(function*() {
    const secrets = new Map<string, Secret>()

    const text = (value: string, path: ReadonlyArray<PropertyKey>): Effect.Effect<string, Unresolved> =>
      Effect.gen(function*() {
        for (const [found, variable] of value.matchAll(reference)) {
          if (variable !== undefined && !secrets.has(variable)) secrets.set(variable, yield* lookUp(variable, path))
          if (found === "${") return yield* Effect.fail({ path, detail: malformed, advice: malformedAdvice })
        }
        return value.replaceAll(reference, (_, variable?: string) => {
          const secret = variable === undefined ? undefined : secrets.get(variable)
          return secret === undefined ? "${" : Redacted.value(secret.value)
        })
      })

    const walk = (value: unknown, path: ReadonlyArray<PropertyKey>): Effect.Effect<unknown, Unresolved> => {
      if (Predicate.isString(value)) return text(value, path)
      if (!Predicate.isObject(value) || path.length > maxDepth) return Effect.succeed(value)
      if (Array.isArray(value)) return Effect.forEach(value, (item, i) => walk(item, [...path, i]))
      if (!isPlain(value)) return Effect.succeed(value)
      const entries = Object.entries(value)
      return Effect.map(
        Effect.forEach(
          entries,
          ([key, item]) => Effect.map(walk(item, [...path, key]), (done) => [key, done] as const)
        ),
        Object.fromEntries
      )
    }

    const resolved = yield* walk(options, [])
    return { options: Redacted.make(resolved), secrets: [...secrets.values()] }
  })

/**
 * What a decoded configuration holds as `Redacted`: a secret that was written into the file is one all the same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const secretsIn = (config: unknown, depth = 0): ReadonlyArray<Secret> => {
  if (Redacted.isRedacted(config)) {
    const value = Redacted.value(config)
    return Predicate.isString(value) ? [{ shown: "<redacted>", value: Redacted.make(value) }] : []
  }
  return Predicate.isObject(config) && depth < maxDepth
    ? Object.values(config).flatMap((value) => secretsIn(value, depth + 1))
    : []
}

const spellings = (value: string): ReadonlyArray<string> => {
  const text = value.toWellFormed()
  return [value, encodeURIComponent(text), encodeURI(text), JSON.stringify(value).slice(1, -1)]
}

/**
 * Takes secrets out of a text, also where it was escaped for a URL or for JSON.
 *
 * @since 0.1.0
 * @category formatting
 */
export const hide = (secrets: ReadonlyArray<Secret>): (text: string) => string => {
  // The longest first: a secret may hold another one.
  const shown = secrets
    .flatMap(({ shown, value }) => spellings(Redacted.value(value)).map((spelling) => [spelling, shown] as const))
    .filter(([spelling]) => spelling !== "")
    .sort(([a], [b]) => b.length - a.length)
  return (text) => shown.reduce((text, [spelling, instead]) => text.replaceAll(spelling, () => instead), text)
}
