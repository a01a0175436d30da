/**
 * The embedder of a `connectors.yaml`. A kind that nobody knows and an option that is wrong are mistakes of the file, and
 * nothing is done.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Embedder } from "../../services/Embedder.ts"
import type { ConfiguredEmbedder, RegisteredEmbedder } from "../../src/config/embedderKind.ts"
import { keyPath } from "../../src/config/KeyPath.ts"
import { type OptionsFile, Origin } from "../../src/config/Origin.ts"
import { ConnectorsFileError } from "../../src/domain/ConnectorErrors.ts"
import type { ConnectorsFile } from "../../src/domain/ConnectorsFile.ts"
import type { EmbedderError } from "../../src/domain/EmbedderErrors.ts"
import { EmbedderStatus } from "../../src/domain/EmbedderStatus.ts"
import * as Hashed from "./Hashed.ts"
import * as MiniLm from "./MiniLm.ts"
import * as Ollama from "./Ollama.ts"
import * as OnnxFolder from "./OnnxFolder.ts"
import * as OpenAiCompatible from "./OpenAiCompatible.ts"

/**
 * The kinds that mem has itself.
 *
 * @since 0.1.0
 * @category constants
 */
export const kinds: ReadonlyArray<RegisteredEmbedder> = [
  MiniLm.kind,
  OnnxFolder.kind,
  OpenAiCompatible.kind,
  Ollama.kind,
  Hashed.kind
]

const section = "embedder"

/** Where its options stand: a path among them is relative to the file. */
const originOf = (file: ConnectorsFile): OptionsFile => ({
  file: file.file,
  lineOf: (path) => file.lineOf([section, ...path])
})

const mistake = (file: ConnectorsFile, path: ReadonlyArray<PropertyKey>, detail: string): ConnectorsFileError =>
  new ConnectorsFileError({
    file: file.file,
    line: file.lineOf([section, ...path]),
    key_path: keyPath([section, ...path]),
    detail
  })

const kindOf = (
  file: ConnectorsFile,
  known: ReadonlyArray<RegisteredEmbedder>
): Effect.Effect<RegisteredEmbedder, ConnectorsFileError> =>
  Effect.suspend(() => {
    const { kind } = file.embedder
    const names = known.map((kind) => JSON.stringify(kind.kind)).join(", ")
    const found = known.find((registered) => registered.kind === kind)
    return found === undefined
      ? mistake(file, ["kind"], `there is no kind of embedder ${JSON.stringify(kind)}; known: ${names}`)
      : Effect.succeed(found)
  })

const configure = (
  file: ConnectorsFile,
  kind: RegisteredEmbedder
): Effect.Effect<ConfiguredEmbedder, ConnectorsFileError> =>
  Effect.mapError(kind.configure(file.embedder.options), ({ detail, path }) => mistake(file, path, detail))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  file: ConnectorsFile,
  known: ReadonlyArray<RegisteredEmbedder> = kinds
): Effect.Effect<Embedder["Type"], ConnectorsFileError | EmbedderError, Scope.Scope> =>
  kindOf(file, known).pipe(
    Effect.flatMap((kind) => configure(file, kind)),
    Effect.flatMap(({ make }) => make),
    Effect.provideService(Origin, originOf(file))
  )

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  file: ConnectorsFile,
  known: ReadonlyArray<RegisteredEmbedder> = kinds
): Layer.Layer<Embedder, ConnectorsFileError | EmbedderError> => Layer.scoped(Embedder, make(file, known))

/**
 * What the file's embedder is, and which engines could run it here: they are probed, nothing is embedded.
 *
 * @since 0.1.0
 * @category probing
 */
export const status = (
  file: ConnectorsFile,
  known: ReadonlyArray<RegisteredEmbedder> = kinds
): Effect.Effect<EmbedderStatus, ConnectorsFileError> =>
  Effect.gen(function*() {
    const kind = yield* kindOf(file, known)
    const { engines } = yield* configure(file, kind)
    const { kind: name, remark } = kind
    return yield* Effect.match(Effect.provideService(engines, Origin, originOf(file)), {
      onFailure: ({ advice, detail }) =>
        new EmbedderStatus({ kind: name, remark, problem: `${detail}; ${advice}`, engines: [] }),
      onSuccess: (engines) => new EmbedderStatus({ kind: name, remark, engines })
    })
  })
