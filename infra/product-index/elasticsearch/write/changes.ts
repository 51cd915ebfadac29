import type { ProductSignals } from '../../../../schemas/records/records.ts'
import { takePromotions } from '../../part-versions.ts'
import type { IndexWrite } from '../../port.ts'
import {
  emptyState,
  offerFields,
  type ProductDocument,
  type ProductState,
  signalsFields,
  stateFields,
} from '../document.ts'

/** All changes of one document. */
export interface DocumentChange {
  key: string
  shop: string
  feed: string
  id: string
  /** In the order in which they were passed to `write`. */
  writes: Exclude<IndexWrite, { kind: 'signals' }>[]
  signals: { version: number; signals: ProductSignals } | null
  /** Whether the complete document must be read, because without a new offer the current one is written again. */
  whole: boolean
}

/** A stored document. A document that is not stored yet is empty and has version 0. */
export interface Held {
  version: number
  document: ProductDocument
}

export type Changed =
  /** `applied` is how many of the writes were newer than the stored part. */
  | { kind: 'CHANGED'; document: ProductDocument; applied: number }
  | { kind: 'UNCHANGED'; signalsVersion: number }
  /** The complete document must be read first. */
  | { kind: 'READ_WHOLE' }

export const notHeld = ({ shop, feed, id }: DocumentChange): Held => ({
  version: 0,
  document: emptyState(shop, feed, id),
})

/** The document after a change: a part is replaced only by a newer version of it. */
export function changed(change: DocumentChange, { document }: Held, now: number): Changed {
  const next: ProductDocument = { ...document, writtenAt: now }
  let latest: Extract<IndexWrite, { kind: 'offer' | 'remove' }> | null = null
  let applied = 0
  for (const write of change.writes) {
    if (write.kind === 'promotions') {
      if (!takePromotions(write, next)) continue
      next.campaigns = write.campaignIds
    } else {
      if (write.version <= next.offerVersion) continue
      next.offerVersion = write.version
      latest = write
    }
    applied++
  }
  const newSignals = change.signals !== null && change.signals.version > next.signalsVersion
  if (newSignals) Object.assign(next, signalsFields(change.signals!.signals, change.signals!.version))
  if (applied === 0 && !newSignals) return { kind: 'UNCHANGED', signalsVersion: next.signalsVersion }
  if (latest === null) {
    if (next.live && next.offer === undefined) return { kind: 'READ_WHOLE' }
    return { kind: 'CHANGED', document: next, applied }
  }
  next.live = latest.kind === 'offer'
  if (latest.kind === 'remove') return { kind: 'CHANGED', document: stateOf(next), applied }
  return { kind: 'CHANGED', document: Object.assign(next, offerFields(latest.offer, latest.textLang ?? null)), applied }
}

/** The document without the fields of the offer. */
function stateOf(document: ProductDocument): ProductState {
  return Object.fromEntries(stateFields.map((field) => [field, document[field]])) as unknown as ProductState
}
