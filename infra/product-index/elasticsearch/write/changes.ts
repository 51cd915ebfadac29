import type { ProductSignals } from '../../../../schemas/records/records.ts'
import type { IndexWrite } from '../../port.ts'
import {
  emptyState,
  offerFields,
  type ProductDocument,
  type ProductState,
  signalsFields,
  stateFields,
} from '../document.ts'

/** All that is to be done to one document. */
export interface DocumentChange {
  key: string
  shop: string
  feed: string
  id: string
  /** In their order. */
  writes: Exclude<IndexWrite, { kind: 'signals' }>[]
  signals: { version: number; signals: ProductSignals } | null
  /** Whether all of the document has to be read: an offer that stays as it is is written again. */
  whole: boolean
}

/** A document as it is held; version 0 with an empty one: not yet. */
export interface Held {
  version: number
  document: ProductDocument
}

export type Changed =
  /** `applied`: how many of the writes were newer. */
  | { kind: 'CHANGED'; document: ProductDocument; applied: number }
  | { kind: 'UNCHANGED'; signalsVersion: number }
  /** To be read again, as a whole. */
  | { kind: 'READ_WHOLE' }

export const notHeld = ({ shop, feed, id }: DocumentChange): Held => ({
  version: 0,
  document: emptyState(shop, feed, id),
})

/** The document after a change: each part is replaced by a newer version of it alone. */
export function changed(change: DocumentChange, { document }: Held, now: number): Changed {
  const next: ProductDocument = { ...document, writtenAt: now }
  let latest: Extract<IndexWrite, { kind: 'offer' | 'remove' }> | null = null
  let applied = 0
  for (const write of change.writes) {
    if (write.kind === 'promotions') {
      if (write.version <= next.promotionsVersion) continue
      next.promotionsVersion = write.version
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

/** Without what was there of the offer. */
function stateOf(document: ProductDocument): ProductState {
  return Object.fromEntries(stateFields.map((field) => [field, document[field]])) as unknown as ProductState
}
