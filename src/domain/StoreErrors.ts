/**
 * What can go wrong with what is derived or disposable: manifests, progress, the projection.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { advice, FsReason, inItsWords } from "./LogErrors.ts"

/**
 * A manifest, progress or failed-documents file could not be read or written. A garbled one is no error: it is rebuilt
 * from the log.
 *
 * @since 0.1.0
 * @category errors
 */
export class ManifestError extends Schema.TaggedError<ManifestError>("mem/ManifestError")("ManifestError", {
  path: Schema.String,
  operation: Schema.Literal("read", "write"),
  reason: FsReason,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `cannot ${this.operation} ${this.path}: ${advice[this.reason]}${
      inItsWords(this)
    }. Nothing is lost: the log holds what it says, and the next sync writes it again`
  }
}

/**
 * The projection could not be opened, fed or searched. It is disposable. `damaged` says that the file itself is at
 * fault, so that a writer starts it anew; `advice` is what to do where a new file would not help.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProjectionError extends Schema.TaggedError<ProjectionError>("mem/ProjectionError")("ProjectionError", {
  path: Schema.String,
  detail: Schema.String,
  damaged: Schema.optional(Schema.Boolean),
  advice: Schema.optional(Schema.String),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    const { advice = "run \"mem rebuild --from-log\" to make it anew from the log", detail, path } = this
    return `the search index at ${path} cannot be used: ${detail}; ${advice}`
  }
}

/**
 * Query and index were made by two different embedders, whose vectors cannot be compared.
 *
 * @since 0.1.0
 * @category errors
 */
export class EmbedderMismatch extends Schema.TaggedError<EmbedderMismatch>("mem/EmbedderMismatch")("EmbedderMismatch", {
  index: Schema.String,
  query: Schema.String
}) {
  override get message(): string {
    return `the index was embedded by ${this.index}, the query by ${this.query}; run "mem sync" to embed what is stored with the new one, or search with --mode keyword`
  }
}
