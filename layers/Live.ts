/**
 * The layers of a real memory home, composed once. A command takes only what it needs: what reads cannot write, and
 * what is heavy to load is loaded by whoever asks for it.
 *
 * @since 0.1.0
 */
import * as Layer from "effect/Layer"
import type { Connectors } from "../services/Connectors.ts"
import type { Embedder } from "../services/Embedder.ts"
import type { LogReader, LogReadError } from "../services/LogReader.ts"
import type { LogWriter } from "../services/LogWriter.ts"
import type { ManifestStore } from "../services/ManifestStore.ts"
import type { ProgressStore } from "../services/ProgressStore.ts"
import type { Projection } from "../services/Projection.ts"
import type { ConnectorsFileError } from "../src/domain/ConnectorErrors.ts"
import type { ConnectorsFile } from "../src/domain/ConnectorsFile.ts"
import type { LogLocked } from "../src/domain/LogErrors.ts"
import type { ProjectionError } from "../src/domain/StoreErrors.ts"
import { catchUp } from "../src/sync/CatchUp.ts"
import * as Registry from "./ConnectorKinds/Registry.ts"
import * as Configured from "./Connectors/Configured.ts"
import * as Hashed from "./Embedder/Hashed.ts"
import * as Segments from "./Log/Segments.ts"
import * as Tolerant from "./Log/Tolerant.ts"
import * as NodeLogFs from "./LogFs/Node.ts"
import * as Manifests from "./ManifestStore/Files.ts"
import * as Progress from "./ProgressStore/Files.ts"
import * as MemoryProjection from "./Projection/Memory.ts"

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
export const check = (home: string): Layer.Layer<LogReader | ManifestStore | ProgressStore | Projection> =>
  Layer.mergeAll(readLog(home), stores(home), MemoryProjection.layer)

/**
 * The projection for a command that only looks. One that is not there, or cannot be used, is folded in memory.
 *
 * @since 0.1.0
 * @category layers
 */
export const readProjection = (_home: string): Layer.Layer<Projection, LogReadError | ProjectionError, LogReader> =>
  Layer.provideMerge(Layer.effectDiscard(catchUp), MemoryProjection.layer)

/**
 * What a command that writes needs. Whoever holds it has the lock, and a log that is whole.
 *
 * @since 0.1.0
 * @category layers
 */
export const write = (
  home: string
): Layer.Layer<
  LogReader | LogWriter | ManifestStore | ProgressStore | Projection,
  LogLocked | LogReadError
> => {
  const writer = Layer.provide(Segments.writer({ home }), NodeLogFs.layer)
  // Nothing else is opened before the lock is held.
  return Layer.provideMerge(Layer.mergeAll(readLog(home), stores(home), MemoryProjection.layer), writer)
}

/**
 * The connectors of a `connectors.yaml`, none of them opened.
 *
 * @since 0.1.0
 * @category layers
 */
export const connectors = (file: ConnectorsFile): Layer.Layer<Connectors, ConnectorsFileError> =>
  Layer.provide(Configured.layer(file), Registry.layer([]))

/**
 * The embedder that `connectors.yaml` names. Nothing of it is loaded before it is asked to embed.
 *
 * @since 0.1.0
 * @category layers
 */
export const embedder = (_file: ConnectorsFile): Layer.Layer<Embedder> => Hashed.layer()
