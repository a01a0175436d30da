/**
 * The Records that one run archives, told one session after the other: each once, and the longer form of a text in the
 * place of the text, as the log would have them. Keys, lengths and hashes are held, no texts.
 *
 * A run reads sessions side by side, so which of two brings a Record that both hold is not known before. It counts with
 * the first, and the places are counted at which another order could end one chunk more: at both ends of what two hold
 * alike and at the gap that it leaves in the other, where two transcripts tell of one session, and, as soon as there is
 * any of that, wherever a session is stored in parts.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"
import type { DocId, RecordKey, SessionKey } from "../../domain/Ids.ts"
import type { Record } from "../../domain/Record.ts"

/**
 * It grows in place.
 *
 * @since 0.1.0
 * @category models
 */
export interface Arrivals {
  /** Those among what the log does not have that this run has not come upon. */
  readonly take: (doc_id: DocId, records: ReadonlyArray<Record>) => ReadonlyArray<Record>
  /** Places where the order of the run could make a chunk more; `parts` are the borders of what is stored at once. */
  readonly seams: (parts: number) => number
}

interface Met {
  readonly doc_id: DocId
  readonly place: number
  readonly length: number
  readonly sha256: string
}

const digest = (text: string): string => hash("sha256", text, "hex")

const goesOn = (record: Record, { length, sha256 }: Met): boolean =>
  record.text.length > length && digest(record.text.slice(0, length)) === sha256

/** Two ends where it stands, and the gap where it does not. */
const seamsOfACopy = 3

/**
 * Before the first session.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Arrivals => {
  const met = new Map<RecordKey, Met>()
  const tellers = new Map<SessionKey, DocId>()
  const shared = new Set<SessionKey>()
  let place = 0
  let seams = 0
  let copied: Met | undefined

  const told = (doc_id: DocId, session_key: SessionKey): void => {
    const teller = tellers.get(session_key)
    tellers.set(session_key, doc_id)
    if (teller === undefined || teller === doc_id) return
    seams += shared.has(session_key) ? 1 : 2
    shared.add(session_key)
  }

  const isNew = (doc_id: DocId, record: Record): boolean => {
    const before = met.get(record.key)
    if (before !== undefined && before.doc_id !== doc_id) {
      if (copied === undefined || copied.doc_id !== before.doc_id || copied.place + 1 !== before.place) {
        seams += seamsOfACopy
      }
      copied = before
    }
    if (before !== undefined && !goesOn(record, before)) return false
    const { length } = record.text
    met.set(record.key, {
      ...before ?? { doc_id, place: place++ },
      length,
      sha256: digest(record.text)
    })
    if (before === undefined) {
      copied = undefined
      told(doc_id, record.session_key)
    }
    return true
  }

  return {
    take: (doc_id, records) => records.filter((record) => isNew(doc_id, record)),
    seams: (parts) => seams === 0 ? 0 : seams + parts
  }
}
