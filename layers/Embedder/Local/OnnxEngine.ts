/**
 * The native engine, whichever model it is given.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as MiniLm from "../MiniLm/OnnxEngine.ts"
import * as OnnxFolder from "../OnnxFolder/OnnxEngine.ts"
import type { LoadEngine } from "./Engine.ts"
import * as OnnxRuntime from "./OnnxRuntime.ts"

/**
 * @since 0.1.0
 * @category constructors
 */
export const load: LoadEngine = async (options) =>
  Either.map(await OnnxRuntime.load(options), (openGraph) => ({
    open: (model) => model._tag === "MiniLm" ? MiniLm.open(openGraph)(model) : OnnxFolder.open(openGraph)(model)
  }))
