import type { IndexWrite } from '../../../infra/product-index/port.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'

/** Writes of the product number n, whose contents name their version. */

export const id = (n: number) => `p${n}`
export const offer = (n: number, version: number): IndexWrite => ({
  kind: 'offer',
  version,
  offer: anOffer({ id: id(n), title: `lamp version ${version}` }),
})
export const promotions = (n: number, version: number): IndexWrite => ({
  kind: 'promotions',
  version,
  offerVersion: version,
  shopId: 'shop',
  feedId: 'feed',
  id: id(n),
  campaignIds: [`c${version}`],
})
export const signals = (n: number, version: number, seen = { views: 0, clicks: 0 }): IndexWrite => ({
  kind: 'signals',
  version,
  signals: { shopId: 'shop', id: id(n), popularity: version, ...seen, alsoBought: [], computedAt: 1 },
})
export const removal = (n: number, version: number): IndexWrite => ({
  kind: 'remove',
  version,
  shopId: 'shop',
  feedId: 'feed',
  id: id(n),
})

/** A search of any product of the shop. */
export const query = {
  shopId: 'shop',
  filters: [],
  rank: { by: 'none' } as const,
  campaigns: [{ campaignIds: ['c'], weight: 1 }],
  limit: 1,
  priorClickRate: 0.004,
  tieSeed: 1,
}
