/**
 * How the gates of the memory loop have answered, by connector: counted from the log's steps, for each profile and way of
 * reading it, so that another model or other questions begin at nothing. A fold of the log that keeps figures, places and
 * ids, no texts.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { LocatedRecord } from "../../services/LogReader.ts"
import type { ConnectorName, Sha256 } from "../domain/Ids.ts"
import type { Step } from "../domain/Memory.ts"
import { GateStatus, MemoryStatus } from "../domain/StatusReport.ts"
import { gather, type Open } from "../log/Gather.ts"
import * as Entries from "./LiveEntries.ts"
import { readingSha256 } from "./StepKey.ts"

/**
 * It grows in place. The first line must begin a group or stand alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface GateCounts {
  readonly take: (line: LocatedRecord) => void
  /** None of a connector whose sessions no model has read. */
  readonly of: (connector: ConnectorName) => Option.Option<MemoryStatus>
}

/** By way of reading; and for each profile the way in which it was read last. */
interface Gates {
  readonly counts: Map<Sha256, GateStatus>
  readonly last: Map<string, Sha256>
}

const begun = ({ model, profile }: Step): GateStatus =>
  new GateStatus({
    profile,
    model,
    current: true,
    steps: 0,
    updates: 0,
    malformed: 0,
    exits: 0,
    prompt_tokens: 0,
    completion_tokens: 0
  })

const add = (gate: GateStatus, step: Step): GateStatus =>
  new GateStatus({
    ...gate,
    steps: gate.steps + 1,
    updates: gate.updates + (step.update ? 1 : 0),
    malformed: gate.malformed + (step.malformed ? 1 : 0),
    exits: gate.exits + (step.exit ? 1 : 0),
    prompt_tokens: gate.prompt_tokens + step.prompt_tokens,
    completion_tokens: gate.completion_tokens + step.completion_tokens
  })

/**
 * Before the first line.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): GateCounts => {
  const connectors = new Map<ConnectorName, Gates>()
  const entries = Entries.make()
  let open: Open = Option.none()

  const takeStep = (step: Step): void => {
    const { connector, profile } = step
    const reading = readingSha256(step)
    const { counts, last } = connectors.get(connector) ?? { counts: new Map(), last: new Map() }
    counts.set(reading, add(counts.get(reading) ?? begun(step), step))
    last.set(profile, reading)
    connectors.set(connector, { counts, last })
  }

  return {
    take: (line) => {
      const [next, counted] = gather(open, line)
      open = next
      if (Option.isNone(counted) || counted.value._tag !== "Memory") return
      for (const { position, record } of counted.value.lines) {
        if (record.kind !== "memory") continue
        entries.take(record.body, position)
        if (record.body.entry === "step") takeStep(record.body)
      }
    },
    of: (connector) =>
      Option.map(Option.fromNullable(connectors.get(connector)), ({ counts, last }) => {
        const memories = entries.memories().filter((memory) => memory.connector === connector)
        return new MemoryStatus({
          sessions: new Set(memories.map(({ session_key }) => session_key)).size,
          stale: memories.filter(({ stale }) => stale).length,
          evidence: entries.allEvidence().filter((evidence) => evidence.connector === connector).length,
          gates: [...counts].map(([reading, gate]) =>
            new GateStatus({ ...gate, current: last.get(gate.profile) === reading })
          )
        })
      })
  }
}
