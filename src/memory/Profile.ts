/**
 * A profile: what a memory is kept for. The loop reads each session with its standing questions, since what is worth
 * remembering depends on what will be asked.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import { Sha256 } from "../domain/Ids.ts"
import { WellFormed } from "../domain/WellFormed.ts"

const said = WellFormed.pipe(Schema.nonEmptyString())

/**
 * A name, and the questions that stand.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Profile extends Schema.Class<Profile>("mem/Profile")({
  name: said,
  questions: Schema.NonEmptyArray(said)
}) {}

/**
 * The profile's part of a step's key: another question is another memory.
 *
 * @since 0.1.0
 * @category hashing
 */
export const profileSha256 = ({ name, questions }: Profile): Sha256 =>
  Sha256.make(hash("sha256", JSON.stringify([name, ...questions]), "hex"))

/**
 * What is asked where nothing else is configured.
 *
 * @since 0.1.0
 * @category constants
 */
export const standard: Profile = new Profile({
  name: "work",
  questions: [
    "Which decisions were made, and for what reasons?",
    "Which facts about the user, the project and its surroundings will still hold in later sessions?",
    "Which faults were found, what caused them, and what mended them?",
    "Which tasks are still open?"
  ]
})
