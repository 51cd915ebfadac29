import { createHash } from 'node:crypto'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import type { EmptySearch } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { lruCache } from '../../domain/caches.ts'
import type { AdBid } from '../ad-steps.ts'
import { noteworthyPhrase, phraseOf } from '../searched-phrase.ts'
import type { AnySlot, AnyTargeting } from '../slots.ts'
import type { FilledSlot } from './emission.ts'

/** A person who repeats a search within this time counts once. */
const REPEAT_MS = 600_000
const REMEMBERED_MAX = 20_000
/** Searches of one shop that one process records. More are left out: the report is about what many people look for. */
const PER_MINUTE_MAX = 300
const SHOPS_MAX = 10_000
/** 48 bits: a safe integer in JavaScript. */
const PERSON_BYTES = 6

/** Records searches for which an ad unit found no product, so that publishers can see what shoppers miss. */
export interface EmptySearches {
  note(slots: readonly FilledSlot<AnySlot, AdBid>[], request: { cid: string; now: number }): void
}

export function createEmptySearches(deps: {
  /** Writes the records in the background. */
  append: (records: NewRecord[]) => void
  /** A clock for durations, which is never set back. */
  elapsedMs: () => number
}): EmptySearches {
  const clock = { ttlResolution: 0, perf: { now: deps.elapsedMs } }
  const noted = lruCache<true>(REMEMBERED_MAX, { ttl: REPEAT_MS, ...clock })
  const counts = lruCache<{ count: number }>(SHOPS_MAX, { ttl: MINUTE_MS, ...clock })

  function mayNote(shopId: string): boolean {
    const minute = counts.get(shopId) ?? { count: 0 }
    if (minute.count === 0) counts.set(shopId, minute)
    return ++minute.count <= PER_MINUTE_MAX
  }

  return {
    note(slots, { cid, now }) {
      for (const slot of slots) {
        const phrase = emptySearchOf(slot)
        if (phrase === null) continue
        const { shopId } = slot.slot
        const person = personOf(shopId, phrase, cid)
        const key = `${shopId} ${person}`
        if (noted.has(key) || !mayNote(shopId)) continue
        noted.set(key, true)
        const search: EmptySearch = { shopId, phrase, person, occurredAt: now }
        deps.append([{ topic: 'empty-searches', key: shopId, value: encode('EmptySearch', search) }])
      }
    },
  }
}

/** The phrase of an empty search. Null when it found something, or was narrowed by more than a phrase, which may be the reason. */
function emptySearchOf({ slot, candidates, ads, dropped, shortfall }: FilledSlot<AnySlot, AdBid>): string | null {
  const isEmpty = candidates === 0 && ads.length === 0 && dropped.length === 0
  if (!isEmpty || (shortfall !== 'NO_CANDIDATES' && shortfall !== 'MIN_AD_COUNT')) return null
  const searched = phraseOf(slot)
  const targeting = slot.targeting as AnyTargeting & SearchParameters
  const { productTitle, brand, priceMin, priceMax } = targeting
  if (!searched || productTitle || brand || priceMin !== undefined || priceMax !== undefined) return null
  const { categoryIds = [], categoryPaths = [], attributes = [] } = targeting
  if (categoryIds.length + categoryPaths.length + attributes.length > 0) return null
  return noteworthyPhrase(searched.text)
}

/** The parameters that only requests for products have. */
type SearchParameters = Partial<
  Pick<Targeting, 'productTitle' | 'brand' | 'priceMin' | 'priceMax' | 'categoryIds' | 'categoryPaths' | 'attributes'>
>

const personOf = (shopId: string, phrase: string, cid: string): number =>
  createHash('sha256')
    .update(JSON.stringify([shopId, phrase, cid]))
    .digest()
    .readUIntBE(0, PERSON_BYTES)
