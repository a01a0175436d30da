/**
 * The layers of a real memory home, composed once. A command takes only what it needs: what reads cannot write, and
 * what is heavy to load is loaded by whoever asks for it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Struct from "effect/Struct"
import type { ArtifactRegistry } from "../services/ArtifactRegistry.ts"
import type { Connectors } from "../services/Connectors.ts"
import type { Embedder } from "../services/Embedder.ts"
import type { LanguageModel } from "../services/LanguageModel.ts"
import { LogFs } from "../services/LogFs.ts"
import type { LogLock } from "../services/LogLock.ts"
import type { LogReader, LogReadError } from "../services/LogReader.ts"
import type { LogWriter } from "../services/LogWriter.ts"
import type { ManifestStore } from "../services/ManifestStore.ts"
import type { MemoryIndex } from "../services/MemoryIndex.ts"
import type { ProgressStore } from "../services/ProgressStore.ts"
import type { Projection } from "../services/Projection.ts"
import type { RecordIndex } from "../services/RecordIndex.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import type { VectorIndex } from "../services/VectorIndex.ts"
import type { ConnectorsFileError } from "../src/domain/ConnectorErrors.ts"
import { type ConnectorsFile, ModelOptions } from "../src/domain/ConnectorsFile.ts"
import type { EmbedderError } from "../src/domain/EmbedderErrors.ts"
import type { EmbedderStatus } from "../src/domain/EmbedderStatus.ts"
import type { LogLocked } from "../src/domain/LogErrors.ts"
import type { ModelStatus } from "../src/domain/ModelStatus.ts"
import type { ProjectionError } from "../src/domain/StoreErrors.ts"
import type { TokenCounterError } from "../src/domain/TokenCounterErrors.ts"
import type { Loss } from "../src/log/Loss.ts"
import { connectorKind } from "../src/sync/connectorKind.ts"
import * as ArtifactsFromLog from "./ArtifactRegistry/FromLog.ts"
import * as Registry from "./ConnectorKinds/Registry.ts"
import * as Configured from "./Connectors/Configured.ts"
import { mend } from "./Log/Mending.ts"
import * as Segments from "./Log/Segments.ts"
import * as Tolerant from "./Log/Tolerant.ts"
import * as NodeLogFs from "./LogFs/Node.ts"
import * as LockFile from "./LogLock/File.ts"
import * as Manifests from "./ManifestStore/Files.ts"
import * as NoMemoryIndex from "./MemoryIndex/None.ts"
import * as Progress from "./ProgressStore/Files.ts"
import * as MemoryProjection from "./Projection/Memory.ts"
import type { Readers } from "./Projection/Readable.ts"
import * as RecordsFromLog from "./RecordIndex/FromLog.ts"
import * as ClaudeCode from "./SourceConnector/ClaudeCode.ts"
import * as Codex from "./SourceConnector/Codex.ts"
import * as Folder from "./SourceConnector/Folder.ts"
import * as Pi from "./SourceConnector/Pi.ts"
import * as VectorsFromLog from "./VectorIndex/FromLog.ts"

/**
 * What a command that checks the log needs: damage is an error.
 *
 * @since 0.1.0
 * @category layers
 */
export const readLog = (home: string): Layer.Layer<LogReader> =>
  Layer.provide(Segments.reader({ home }), NodeLogFs.layer)

const stores = (home: string): Layer.Layer<ManifestStore | ProgressStore> =>
  Layer.provide(Layer.merge(Manifests.layer({ home }), Progress.layer({ home })), NodeLogFs.layer)

/**
 * What a command that only looks needs: of a damaged log it gets what is good.
 *
 * @since 0.1.0
 * @category layers
 */
export const read = (home: string): Layer.Layer<LogReader | ManifestStore | ProgressStore> =>
  Layer.merge(Layer.provide(Tolerant.layer, readLog(home)), stores(home))

/**
 * What a check of everything needs: readers that hide no damage.
 *
 * @since 0.1.0
 * @category layers
 */
export const check = (
  home: string
): Layer.Layer<LogLock | LogReader | ManifestStore | ProgressStore | Projection> =>
  Layer.mergeAll(
    Layer.provideMerge(readIndex(home), readLog(home)),
    stores(home),
    Layer.provide(LockFile.layer({ home }), NodeLogFs.layer)
  )

/**
 * The index for a command that only looks. One that cannot be used is folded in memory. SQLite is loaded by the first
 * question.
 *
 * @since 0.1.0
 * @category layers
 */
export const readIndex = (home: string): Layer.Layer<Readers, never, LogReader> =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(() => import("./Projection/Readable.ts")), ({ layer }) => layer({ home }))
  )

type Indexes = ArtifactRegistry | MemoryIndex | Projection | RecordIndex | VectorIndex

/** What is stored is safe, whatever becomes of the index. */
const withoutIndex = (error: ProjectionError) =>
  Layer.mergeAll(
    Layer.effectDiscard(Effect.logWarning(`${error.message}. All else goes on without it`)),
    MemoryProjection.layer,
    NoMemoryIndex.layer,
    ArtifactsFromLog.layer,
    RecordsFromLog.layer,
    VectorsFromLog.layer
  )

const index = (
  home: string
): Layer.Layer<Indexes, ProjectionError, LogReader | LogWriter> =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(() => import("./Projection/Sqlite.ts")), ({ layer }) => layer({ home }))
  )

/**
 * @since 0.1.0
 * @category models
 */
export type Writers = Indexes | LogReader | LogWriter | ManifestStore | ProgressStore

/**
 * What a command that writes needs. Whoever holds it has the lock, and a log that is whole; nothing else is opened
 * before. Where the index cannot be opened, it is done without.
 *
 * @since 0.1.0
 * @category layers
 */
export const write = (
  home: string
): Layer.Layer<
  Writers,
  LogLocked | LogReadError
> => Layer.provideMerge(Layer.catchAll(index(home), withoutIndex), writers(home))

/**
 * What a command needs whose only work is the index: it fails where that cannot be opened.
 *
 * @since 0.1.0
 * @category layers
 */
export const writeIndex = (
  home: string
): Layer.Layer<
  Writers,
  LogLocked | LogReadError | ProjectionError
> => Layer.provideMerge(index(home), writers(home))

const writers = (home: string) =>
  Layer.provideMerge(
    Layer.merge(readLog(home), stores(home)),
    Layer.provide(Segments.writer({ home }), NodeLogFs.layer)
  )

/**
 * Repairs a damaged log, and says what could not be kept. It takes the lock itself, and only where there is something to
 * do.
 *
 * @since 0.1.0
 * @category repairing
 */
export const mendLog = (home: string): Effect.Effect<ReadonlyArray<Loss>, LogLocked | LogReadError> =>
  Effect.provide(Effect.flatMap(LogFs, (fs) => mend(fs, { home })), NodeLogFs.layer)

/**
 * The connectors of a `connectors.yaml`, none of them opened.
 *
 * @since 0.1.0
 * @category layers
 */
export const connectors = (file: ConnectorsFile): Layer.Layer<Connectors, ConnectorsFileError> =>
  Layer.provide(
    Configured.layer(file),
    Registry.layer([
      connectorKind(Folder.kind),
      connectorKind(ClaudeCode.kind),
      connectorKind(Codex.kind),
      connectorKind(Pi.kind)
    ])
  )

/**
 * The embedder that `connectors.yaml` names. Nothing of it is loaded before it is asked to embed.
 *
 * @since 0.1.0
 * @category layers
 */
export const embedder = (file: ConnectorsFile): Layer.Layer<Embedder, ConnectorsFileError | EmbedderError> =>
  Layer.unwrapEffect(
    Effect.map(Effect.promise(() => import("./Embedder/Configured.ts")), ({ layer }) => layer(file))
  )

/**
 * What that embedder is, and which engines could run it here. They are probed, nothing is embedded.
 *
 * @since 0.1.0
 * @category probing
 */
export const embedderStatus = (file: ConnectorsFile): Effect.Effect<EmbedderStatus, ConnectorsFileError> =>
  Effect.flatMap(Effect.promise(() => import("./Embedder/Configured.ts")), ({ status }) => status(file))

/**
 * The language model that `connectors.yaml` names, and the counter that its memories are measured with. Nothing is asked
 * of its server before the first question.
 *
 * @since 0.1.0
 * @category layers
 */
export const model = (
  file: ConnectorsFile,
  options: ModelOptions
): Layer.Layer<LanguageModel | TokenCounter, ConnectorsFileError | TokenCounterError> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() =>
        Promise.all([import("./LanguageModel/Configured.ts"), import("./TokenCounter/Tiktoken.ts")])
      ),
      ([configured, tiktoken]) => Layer.merge(configured.layer(file, options), tiktoken.o200k)
    )
  )

/**
 * The model without its key: enough for who looks and asks nothing. What the key is no part of stays as it is, such as the
 * fingerprint.
 *
 * @since 0.1.0
 * @category configuration
 */
export const withoutKey = ({ kind, options }: ModelOptions): ModelOptions =>
  new ModelOptions({ kind, options: Predicate.isReadonlyRecord(options) ? Struct.omit(options, "api_key") : options })

/**
 * Fails where the file's model is a mistake of the file. Nothing is asked of its server.
 *
 * @since 0.1.0
 * @category probing
 */
export const checkModel = (file: ConnectorsFile, options: ModelOptions): Effect.Effect<void, ConnectorsFileError> =>
  Effect.flatMap(
    Effect.promise(() => import("./LanguageModel/Configured.ts")),
    ({ make }) => Effect.asVoid(make(file, options))
  )

/**
 * Whether that model's server is there and has it. It is asked for its list of models, nothing is generated.
 *
 * @since 0.1.0
 * @category probing
 */
export const modelStatus = (
  file: ConnectorsFile,
  options: ModelOptions
): Effect.Effect<ModelStatus, ConnectorsFileError> =>
  Effect.flatMap(Effect.promise(() => import("./LanguageModel/Probe.ts")), ({ status }) => status(file, options))
