/**
 * From the text of `connectors.yaml` to what it means. Each error names file, line and key, and never the value.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ConnectorsFileError } from "../domain/ConnectorErrors.ts"
import {
  Chunking,
  ConnectorOptions,
  ConnectorsFile,
  EmbedderOptions,
  Guards,
  Limits,
  ModelOptions,
  ProfileOptions
} from "../domain/ConnectorsFile.ts"
import { ConnectorName } from "../domain/Ids.ts"
import { emptyList, firstIssue, type KeyIssue, keyPath } from "./KeyPath.ts"
import { malformedReference } from "./Secrets.ts"
import { parseYaml } from "./YamlTree.ts"

type Path = ReadonlyArray<PropertyKey>
type Checked<A> = Either.Either<A, KeyIssue>

const decodeAt = <A, I>(schema: Schema.Schema<A, I>, value: unknown, path: Path): Checked<A> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(value), (error) => {
    const issue = firstIssue(error)
    return { path: [...path, ...issue.path], detail: issue.detail }
  })

const Options = Schema.Record({ key: Schema.String, value: Schema.Unknown })
type Options = typeof Options.Type

/** A section whose lines were all commented out is an empty one. */
const optionsAt = (value: unknown, path: Path): Checked<Options> => decodeAt(Options, value ?? {}, path)

const forEach = <A, B>(items: ReadonlyArray<A>, f: (item: A) => Checked<B>): Checked<Array<B>> =>
  Either.gen(function*() {
    const out: Array<B> = []
    for (const item of items) out.push(yield* f(item))
    return out
  })

const checkReferences = (value: unknown, path: Path): Checked<unknown> => {
  if (Predicate.isString(value)) {
    const detail = malformedReference(value)
    return detail === undefined ? Either.right(value) : Either.left({ path, detail })
  }
  return Predicate.isObject(value)
    ? forEach(Object.entries(value), ([key, item]) => checkReferences(item, [...path, key]))
    : Either.right(value)
}

const Top = Schema.Struct({
  connectors: Schema.optional(Schema.Unknown),
  chunking: Schema.optional(Schema.Unknown),
  embedder: Schema.optional(Schema.Unknown),
  model: Schema.optional(Schema.Unknown),
  profiles: Schema.optional(Schema.Unknown),
  guards: Schema.optional(Schema.Unknown)
})

const Kind = Schema.Struct({
  kind: Schema.String.pipe(
    Schema.nonEmptyString({ message: () => "expected the kind of connector, embedder or model" })
  )
})

const notOnOff = () => ({ message: "expected on or off", override: true })

const OnOff = Schema.Union(Schema.Boolean, Schema.Literal("on", "off")).annotations({ message: notOnOff })

const isOn = (value: typeof OnOff.Type): boolean => value === true || value === "on"

const Questions = Schema.NonEmptyArray(
  Schema.String.pipe(Schema.nonEmptyString({ message: () => "expected a question" }))
)

const ProfileName = Schema.String.pipe(
  Schema.filter((name) => name.trim() !== "" && name.isWellFormed(), { message: () => "expected a name for a profile" })
)

const limitKeys: ReadonlyArray<string> = Object.keys(Limits.fields)

const pick = (options: Options, wanted: (key: string) => boolean): Options =>
  Object.fromEntries(Object.entries(options).filter(([key]) => wanted(key)))

const connector = (name: string, value: unknown): Checked<ConnectorOptions> =>
  Either.gen(function*() {
    const path = ["connectors", name]
    const decoded = yield* decodeAt(ConnectorName, name, []).pipe(
      Either.mapLeft(({ detail }) => ({ path, detail }))
    )
    const options = yield* optionsAt(value, path)
    const { kind } = yield* decodeAt(Kind, pick(options, (key) => key === "kind"), path)
    const limits = yield* decodeAt(Limits, pick(options, (key) => limitKeys.includes(key)), path)
    const chunking = yield* decodeAt(Chunking, options["chunking"] ?? {}, [...path, "chunking"])
    const scrub = options["scrub"] === undefined
      ? undefined
      : isOn(yield* decodeAt(OnOff, options["scrub"], [...path, "scrub"]))
    const engine = ["kind", "chunking", "scrub", ...limitKeys]
    const own = pick(options, (key) => !engine.includes(key))
    yield* checkReferences(own, path)
    return new ConnectorOptions({
      name: decoded,
      kind,
      limits,
      chunking,
      ...(scrub === undefined ? {} : { scrub }),
      options: own
    })
  })

const embedder = (value: unknown): Checked<EmbedderOptions> =>
  Either.gen(function*() {
    const path = ["embedder"]
    const options = yield* optionsAt(value ?? { kind: "minilm" }, path)
    const { kind } = yield* decodeAt(Kind, pick(options, (key) => key === "kind"), path)
    const own = pick(options, (key) => key !== "kind")
    yield* checkReferences(own, path)
    return new EmbedderOptions({ kind, options: own })
  })

const model = (value: unknown): Checked<ModelOptions> =>
  Either.gen(function*() {
    const path = ["model"]
    const options = yield* optionsAt(value, path)
    const { kind } = yield* decodeAt(Kind, pick(options, (key) => key === "kind"), path)
    const own = pick(options, (key) => key !== "kind")
    yield* checkReferences(own, path)
    return new ModelOptions({ kind, options: own })
  })

/** A question alone is a list of one. */
const profiles = (value: unknown): Checked<ReadonlyArray<ProfileOptions>> =>
  Either.gen(function*() {
    const written = yield* optionsAt(value, ["profiles"])
    return yield* forEach(Object.entries(written), ([given, questions]) =>
      Either.zipWith(
        decodeAt(ProfileName, given, ["profiles", given]),
        Either.mapLeft(
          decodeAt(Questions, Predicate.isString(questions) ? [questions] : questions, ["profiles", given]),
          (issue) =>
            issue.detail === emptyList ? { ...issue, detail: `${emptyList}: write at least one question` } : issue
        ),
        (name, questions) => new ProfileOptions({ name, questions })
      ))
  })

/**
 * Understands the text of a `connectors.yaml`; `file` is how errors call it. Variables stay unresolved, and a kind is
 * not looked up: a file can be read without any connector.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (text: string, file = "connectors.yaml"): Either.Either<ConnectorsFile, ConnectorsFileError> =>
  Either.gen(function*() {
    const { keys, value } = yield* Either.mapLeft(
      parseYaml(text),
      ({ detail, line, path }) =>
        new ConnectorsFileError({ file, line, key_path: path.length === 0 ? undefined : keyPath(path), detail })
    )
    const lines = new Map(keys.map(({ line, path }) => [ConnectorsFile.lineKey(path), line]))
    const none = new ConnectorsFile({
      file,
      connectors: [],
      chunking: new Map(),
      embedder: new EmbedderOptions({ kind: "minilm", options: {} }),
      guards: new Guards(),
      lines
    })

    return yield* Either.gen(function*() {
      const top = yield* decodeAt(Top, value ?? {}, [])
      const connectors = yield* optionsAt(top.connectors, ["connectors"])
      const chunking = yield* optionsAt(top.chunking, ["chunking"])
      const asked = yield* profiles(top.profiles)
      // An object would bring names that look like numbers to the front.
      const names = keys.flatMap(({ path: [section, name, ...deeper] }) =>
        section === "connectors" && name !== undefined && deeper.length === 0 ? [name] : []
      )
      return new ConnectorsFile({
        file,
        connectors: yield* forEach(names, (name) => connector(name, connectors[name])),
        chunking: new Map(
          yield* forEach(Object.entries(chunking), ([kind, options]) =>
            Either.map(
              decodeAt(Chunking, options ?? {}, ["chunking", kind]),
              (decoded) => [kind, decoded] as const
            ))
        ),
        embedder: yield* embedder(top.embedder),
        ...(top.model === undefined ? {} : { model: yield* model(top.model) }),
        ...(Arr.isNonEmptyReadonlyArray(asked) ? { profiles: asked } : {}),
        guards: yield* decodeAt(Guards, top.guards ?? {}, ["guards"]),
        lines
      })
    }).pipe(
      Either.mapLeft(({ detail, path }) =>
        new ConnectorsFileError({
          file,
          line: none.lineOf(path),
          key_path: path.length === 0 ? undefined : keyPath(path),
          detail
        })
      )
    )
  })
