import type { ProductOffer } from '../../../schemas/records/records.ts'
import { type DocumentTexts, documentFacets, documentTexts } from '../document.ts'
import type { IndexWrite } from '../port.ts'
import { summarize } from './search/columns.ts'

/** The terms of a document's texts and its facets, each joined by spaces. */
export type Words = DocumentTexts & { facets: string }

/** An offer as the columns of its document, and its words. */
export interface OfferRow {
  /** JSON, without the product details. */
  offer: string
  /** JSON. */
  details: string
  productId: string | null
  sellerId: string | null
  digest: string
  /** JSON of `DocumentSummary`. */
  summary: string
  words: Words
}

/** A change of a document's offer (null when it is removed), or of the campaigns that promote it (a JSON list). */
export type PartChange =
  | { version: number; offer: OfferRow | null }
  | { version: number; offerVersion: number; campaigns: string }

/** The changes that one batch makes to a document. */
export interface DocumentChanges {
  shopId: string
  feedId: string
  id: string
  /** In the order of the writes. */
  parts: PartChange[]
}

export interface SignalsRow {
  shopId: string
  id: string
  version: number
  popularity: number
  /** JSON. */
  signals: string
}

export interface IndexRows {
  documents: DocumentChanges[]
  signals: SignalsRow[]
}

/** Prepares writes as far as that needs no access to the index, so that the writer's thread only has to store the rows. */
export function rowsOf(writes: readonly IndexWrite[]): IndexRows {
  const documents = new Map<string, DocumentChanges>()
  const signals: SignalsRow[] = []
  for (const write of writes) {
    if (write.kind === 'signals') {
      const { shopId, id, popularity } = write.signals
      signals.push({ shopId, id, version: write.version, popularity, signals: JSON.stringify(write.signals) })
      continue
    }
    const { shopId, feedId, id } = write.kind === 'offer' ? write.offer : write
    // Ids may contain any character, so the key states their lengths instead of separating them.
    const key = `${shopId.length}/${feedId.length}/${shopId}${feedId}${id}`
    const known = documents.get(key)
    if (known) known.parts.push(partOf(write))
    else documents.set(key, { shopId, feedId, id, parts: [partOf(write)] })
  }
  return { documents: [...documents.values()], signals }
}

function partOf(write: Exclude<IndexWrite, { kind: 'signals' }>): PartChange {
  const { version } = write
  if (write.kind === 'promotions') {
    return { version, offerVersion: write.offerVersion, campaigns: JSON.stringify(write.campaignIds) }
  }
  if (write.kind === 'remove') return { version, offer: null }
  return { version, offer: offerRow(write.offer, write.textLang ?? null) }
}

/** @param textLang language of the texts when the offer names none. */
export function offerRow(offer: ProductOffer, textLang: string | null): OfferRow {
  const texts = documentTexts(offer, textLang)
  const { productDetails, productId, digest } = offer
  return {
    // A copy with the details set to undefined, because leaving them out with a rest pattern is slow.
    offer: JSON.stringify({ ...offer, productDetails: undefined }),
    details: JSON.stringify(productDetails),
    productId,
    sellerId: offer.externalSellerId,
    digest,
    summary: JSON.stringify(summarize(offer, texts)),
    words: { ...texts, facets: documentFacets(offer).join(' ') },
  }
}
