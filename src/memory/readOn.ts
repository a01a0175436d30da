/**
 * The gated loop over what was found for a question: section by section, with the memory of the sections before, until
 * the exit gate opens. What is accepted are the pieces that the turns cite; the memory serves the reading alone, and is
 * neither stored nor answered from.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LanguageModel } from "../../services/LanguageModel.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import type { ReadingStopped } from "../domain/AskReport.ts"
import type { LanguageModelError } from "../domain/LanguageModelErrors.ts"
import { describe } from "./Answer.ts"
import { groundOf } from "./Cite.ts"
import { endsWith, stops } from "./Gate.ts"
import { Profile } from "./Profile.ts"
import type { Sections } from "./Sections.ts"
import { type Asking, take } from "./Turn.ts"
import { halves, type Piece, type Window } from "./Windows.ts"

/**
 * What a reading came to. `read` are the sections that were, and `left` counts those that were not. `halved` says that the
 * model's context could not hold one of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReadOn {
  readonly accepted: ReadonlyArray<Piece>
  readonly read: ReadonlyArray<Window>
  readonly left: number
  readonly halved: boolean
  readonly stopped: ReadingStopped
  readonly malformed: number
  readonly overlong: number
  readonly refused: number
  readonly unknown_citations: number
}

const unread: Omit<ReadOn, "left" | "stopped"> = {
  accepted: [],
  read: [],
  halved: false,
  malformed: 0,
  overlong: 0,
  refused: 0,
  unknown_citations: 0
}

/**
 * Reads sections, best first. A section that the model's context cannot hold is read by halves, each of which is a section
 * then. A budget that is spent ends the reading; a model that fails fails it.
 *
 * @since 0.1.0
 * @category programs
 */
export const readOn = (
  question: string,
  { sourcesOf, windows }: Sections,
  asking: Asking
): Effect.Effect<ReadOn, LanguageModelError, LanguageModel | TokenCounter> =>
  Effect.gen(function*() {
    // Also a question that no profile may have, such as none at all.
    const profile = new Profile({ name: "question", questions: [question] }, { disableValidation: true })
    const about = (piece: Piece): string => sourcesOf([piece]).map(describe).join()
    let queue: ReadonlyArray<Window> = windows
    let memory = ""
    let ends = 0
    let so = unread
    for (let [window, ...rest] = queue; window !== undefined; [window, ...rest] = queue) {
      const taken = yield* Effect.either(take(asking, { subject: "sources", profile, memory, window, about }))
      if (taken._tag === "Left") {
        if (taken.left._tag === "BudgetSpent") return { ...so, left: queue.length, stopped: "calls" }
        const parts = taken.left._tag === "ContextTooLong" ? halves(window) : Option.none()
        if (Option.isNone(parts)) return yield* taken.left
        queue = [...parts.value, ...rest]
        so = { ...so, halved: true }
        continue
      }
      const { decision, refused } = taken.right
      if (decision.malformed) {
        yield* Effect.logDebug("gate.malformed: an answer of the model could not be read twice; memory stays")
      }
      const ground = decision.update ? groundOf(window, decision.cited) : { pieces: [], unknown: 0 }
      queue = rest
      memory = decision.memory
      ends = endsWith(ends, decision.exit)
      so = {
        ...so,
        accepted: [...so.accepted, ...ground.pieces],
        read: [...so.read, window],
        malformed: so.malformed + (decision.malformed ? 1 : 0),
        overlong: so.overlong + (decision.overlong ? 1 : 0),
        refused: so.refused + (refused ? 1 : 0),
        unknown_citations: so.unknown_citations + ground.unknown
      }
      if (stops(asking.rules, ends)) return { ...so, left: queue.length, stopped: "exit" }
    }
    return { ...so, left: 0, stopped: "all" }
  })
