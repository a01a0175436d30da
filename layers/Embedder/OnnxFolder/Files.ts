/**
 * The large files of a model's folder: its graph, the weights that may stand beside it, its tokenizer. They are told
 * apart by their sha256.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { readdir, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import type { EmbedderError } from "../../../src/domain/EmbedderErrors.ts"
import { sha256Of } from "../Local/Digest.ts"
import { messageOf } from "../Local/Message.ts"
import type { ModelFile } from "../Local/ModelFile.ts"
import { unusableFolder } from "./Failure.ts"
import { isMissing } from "./FolderFile.ts"

/**
 * @since 0.1.0
 * @category models
 */
export interface Files {
  readonly graph: ModelFile
  readonly weights: ReadonlyArray<ModelFile>
}

/** Where exports for onnxruntime put the graph. */
const usual = ["onnx/model.onnx", "model.onnx"] as const

const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readdir(folder)), () => [])

const isFile = (path: string): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.tryPromise(() => stat(path).then((found) => found.isFile())), () => false)

/**
 * That there is such a folder.
 *
 * @since 0.1.0
 * @category checks
 */
export const checkFolder = (folder: string): Effect.Effect<void, EmbedderError> =>
  Effect.tryPromise({
    try: () => stat(folder),
    catch: (cause) =>
      unusableFolder(
        isMissing(cause) ? `there is no folder ${folder}` : `the folder ${folder} cannot be read: ${messageOf(cause)}`,
        "correct its path in connectors.yaml"
      )
  }).pipe(
    Effect.flatMap((found) =>
      found.isDirectory()
        ? Effect.void
        : unusableFolder(`${folder} is no folder`, "let its path in connectors.yaml name the model's folder")
    )
  )

/** What could have been meant. */
const graphsIn = (folder: string) =>
  Effect.map(
    Effect.all([namesIn(join(folder, "onnx")), namesIn(folder)]),
    ([below, here]) => [...below.map((name) => `onnx/${name}`), ...here].filter((name) => name.endsWith(".onnx")).sort()
  )

const locate = (folder: string, model: string | undefined): Effect.Effect<string, EmbedderError> =>
  Effect.gen(function*() {
    const candidates = model === undefined ? usual : [model]
    for (const name of candidates) {
      if (yield* isFile(resolve(folder, name))) return resolve(folder, name)
    }
    const others = yield* graphsIn(folder)
    return yield* unusableFolder(
      `${folder} has no ${candidates.join(" and no ")}`,
      others.length === 0
        ? "download the model's ONNX files too: they lie in its folder onnx, or in a repository of their own"
        : `say model: ${others[0]} in connectors.yaml${others.length > 1 ? `, or ${others.slice(1).join(", ")}` : ""}`
    )
  })

const hashed = (path: string): Effect.Effect<ModelFile, EmbedderError> =>
  Effect.map(
    Effect.tryPromise({
      try: () => sha256Of(path),
      catch: (cause) => unusableFolder(`${path} cannot be read: ${messageOf(cause)}`)
    }),
    (sha256) => ({ path, sha256 })
  )

/**
 * Finds the graph (`model`, below the folder, if it has no usual name) with its weights, and reads them for their sha256.
 *
 * Exporters name the files of weights `model.onnx_data`, `model.onnx_data_1` or `model.onnx.data`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (folder: string, model: string | undefined): Effect.Effect<Files, EmbedderError> =>
  Effect.gen(function*() {
    const path = yield* locate(folder, model)
    const name = basename(path)
    const beside = (yield* namesIn(dirname(path))).filter((other) =>
      /^[_.]data/.test(other.slice(name.length)) && other.startsWith(name)
    )
    const [graph, weights] = yield* Effect.all([
      hashed(path),
      Effect.forEach(Arr.fromIterable(beside).sort(), (other) => hashed(join(dirname(path), other)))
    ])
    return { graph, weights }
  })
