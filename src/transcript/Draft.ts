/**
 * What a format makes of one block, before the reader adds where it came from and which number it has.
 *
 * @since 0.1.0
 */
import { RecordKey, SessionKey, Sha256, type Timestamp } from "../domain/Ids.ts"
import { Branch, Derived, Origin, Record, type RecordKind, RecordMeta, type Role } from "../domain/Record.ts"
import { cut, type Tags } from "./Spans.ts"

/**
 * All texts in it are well-formed, and the key is not empty.
 *
 * @since 0.1.0
 * @category models
 */
export interface Draft {
  readonly key: string
  readonly role: Role
  readonly kind: RecordKind
  readonly text: string
  readonly tool_name?: string | undefined
  readonly tool_call_id?: string | undefined
  readonly is_error?: boolean | undefined
  readonly at: Timestamp | null
  readonly parent_key?: string | undefined
  /** The side chain within its session, where it is one: `agent-a1b2`. */
  readonly sidechain?: string | undefined
  /** Absent: it is on the branch that was kept. */
  readonly abandoned?: boolean | undefined
  readonly derived?: Derived["by"] | undefined
  readonly supersedes?: string | undefined
  readonly meta: RecordMeta
}

/**
 * The draft itself, and one for each span that these tags mark in it, numbered from `first`. What has no text is no
 * Record.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutSpans = (draft: Draft, tags: Tags, first = 1): ReadonlyArray<Draft> => {
  if (draft.derived !== undefined) return draft.text === "" ? [] : [draft]
  const { rest, spans } = cut(draft.text, tags)
  const own = spans.length === 0 ? rest !== "" : rest.trim() !== ""
  return [
    ...(own ? [{ ...draft, text: rest }] : []),
    ...spans.map(({ by, text }, i): Draft => ({ ...draft, key: `${draft.key}.d${i + first}`, text, derived: by }))
  ]
}

/**
 * What a transcript is called, and where it stands. In the file of a side chain every line belongs to that.
 *
 * @since 0.1.0
 * @category models
 */
export interface TranscriptFile {
  readonly path: string
  readonly session_key: SessionKey
  readonly isSidechain: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly source: string
  readonly file: TranscriptFile
  readonly seq: number
  readonly byte_offset: number
  readonly byte_length: number
  readonly line_sha256: string
}

const unchecked = { disableValidation: true }

// Shared by nearly all Records.
const branches = [true, false].map((on_leaf) => [true, false].map((sidechain) => new Branch({ sidechain, on_leaf })))
  .flat()

const branchOf = (sidechain: boolean, on_leaf: boolean): Branch =>
  branches.find((branch) => branch.sidechain === sidechain && branch.on_leaf === on_leaf)
    ?? new Branch({ sidechain, on_leaf })

/**
 * The Record. Nothing is checked again: a reader makes hundreds of thousands of them, each valid by the way it was made.
 *
 * @since 0.1.0
 * @category constructors
 */
export const recordOf = (draft: Draft, { byte_length, byte_offset, file, line_sha256, seq, source }: Place): Record => {
  const { abandoned, at, derived, is_error, key, kind, meta, parent_key, role, sidechain, supersedes, text } = draft
  const { isSidechain, path, session_key } = file
  return new Record({
    key: RecordKey.make(key, unchecked),
    source,
    session_key: sidechain === undefined || isSidechain
      ? session_key
      : SessionKey.make(`${session_key}/${sidechain}`, unchecked),
    seq,
    role,
    kind,
    text,
    ...(draft.tool_name === undefined ? {} : { tool_name: draft.tool_name }),
    ...(draft.tool_call_id === undefined ? {} : { tool_call_id: draft.tool_call_id }),
    ...(is_error === undefined ? {} : { is_error }),
    at,
    ...(parent_key === undefined ? {} : { parent_key: RecordKey.make(parent_key, unchecked) }),
    branch: branchOf(isSidechain || sidechain !== undefined, abandoned !== true),
    derived: derived === undefined ? false : new Derived({ by: derived }),
    ...(supersedes === undefined ? {} : { supersedes: RecordKey.make(supersedes, unchecked) }),
    origin: new Origin(
      { path, byte_offset, byte_length, line_sha256: Sha256.make(line_sha256, unchecked) },
      unchecked
    ),
    meta
  }, unchecked)
}

/**
 * The circumstances, without what is not known.
 *
 * @since 0.1.0
 * @category constructors
 */
export const metaOf = (
  known: { readonly [name in "cwd" | "git_branch" | "model"]?: string | undefined }
): RecordMeta =>
  new RecordMeta({
    ...(known.cwd === undefined ? {} : { cwd: known.cwd }),
    ...(known.git_branch === undefined ? {} : { git_branch: known.git_branch }),
    ...(known.model === undefined ? {} : { model: known.model })
  }, unchecked)
