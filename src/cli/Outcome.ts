/**
 * The exit code of a command that ran to its end. What failed in part, was refused or has drifted stands in a report,
 * which succeeds; its code is set here.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"

/**
 * @since 0.1.0
 * @category tags
 */
export class Outcome extends Context.Tag("mem/cli/Outcome")<Outcome, {
  readonly set: (code: number) => Effect.Effect<void>
  /** 0 where nobody has set one. */
  readonly code: Effect.Effect<number>
}>() {}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Outcome> = Layer.effect(
  Outcome,
  Effect.map(Ref.make(0), (code) => ({ set: (value) => Ref.set(code, value), code: Ref.get(code) }))
)
