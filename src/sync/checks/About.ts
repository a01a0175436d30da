/**
 * How a check says what it has found. Pure.
 *
 * @since 0.1.0
 */
import { type Check, Finding, type FindingLevel } from "../../domain/DoctorReport.ts"

/**
 * The first few of them, and how many more there are.
 *
 * @since 0.1.0
 * @category formatting
 */
export const few = (ids: ReadonlyArray<string>): string =>
  ids.slice(0, 3).join(", ") + (ids.length > 3 ? ` and ${ids.length - 3} more` : "")

/**
 * What to do where `mem doctor --repair` helps.
 *
 * @since 0.1.0
 * @category constants
 */
export const repair = "run \"mem doctor --repair\""

/**
 * Findings of one check, about one thing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const about =
  (check: Check, subject?: string) => (level: FindingLevel, message: string, advice?: string): Finding =>
    new Finding({
      check,
      level,
      ...(subject === undefined ? {} : { subject }),
      message,
      ...(advice === undefined ? {} : { advice })
    })
