/**
 * A step as the log stores it: one group, so that it counts whole or not at all. The step, the evidence that it accepted,
 * the memory that it made, and that memory's registration as mem's own. Pure.
 *
 * @since 0.1.0
 */
import type { CommitDraft, LogGroup } from "../../services/LogWriter.ts"
import {
  ArtifactId,
  type ConnectorName,
  DocId,
  EmbedderFingerprint,
  Fingerprint,
  type MemoryId,
  type SessionKey,
  type Sha256,
  SourceUri,
  type Timestamp
} from "../domain/Ids.ts"
import type { Level } from "../domain/Level.ts"
import type { LogEntry } from "../domain/LogRecord.ts"
import { Artifact, type Evidence, type Memory, type SessionMemory, type Step } from "../domain/Memory.ts"
import { tellable } from "./Paragraphs.ts"
import { type Reading, readingSha256 } from "./StepKey.ts"

/**
 * Whose memory a group is about, how it was read, and what the memory is then.
 *
 * @since 0.1.0
 * @category models
 */
export interface About {
  readonly connector: ConnectorName
  readonly session_key: SessionKey
  readonly profile: string
  readonly reading: Reading
  readonly memory_sha256: Sha256
}

const noEmbedder = EmbedderFingerprint.make("none")

/** A group of memory changes no document: its commit only makes it count, and says whose memory it is. */
const commitOf = (about: About, synced_at: Timestamp): CommitDraft => ({
  connector: about.connector,
  doc_id: DocId.make(`memory/${about.profile}/${about.session_key}`),
  source_uri: SourceUri.make(
    `mem:memory/${encodeURIComponent(about.profile)}/${encodeURIComponent(about.session_key)}`
  ),
  content_hash: Fingerprint.make(`sha256:${about.memory_sha256}`),
  pipeline: Fingerprint.make(`sha256:${readingSha256(about.reading)}`),
  embedder: noEmbedder,
  chunk_count: 0,
  synced_at
})

/**
 * A group of memory.
 *
 * @since 0.1.0
 * @category composing
 */
export const groupOf = (
  about: About,
  memories: ReadonlyArray<Memory>,
  artifacts: ReadonlyArray<Artifact>,
  now: Timestamp
): LogGroup => ({
  entries: [
    ...memories.map((body): LogEntry => ({ kind: "memory", body })),
    ...artifacts.map((body): LogEntry => ({ kind: "artifact", body }))
  ],
  commit: commitOf(about, now)
})

/**
 * What is registered of a text of mem's own: its paragraphs, and of a list each line, since either may be told again
 * alone. Those that are registered already are left out.
 *
 * @since 0.1.0
 * @category registering
 */
export const artifactsOf = (
  memory: {
    readonly id: MemoryId
    readonly level: Level
    readonly text: string
    readonly inputs: ReadonlyArray<MemoryId>
  },
  reading: Reading,
  registered: ReadonlySet<Sha256>,
  at: Timestamp
): ReadonlyArray<Artifact> => {
  const { id, inputs, level, text } = memory
  const said = new Set([...tellable(text), ...text.split("\n").flatMap(tellable)].map(({ sha256 }) => sha256))
  return [...said].filter((sha) => !registered.has(sha)).map((text_sha256, i) =>
    new Artifact({
      artifact_id: ArtifactId.make(`${id}#${i + 1}`),
      text_sha256,
      level,
      kind: "memory",
      inputs,
      ...reading,
      at,
      status: "live"
    })
  )
}

/**
 * What a step stores: memory only where it changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface StepLines {
  readonly step: Step
  readonly evidence: ReadonlyArray<Evidence>
  readonly memory: SessionMemory | undefined
}

/**
 * The lines of a step, the step first.
 *
 * @since 0.1.0
 * @category composing
 */
export const linesOf = ({ evidence, memory, step }: StepLines): ReadonlyArray<Memory> => [
  step,
  ...evidence,
  ...memory === undefined ? [] : [memory]
]
