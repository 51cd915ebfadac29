import type { Analytics } from '../../../../infra/analytics/port.ts'
import { creditedRow } from '../reports/facts/stored.ts'

const HOUR_MS = 3_600_000
export const bought = Date.parse('2026-07-15T12:00:00Z')
const at = (i: number) => ({ _topic: 't', _partition: 0, _offset: i })

/** An ad request that showed two ads and dropped one. */
export async function storeRequest({ insert }: Pick<Analytics, 'insert'>) {
  const ad = (campaignId: string, position: number) => ({
    ...{ campaignId, adId: 'sku', itemGroupId: null, position, relevance: 0.5, predictedClickRate: 0.02 },
    ...{ bidMicros: 400_000, priceMicros: 250_000, autoPromo: false },
  })
  const slot = {
    ...{
      slotHash: 'technical-1',
      adUnitId: 'u-warsaw-1',
      algorithm: 'CONTEXT_MATCH',
      candidates: 7,
      shortfall: 'NO_CANDIDATES',
    },
    ads: [ad('c-warsaw-1', 1), ad('c-warsaw-2', 2)],
    dropped: [{ campaignId: 'c-warsaw-2', adId: 'sku-9', relevance: 0.4, bidMicros: 100_000, reason: 'CAPPED' }],
  }
  const emission = {
    ...{
      requestId: 'r1',
      shopId: 'warsaw',
      kind: 'SPONSORED',
      cid: 'me',
      uid: null,
      country: 'PL',
      elapsedMicros: 3_500,
    },
    ...{ occurredAt: bought - 5 * HOUR_MS, slots: [slot], lifts: [1.8, 0.5] },
  }
  await insert('emissions', [{ ...at(0), ...emission }], { token: 'emissions' })
}

/** The touches of its ads, what was bought afterwards and came back, and what was credited. */
export async function storeSale({ insert }: Pick<Analytics, 'insert'>) {
  const touch = (i: number, campaign: number, type: string, hoursBefore: number, verdict = 'VALID') => ({
    ...at(i),
    ...{
      eventId: `e${i}`,
      type,
      verdict,
      billedMicros: type === 'CLICK' ? 250_000 : 0,
      cid: 'me',
      uid: null,
      bot: false,
    },
    ...{ occurredAt: bought - hoursBefore * HOUR_MS, receivedAt: 0, sourcePartition: 0, sourceOffset: i, emittedAt: 0 },
    ...{ kind: 'SPONSORED', requestId: 'r1', shopId: 'warsaw', slotHash: 'technical-1', adUnitId: 'u-warsaw-1' },
    ...{
      campaignId: `c-warsaw-${campaign}`,
      accountId: `adv-${campaign}`,
      adId: 'sku',
      itemGroupId: null,
      position: 1,
    },
    ...{ emittedCid: 'me', emittedUid: null, algorithm: 'CONTEXT_MATCH', priceMicros: 0, currency: 'PLN' },
    ...{ autoPromo: false, country: 'PL' },
  })
  const touches = [
    touch(1, 1, 'VIEW', 4),
    touch(2, 1, 'CLICK', 3),
    touch(3, 2, 'VIEW', 1),
    touch(4, 2, 'CLICK', 2, 'BOT'),
    // The clock of this browser is behind, so that it reports the view as of before the ad request.
    { ...touch(5, 2, 'VIEW', 5.01, 'DUPLICATE'), cid: 'behind' },
  ]
  const transaction = (eventId: string, shopId: string, rest: object = {}) => ({
    ...{ eventId, kind: 'PURCHASE', shopId, cid: 'me', uid: null, currency: 'PLN', locale: null, imported: false },
    ...{ occurredAt: bought, receivedAt: bought },
    lines: ['sku', 'other'].map((id) => ({
      shopProductId: id,
      priceMicros: 9_990_000,
      quantity: 1,
      productTitle: null,
      brand: null,
      sellerId: null,
    })),
    ...rest,
  })
  const transactions = [
    transaction('o1', 'warsaw'),
    transaction('o1', 'lordHowe', { cid: 'someone' }),
    transaction('o1', 'warsaw', { cid: 'mallory', occurredAt: bought - HOUR_MS, receivedAt: bought + 1 }),
    transaction('o1', 'warsaw', { cid: 'mallory', occurredAt: bought - HOUR_MS, receivedAt: bought + 2 }),
    transaction('o1', 'warsaw', { receivedAt: bought + 3, proof: 'TOKEN', imported: true }),
    transaction('waiting', 'warsaw'),
    transaction('waiting', 'warsaw', { receivedAt: bought + 9, proof: 'SIGNED', currency: 'EUR' }),
    transaction('past', 'warsaw', { imported: true }),
  ]
  const attributed = (line: number, shopProductId: string, rest: object) => ({
    ...{
      shopId: 'warsaw',
      kind: 'PURCHASE',
      eventId: 'o1',
      line,
      occurredAt: bought,
      cid: 'me',
      uid: null,
      shopProductId,
    },
    ...{
      quantity: 1,
      priceMicros: 9_990_000,
      currency: 'PLN',
      itemGroups: [],
      clickWindowHours: 336,
      viewWindowHours: 24,
    },
    ...{
      match: '',
      touchType: '',
      touchEventId: '',
      touchAt: 0,
      campaignId: '',
      accountId: '',
      adId: '',
      slotHash: '',
    },
    ...{ adUnitId: '', algorithm: '', country: null, version: 1, deleted: 0 },
    ...rest,
  })
  const won = {
    outcome: 'CREDITED',
    match: 'DIRECT',
    touchType: 'CLICK',
    touchEventId: 'e2',
    touchAt: bought - 3 * HOUR_MS,
  }
  const lines = [
    attributed(0, 'sku', { ...won, campaignId: 'c-warsaw-1', accountId: 'adv-1', adId: 'sku' }),
    attributed(1, 'other', { outcome: 'NO_MATCH', returnedQuantity: 1, returnedMicros: 9_990_000 }),
  ]
  const back = (i: number, returnId: string, rest: object = {}) => ({
    ...at(i),
    ...{ returnId, shopId: 'warsaw', eventId: 'o1', reason: null, returnedBy: 'pub-a', occurredAt: bought },
    ...{ receivedAt: bought + i, lines: [{ shopProductId: 'other', quantity: 1 }] },
    ...rest,
  })
  const returns = [
    back(0, 'r1', { reason: 'broken' }),
    back(1, 'r1', { lines: [] }),
    back(2, 'r2', { eventId: 'o9' }),
    back(3, 'r2'),
    back(4, 'r1', { shopId: 'lordHowe', lines: [] }),
  ]
  await insert('transaction_returns', returns, { token: 'returns' })
  await insert('judged_events', touches, { token: 'touches' })
  await insert(
    'transactions',
    transactions.map((row, i) => ({ ...at(i), ...row })),
    { token: 'sales' },
  )
  await insert('attributed_lines', lines, { token: 'lines' })
  await insert('credited_lines', lines.map(creditedRow), { token: 'lines' })
}
