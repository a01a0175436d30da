/**
 * Opens the model with an engine: the weights must be the right ones, and so must the vector that the engine makes of a
 * known text.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import { damaged, type Fault, type MiniLmModel, type Run, unusable } from "../Local/Engine.ts"
import * as ModelFile from "../Local/ModelFile.ts"
import * as Model from "./Model.ts"

const isRight = (values: Float32Array): boolean =>
  values.length === Model.dims
  && Model.selfCheck.begins.every((value, i) => Math.abs((values[i] ?? Number.NaN) - value) <= Model.selfCheck.within)

const checked = async (run: Run): Promise<Either.Either<Run, Fault>> => {
  const values = await run([Model.selfCheck.sequence])
  return isRight(values)
    ? Either.right(run)
    : Either.left(unusable(`it computes wrong vectors: "hello world" begins with ${values.slice(0, 3).join(", ")}`))
}

/**
 * `open` takes the bytes of the weights file, and answers what an engine cannot make of them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const opening = (open: (weights: Uint8Array) => Promise<Either.Either<Run, string>>) =>
async (
  { weights }: MiniLmModel
): Promise<Either.Either<Run, Fault>> => {
  const bytes = await ModelFile.read(weights)
  if (Either.isLeft(bytes)) return Either.left(damaged(bytes.left))
  const run = await open(bytes.right)
  return Either.isLeft(run) ? Either.left(unusable(run.left)) : checked(run.right)
}
