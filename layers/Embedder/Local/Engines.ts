/**
 * The engines that can run a model, the best first. Which one is used is decided where the first text is embedded:
 * the first that loads, whose vectors are right.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type EmbedderError, EmbedderUnavailable } from "../../../src/domain/EmbedderErrors.ts"
import { EngineStatus } from "../../../src/domain/EmbedderStatus.ts"
import * as EngineProcess from "./EngineProcess.ts"
import type { EngineUnusable } from "./Failure.ts"
import type { Loadable } from "./Loadable.ts"
import type { Start } from "./Protocol.ts"

/**
 * An engine that may be tried.
 *
 * @since 0.1.0
 * @category models
 */
export interface Engine {
  /** What it is called in messages. */
  readonly name: string
  /** What a person should know when this one is used because the ones before it do not load. */
  readonly remark?: string
  /** Loads it with this model. */
  readonly start: (
    loadable: Loadable
  ) => Effect.Effect<EngineProcess.EngineProcess, EngineUnusable | EmbedderError, Scope.Scope>
  /** Loads its package alone. */
  readonly probe: Effect.Effect<void, EngineUnusable | EmbedderError>
}

/**
 * `module` is the package that holds the engine; `threads` is how many it computes with.
 *
 * @since 0.1.0
 * @category options
 */
export interface EngineOptions {
  readonly module?: string
  readonly threads?: number
}

const engineOf = (
  engine: Start["engine"],
  { module, threads }: Required<EngineOptions>
): Pick<Engine, "name" | "probe" | "start"> => {
  const options: EngineProcess.ProcessOptions = { name: module, engine, options: { module, threads } }
  return {
    name: module,
    start: (loadable) => EngineProcess.start({ ...options, loadable }),
    probe: Effect.scoped(EngineProcess.start(options))
  }
}

/**
 * onnxruntime-node: native code, for Linux with glibc, macOS and Windows on x64 and arm64.
 *
 * @since 0.1.0
 * @category engines
 */
export const onnx = ({ module = "onnxruntime-node", threads = 1 }: EngineOptions = {}): Engine =>
  engineOf("onnx", { module, threads })

/**
 * `@lat.md/embed`: WebAssembly, wherever Node runs.
 *
 * @since 0.1.0
 * @category engines
 */
export const wasm = ({ module = "@lat.md/embed" }: EngineOptions = {}): Engine => ({
  ...engineOf("wasm", { module, threads: 1 }),
  remark: "embedding takes about ten times as long"
})

type Failures = ReadonlyArray<EngineUnusable>

const problems = (failures: Failures): string => failures.map(({ message }) => message).join("; ")

const warn = (failures: Failures, { name, remark }: Engine): Effect.Effect<void> =>
  failures.length === 0 ? Effect.void : Effect.logWarning(
    `${problems(failures)}; ${name} is used instead${remark === undefined ? "" : `: ${remark}`}`
  )

/**
 * Starts the first engine that works here, and says so aloud if it is not the first of all.
 *
 * @since 0.1.0
 * @category constructors
 */
export const start = (
  [engine, ...others]: ReadonlyArray<Engine>,
  loadable: Loadable,
  failures: Failures = []
): Effect.Effect<EngineProcess.EngineProcess, EmbedderError | EmbedderUnavailable, Scope.Scope> =>
  engine === undefined
    ? new EmbedderUnavailable({
      embedder: loadable.embedder,
      detail: failures.length === 0 ? "it was given no engine" : problems(failures)
    })
    : engine.start(loadable).pipe(
      Effect.tap(warn(failures, engine)),
      Effect.catchTag("EngineUnusable", (failure) => start(others, loadable, [...failures, failure]))
    )

type Probed = Omit<EngineStatus, "used">

/** The first one without a problem is the one that is used. */
const statuses = (probed: ReadonlyArray<Probed>): ReadonlyArray<EngineStatus> => {
  const first = probed.findIndex(({ problem }) => problem === undefined)
  return probed.map((status, i) => new EngineStatus({ ...status, used: i === first }))
}

/**
 * Probes every engine, without weights and without a text.
 *
 * @since 0.1.0
 * @category probing
 */
export const probe = (engines: ReadonlyArray<Engine>): Effect.Effect<ReadonlyArray<EngineStatus>> =>
  Effect.map(
    Effect.forEach(engines, ({ name, probe }) =>
      Effect.match(probe, {
        onFailure: ({ message }): Probed => ({ engine: name, problem: message }),
        onSuccess: (): Probed => ({ engine: name, problem: undefined })
      })),
    statuses
  )

/**
 * Opens the model with every engine, and ends it again. It fails where the model itself is of no use.
 *
 * @since 0.1.0
 * @category probing
 */
export const probeWith = (
  engines: ReadonlyArray<Engine>,
  loadable: Loadable
): Effect.Effect<ReadonlyArray<EngineStatus>, EmbedderError> =>
  Effect.map(
    Effect.forEach(engines, ({ name, start }) =>
      Effect.scoped(start(loadable)).pipe(
        Effect.as<Probed>({ engine: name, problem: undefined }),
        Effect.catchTag("EngineUnusable", ({ message }) => Effect.succeed<Probed>({ engine: name, problem: message }))
      )),
    statuses
  )
