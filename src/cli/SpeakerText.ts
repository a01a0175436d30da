/**
 * Who said a Record of a session, by what tool, when, and why it is no evidence: in a line for a person. Pure.
 *
 * @since 0.1.0
 */
import type { Derived, Record, RecordKind } from "../domain/Record.ts"
import { printable } from "./Printable.ts"

/**
 * What is said of it, as a Record or a hit has it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Said extends Pick<Record, "at" | "is_error" | "role" | "tool_name"> {
  readonly block: RecordKind
  readonly derived: false | Derived["by"]
}

/**
 * @since 0.1.0
 * @category formatting
 */
export const speaker = ({ at, block, derived, is_error, role, tool_name }: Said): string =>
  [
    tool_name === undefined ? role : `${role} ${printable(tool_name)}`,
    ...(block === "text" || block === "tool_result" ? [] : [block.replace("_", " ")]),
    ...(is_error === true ? ["failed"] : []),
    ...(at === null ? [] : [at.slice(0, 16).replace("T", " ")]),
    ...(derived === false ? [] : [`derived: ${derived}`])
  ].join(", ")
