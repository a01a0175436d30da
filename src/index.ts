/**
 * mem as a library: the services, the data they exchange, and the programs over them. Services and layers have entry
 * points of their own too, `poimen-memory/services/…` and `poimen-memory/layers/…`.
 *
 * @since 0.1.0
 */
export { ArtifactRegistry } from "../services/ArtifactRegistry.ts"
export { ConnectorKinds } from "../services/ConnectorKinds.ts"
export type { ConnectorKind, RegisteredKind } from "../services/ConnectorKinds.ts"
export { Connectors } from "../services/Connectors.ts"
export type { ConfiguredConnector } from "../services/Connectors.ts"
export { Embedder } from "../services/Embedder.ts"
export { LanguageModel } from "../services/LanguageModel.ts"
export type { ModelAnswer, ModelMessage, ModelRequest } from "../services/LanguageModel.ts"
export { LogFs } from "../services/LogFs.ts"
export type { LogFile } from "../services/LogFs.ts"
export { LogLock } from "../services/LogLock.ts"
export type { LockState } from "../services/LogLock.ts"
export { LogReader } from "../services/LogReader.ts"
export type { Inspected, LocatedRecord, LogPosition, LogReadError } from "../services/LogReader.ts"
export { LogWriter } from "../services/LogWriter.ts"
export type { AppendError, CommitDraft, LogGroup } from "../services/LogWriter.ts"
export { ManifestStore } from "../services/ManifestStore.ts"
export { MemoryIndex } from "../services/MemoryIndex.ts"
export { ProgressStore } from "../services/ProgressStore.ts"
export { Projection } from "../services/Projection.ts"
export { RecordSource } from "../services/RecordSource.ts"
export { Search } from "../services/Search.ts"
export type { SearchQuery } from "../services/Search.ts"
export { SourceConnector } from "../services/SourceConnector.ts"
export type { DocumentConnector, FetchLimits, SessionConnector } from "../services/SourceConnector.ts"
export { SyncObserver } from "../services/SyncObserver.ts"
export type { SyncEvent } from "../services/SyncObserver.ts"
export { TokenCounter } from "../services/TokenCounter.ts"
export { VectorIndex } from "../services/VectorIndex.ts"
export type { VectorKind } from "../services/VectorIndex.ts"
export { chunks } from "./chunk/chunks.ts"
export { type DocumentBudget, type DocumentChunker } from "./chunk/DocumentChunker.ts"
export { parse as parseConnectorsFile } from "./config/ConnectorsYaml.ts"
export {
  type ConfiguredEmbedder,
  type EmbedderKind,
  embedderKind,
  type RegisteredEmbedder
} from "./config/embedderKind.ts"
export { Boundary } from "./domain/Boundary.ts"
export { Chunk } from "./domain/Chunk.ts"
export { ChunkPolicy, type ChunkPolicyOptions, InvalidChunkPolicy } from "./domain/ChunkPolicy.ts"
export { ChunkedDocument, ChunkedFile, ChunkReport, ChunkSummary } from "./domain/ChunkReport.ts"
export { ConnectorError, ConnectorsFileError, DocumentError, RecordSourceError } from "./domain/ConnectorErrors.ts"
export { ConnectorOptions, ConnectorsFile, defaultLimits } from "./domain/ConnectorsFile.ts"
export { Cursor } from "./domain/Cursor.ts"
export { Check, DoctorReport, Finding, FindingLevel } from "./domain/DoctorReport.ts"
export { Availability, DocumentContent, DocumentRef } from "./domain/Document.ts"
export { ConnectorDrift, DriftDocuments, DriftReport, Estimate } from "./domain/Drift.ts"
export { EmbedderError, EmbedderUnavailable, EmbedRefused } from "./domain/EmbedderErrors.ts"
export { EmbedderStatus, EngineStatus } from "./domain/EmbedderStatus.ts"
export { FlushTrigger, OrIdle, Tokens } from "./domain/FlushTrigger.ts"
export { GetReport } from "./domain/GetReport.ts"
export {
  ArtifactId,
  ChunkId,
  ConnectorName,
  DocId,
  EmbedderFingerprint,
  Fingerprint,
  MemoryId,
  RecordKey,
  Seq,
  SessionKey,
  Sha256,
  SourceUri,
  Timestamp
} from "./domain/Ids.ts"
export {
  BadResponse,
  ContextTooLong,
  LanguageModelError,
  ModelRefused,
  ModelTimeout,
  ModelUnreachable,
  RateLimited
} from "./domain/LanguageModelErrors.ts"
export { Level, withWord } from "./domain/Level.ts"
export { Coverage, ListingRemoval, ListingRoot, ListingSkip } from "./domain/Listing.ts"
export type { Listing, ListingItem } from "./domain/Listing.ts"
export {
  FsReason,
  LogDamaged,
  LogFsError,
  LogLocked,
  LogPoisoned,
  LogRecordTooLarge,
  LogTooNew,
  LogWriteError
} from "./domain/LogErrors.ts"
export { LogRecord } from "./domain/LogRecord.ts"
export type { LogEntry } from "./domain/LogRecord.ts"
export { FaultKind, LogFault, LogVerifyReport, SegmentSummary } from "./domain/LogVerifyReport.ts"
export { Gap, Rewrite, Seal, Segment } from "./domain/Maintenance.ts"
export { FailedEntry, ManifestEntry, ProgressLine } from "./domain/Manifest.ts"
export {
  Artifact,
  Citation,
  ConsolidatedMemory,
  Evidence,
  Memory,
  MemoryMark,
  SessionMemory,
  Step
} from "./domain/Memory.ts"
export { Passage } from "./domain/Passage.ts"
export { DumpLine, RebuildReport } from "./domain/RebuildReport.ts"
export { Branch, Derived, Origin, Record, RecordKind, RecordMeta, Role } from "./domain/Record.ts"
export { Commit, Exclusion, Reference, Tombstone, Vector } from "./domain/Reference.ts"
export { ReferenceDocument, ReferenceReport, ReferenceSession } from "./domain/ReferenceReport.ts"
export { type Hit, MemoryHit, SearchHit, SearchMode, SearchReport } from "./domain/SearchReport.ts"
export { type SessionItem, SourceWarning } from "./domain/SessionRead.ts"
export {
  ConnectorStatus,
  GateStatus,
  LogStatus,
  MemoryStatus,
  ProjectionStatus,
  StatusReport
} from "./domain/StatusReport.ts"
export { EmbedderMismatch, ManifestError, ProjectionError } from "./domain/StoreErrors.ts"
export {
  ConnectorSyncReport,
  FailedDocument,
  ReportedError,
  SkippedDocument,
  SourceType,
  SyncReport,
  SyncStatus
} from "./domain/SyncReport.ts"
export { TokenCounterError } from "./domain/TokenCounterErrors.ts"
export { MadeWellFormed, WellFormed } from "./domain/WellFormed.ts"
export { type Loss, sentences as lossSentences } from "./log/Loss.ts"
export { verify } from "./log/verify.ts"
export { type Ahead, make as sessionsAhead } from "./memory/Ahead.ts"
export { type Spent } from "./memory/Budget.ts"
export { type Consolidated } from "./memory/consolidate.ts"
export { type EmbeddedMemory, embedMemory } from "./memory/embedMemory.ts"
export { estimate as estimateMemory, type Estimated, type EstimateOptions } from "./memory/estimate.ts"
export { type Exit, type Rules } from "./memory/Gate.ts"
export { type LiveConsolidated, type LiveEntry, type LiveSessionMemory } from "./memory/LiveEntries.ts"
export { type LiveMemory, liveMemory } from "./memory/LiveMemory.ts"
export {
  defaultOptions as rememberDefaults,
  type LoopOptions,
  type LoopReport,
  remember,
  type SessionOutcome
} from "./memory/loop.ts"
export { markDue as markMemory } from "./memory/markDue.ts"
export { Profile, standard as standardProfile } from "./memory/Profile.ts"
export { type RecordPlace, type Session, type Turn } from "./memory/Sessions.ts"
export { embedded as embedQuery, search } from "./search/search.ts"
export { UnknownConnector } from "./sync/Chosen.ts"
export { connectorKind } from "./sync/connectorKind.ts"
export { doctor } from "./sync/doctor.ts"
export { type DocumentPolicy } from "./sync/DocumentPolicy.ts"
export { drift, type DriftError, type DriftOptions } from "./sync/drift.ts"
export { exclude, include, UnknownDocument } from "./sync/exclude.ts"
export { get, NoSuchLines, NotInMemory, type Place, readings } from "./sync/get.ts"
export { type GuardOptions } from "./sync/Guard.ts"
export { policyOf } from "./sync/PolicyOf.ts"
export { digest, dump, rebuild } from "./sync/rebuild.ts"
export { references } from "./sync/references.ts"
export { repair } from "./sync/repair.ts"
export { type SyncError } from "./sync/Run.ts"
export { status } from "./sync/status.ts"
export { defaults as syncDefaults, sync, type SyncOptions } from "./sync/sync.ts"
export { Verify } from "./sync/Verify.ts"
