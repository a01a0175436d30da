/**
 * What can go wrong with a source. A document's failure is a value in the report; a connector's failure ends that
 * connector and no other; a bad `connectors.yaml` ends the run before anything is done.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { ConnectorName, DocId } from "./Ids.ts"

/**
 * `connectors.yaml` cannot be used. Nothing was done. `line` counts from 1, `key_path` is dotted.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConnectorsFileError extends Schema.TaggedError<ConnectorsFileError>("mem/ConnectorsFileError")(
  "ConnectorsFileError",
  {
    file: Schema.String,
    line: Schema.optional(Schema.Number),
    key_path: Schema.optional(Schema.String),
    detail: Schema.String
  }
) {
  override get message(): string {
    const where = [this.file, ...(this.line === undefined ? [] : [this.line])].join(":")
    return `${where}: ${
      this.key_path === undefined ? "" : `${this.key_path}: `
    }${this.detail}; nothing was done: correct it and run the command again`
  }
}

/**
 * A connector could not be opened or listed. Nothing of it was removed or changed; the other connectors go on.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConnectorError extends Schema.TaggedError<ConnectorError>("mem/ConnectorError")("ConnectorError", {
  connector: ConnectorName,
  operation: Schema.Literal("open", "list"),
  detail: Schema.String,
  advice: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `cannot ${this.operation} connector "${this.connector}": ${this.detail}; ${this.advice}`
  }
}

/**
 * One document could not be fetched, chunked or embedded. Its old version stays live.
 *
 * Three reasons leave it out instead of failing it: `gone`, `unavailable` (there, but not to be read now), and
 * `unsupported` (no document at all, as `detail` says; not fetched again while its revision stays the same).
 *
 * @since 0.1.0
 * @category errors
 */
export class DocumentError extends Schema.TaggedError<DocumentError>("mem/DocumentError")("DocumentError", {
  doc_id: DocId,
  reason: Schema.Literal("fetch", "timeout", "gone", "unavailable", "unsupported", "chunk", "embed", "refused"),
  detail: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `${this.doc_id}: ${this.detail}; ${
      this.retryable
        ? "the next sync tries it again"
        : "mend it at its source, or leave it out with \"mem ref rm\""
    }`
  }
}

/**
 * A source of Records failed for good. Records before it were delivered. `position` is a line or a byte, as the source
 * counts.
 *
 * @since 0.1.0
 * @category errors
 */
export class RecordSourceError extends Schema.TaggedError<RecordSourceError>("mem/RecordSourceError")(
  "RecordSourceError",
  {
    source: Schema.String,
    position: Schema.optional(Schema.Number),
    detail: Schema.String,
    advice: Schema.String,
    cause: Schema.optional(Schema.Defect)
  }
) {
  override get message(): string {
    const where = this.position === undefined ? this.source : `${this.source}:${this.position}`
    return `${where}: ${this.detail}; ${this.advice}`
  }
}
