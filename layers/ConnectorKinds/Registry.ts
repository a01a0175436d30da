/**
 * The kinds of connector that a program knows: mem's own, and those of the app that embeds it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ConnectorKinds, type RegisteredKind } from "../../services/ConnectorKinds.ts"

/**
 * A collection of these kinds. Two of one name are a mistake of the program and not of its user: a defect.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (kinds: ReadonlyArray<RegisteredKind>): Effect.Effect<ConnectorKinds["Type"]> => {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
  const twice = kinds.find((kind) => byName.get(kind.kind) !== kind)
  return twice === undefined
    ? Effect.succeed(ConnectorKinds.of({
      names: [...byName.keys()].sort(),
      get: (kind) => Option.fromNullable(byName.get(kind))
    }))
    : Effect.dieMessage(`two kinds of connector are called ${JSON.stringify(twice.kind)}`)
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (kinds: ReadonlyArray<RegisteredKind>): Layer.Layer<ConnectorKinds> =>
  Layer.effect(ConnectorKinds, make(kinds))
