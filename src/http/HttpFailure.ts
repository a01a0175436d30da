/**
 * Why a server gave no usable answer. A client of it turns this into the errors of its own service.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Complaint } from "./Complaint.ts"

/**
 * `limited`: it asks to wait. `unavailable`: it fails by itself. `unreachable`: there is no connection, or it broke off.
 * `timeout`: no answer in time. `rejected`: it will not do this, however often it is asked. `unreadable`: its answer is
 * not what was asked for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const HttpReason = Schema.Literal("limited", "unavailable", "unreachable", "timeout", "rejected", "unreadable")

/**
 * `server` is its base URL, which holds no key.
 *
 * @since 0.1.0
 * @category errors
 */
export class HttpFailure extends Schema.TaggedError<HttpFailure>("mem/HttpFailure")("HttpFailure", {
  server: Schema.String,
  reason: HttpReason,
  detail: Schema.String,
  /** Whether the same request may go well the next time. */
  transient: Schema.Boolean,
  status: Schema.optional(Schema.Number),
  retry_after_ms: Schema.optional(Schema.Number),
  complaint: Schema.optional(Complaint)
}) {
  override get message(): string {
    return `${this.server}: ${this.detail}; ${
      this.transient ? "try again later" : "check its address, its key and the name of the model"
    }`
  }
}
