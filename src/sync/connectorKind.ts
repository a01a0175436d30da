/**
 * A kind of connector, made ready for the collection: its options are resolved and decoded when a connector is opened,
 * and no secret of theirs leaves it in an error, whoever made the error.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ConnectorKind, RegisteredKind } from "../../services/ConnectorKinds.ts"
import type { SourceConnector } from "../../services/SourceConnector.ts"
import { firstIssue } from "../config/KeyPath.ts"
import { Origin, place } from "../config/Origin.ts"
import * as Secrets from "../config/Secrets.ts"
import { ConnectorError, DocumentError, RecordSourceError } from "../domain/ConnectorErrors.ts"

type Hide = (text: string) => string

// A foreign cause is dropped: nobody can say where in it a token or a URL is kept.
const hideInConnectorError = (hide: Hide) => ({ advice, connector, detail, operation, retryable }: ConnectorError) =>
  new ConnectorError({ connector, operation, detail: hide(detail), advice: hide(advice), retryable })

const hideInDocumentError = (hide: Hide) => ({ detail, doc_id, reason, retryable }: DocumentError) =>
  new DocumentError({ doc_id, reason, detail: hide(detail), retryable })

const hideInRecordSourceError = (hide: Hide) => ({ advice, detail, position, source }: RecordSourceError) =>
  new RecordSourceError({ source: hide(source), position, detail: hide(detail), advice: hide(advice) })

const guarded = (connector: SourceConnector["Type"], hide: Hide): SourceConnector["Type"] => {
  const { kind, limits, name } = connector
  const list: typeof connector.list = (known) =>
    connector.list(known).pipe(
      Effect.map((listing) => ({
        ...listing,
        documents: Stream.mapError(listing.documents, hideInConnectorError(hide))
      })),
      Effect.mapError(hideInConnectorError(hide))
    )
  return connector.source_type === "document"
    ? {
      source_type: "document",
      name,
      kind,
      limits,
      list,
      fetch: (ref) => Effect.mapError(connector.fetch(ref), hideInDocumentError(hide))
    }
    : {
      source_type: "session",
      name,
      kind,
      limits,
      list,
      records: (ref, cursor) => Stream.mapError(connector.records(ref, cursor), hideInRecordSourceError(hide))
    }
}

/**
 * Registers a kind. Its `config` describes the options of the kind alone, after `${NAME}` was replaced; an option that
 * holds a secret is a `Schema.Redacted(Schema.String)`. Options that the schema does not know are refused.
 *
 * @since 0.1.0
 * @category constructors
 */
export const connectorKind = <Config, Encoded>(kind: ConnectorKind<Config, Encoded>): RegisteredKind => {
  const decode = Schema.decodeUnknown(kind.config, { onExcessProperty: "error" })
  return {
    kind: kind.kind,
    source_type: kind.source_type,
    open: (name, options) =>
      Effect.gen(function*() {
        const origin = yield* Origin
        const refuse = (path: ReadonlyArray<PropertyKey>, detail: string, advice: string) =>
          new ConnectorError({
            connector: name,
            operation: "open",
            detail: `${place(origin, ["connectors", name, ...path])}: ${detail}`,
            advice,
            retryable: false
          })
        const resolved = yield* Secrets.resolve(options).pipe(
          Effect.mapError(({ advice, detail, path }) => refuse(path, detail, advice))
        )
        const config = yield* decode(Redacted.value(resolved.options)).pipe(
          Effect.mapError((error) => {
            const { detail, path } = firstIssue(error)
            return refuse(path, Secrets.hide(resolved.secrets)(detail), "correct it and run the command again")
          })
        )
        const secrets = [...resolved.secrets, ...Secrets.secretsIn(config)]
        if (secrets.length === 0) return yield* kind.make(name, config)
        const hide = Secrets.hide(secrets)
        const connector = yield* Effect.mapError(kind.make(name, config), hideInConnectorError(hide))
        return guarded(connector, hide)
      })
  }
}
