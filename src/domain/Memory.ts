/**
 * The bodies of the log's `memory` and `artifact` records: what the gated loop accepted, what it concluded, and what
 * may therefore not come back as evidence.
 *
 * A `memory` body says its level, and its `entry` within it: L0 evidence, the steps that an L1 session memory was
 * built in, the L1 session memory, the L2 consolidated memory, and the mark that one of these is stale or retired. One
 * entry is of no level: the embedder that all of them are searched by.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  ArtifactId,
  ConnectorName,
  EmbedderFingerprint,
  MemoryId,
  RecordKey,
  SessionKey,
  Sha256,
  Timestamp
} from "./Ids.ts"
import { Level } from "./Level.ts"
import { Count, Positive, Span } from "./Numbers.ts"
import { WellFormed } from "./WellFormed.ts"

/**
 * L0: a span of an archived Record that the gate accepted. A pointer: the text stands in the log once, in its
 * `record`; `span_sha256` proves that it still does.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Evidence extends Schema.Class<Evidence>("mem/log/Evidence")({
  level: Schema.Literal("L0"),
  entry: Schema.Literal("evidence"),
  id: MemoryId,
  connector: ConnectorName,
  session_key: SessionKey,
  profile: WellFormed,
  record_key: RecordKey,
  span: Span,
  span_sha256: Sha256,
  t: Positive
}) {}

/**
 * Part of a memory's text, and what it rests on: L0 evidence for L1, L1 session memories (and through them the L0
 * closure) for L2. `span` counts in the text of the memory.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Citation extends Schema.Class<Citation>("mem/log/Citation")({
  span: Span,
  ids: Schema.Array(MemoryId)
}) {}

/**
 * One turn of the loop: which text was shown, how the gates answered, and the memory's sha256 before and after. A step
 * whose key (profile, prompt, model, chunk, memory before) is in the log costs no model call again. `window` counts
 * the parts of an over-budget Chunk from 1. `duration_ms` and the token counts are those of the model call.
 *
 * @since 0.1.0
 * @category schemas
 */
export class Step extends Schema.Class<Step>("mem/log/Step")({
  level: Schema.Literal("L1"),
  entry: Schema.Literal("step"),
  connector: ConnectorName,
  session_key: SessionKey,
  profile: WellFormed,
  profile_sha256: Sha256,
  prompt_sha256: Sha256,
  model: WellFormed,
  t: Positive,
  window: Schema.optional(Positive),
  record_keys: Schema.Array(RecordKey),
  chunk_sha256: Sha256,
  memory_before_sha256: Sha256,
  memory_after_sha256: Sha256,
  update: Schema.Boolean,
  exit: Schema.Boolean,
  malformed: Schema.Boolean,
  prompt_tokens: Count,
  completion_tokens: Count,
  duration_ms: Count
}) {}

/**
 * L1: the memory of one session under one profile, each part with the L0 evidence it rests on. `t` is the last step
 * that went into it.
 *
 * @since 0.1.0
 * @category schemas
 */
export class SessionMemory extends Schema.Class<SessionMemory>("mem/log/SessionMemory")({
  level: Schema.Literal("L1"),
  entry: Schema.Literal("memory"),
  id: MemoryId,
  connector: ConnectorName,
  session_key: SessionKey,
  profile: WellFormed,
  t: Positive,
  text: WellFormed,
  citations: Schema.Array(Citation),
  supersedes: Schema.optional(MemoryId)
}) {}

/**
 * L2: memory consolidated over sessions. `inputs` are the L1 session memories that it was made from, `evidence` is the
 * closure of their L0 ids.
 *
 * @since 0.1.0
 * @category schemas
 */
export class ConsolidatedMemory extends Schema.Class<ConsolidatedMemory>("mem/log/ConsolidatedMemory")({
  level: Schema.Literal("L2"),
  entry: Schema.Literal("memory"),
  id: MemoryId,
  profile: WellFormed,
  profile_sha256: Sha256,
  prompt_sha256: Sha256,
  model: WellFormed,
  inputs: Schema.Array(MemoryId),
  evidence: Schema.Array(MemoryId),
  text: WellFormed,
  citations: Schema.Array(Citation),
  supersedes: Schema.optional(MemoryId)
}) {}

/**
 * What became of an earlier memory: `stale`, what it rests on has changed since; `retired`, it was replaced or its
 * ground is gone, and it is no longer live.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryMark extends Schema.Class<MemoryMark>("mem/log/MemoryMark")({
  level: Schema.Literal("L0", "L1", "L2"),
  entry: Schema.Literal("mark"),
  id: MemoryId,
  mark: Schema.Literal("stale", "retired")
}) {}

/**
 * By which embedder memory of every level is searched from here on: its vectors stand alone in the log.
 *
 * @since 0.1.0
 * @category schemas
 */
export class MemoryEmbedder extends Schema.Class<MemoryEmbedder>("mem/log/MemoryEmbedder")({
  entry: Schema.Literal("embedder"),
  embedder: EmbedderFingerprint
}) {}

/**
 * The body of a `memory` record.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Memory = Schema.Union(Evidence, Step, SessionMemory, ConsolidatedMemory, MemoryMark, MemoryEmbedder)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Memory = typeof Memory.Type

/**
 * Registers a text that mem produced or exported, so that it is recognised when it comes back. `text_sha256` is over
 * the normalised text (NFC, white space folded, quote and list marks taken off).
 *
 * @since 0.1.0
 * @category schemas
 */
export class Artifact extends Schema.Class<Artifact>("mem/log/Artifact")({
  artifact_id: ArtifactId,
  text_sha256: Sha256,
  level: Level,
  kind: Schema.Literal("memory", "answer", "export"),
  inputs: Schema.Array(MemoryId),
  profile_sha256: Schema.optional(Sha256),
  prompt_sha256: Schema.optional(Sha256),
  model: Schema.optional(WellFormed),
  path: Schema.optional(WellFormed),
  at: Timestamp,
  status: Schema.Literal("live", "retired")
}) {}
