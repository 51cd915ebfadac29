import fc from 'fast-check'
import type { ShowIdClaims } from '../../../schemas/records/events.ts'

const uuid = fc.uuid()
const text = fc.string({ unit: 'binary', maxLength: 80 })
/** avsc supports at most 52 bits. */
const amount = fc.integer({ min: 0, max: 2 ** 52 })

/** Claims of any ad. */
export const claims: fc.Arbitrary<ShowIdClaims> = fc.record({
  kind: fc.constantFrom('SPONSORED', 'DISPLAY'),
  requestId: uuid,
  shopId: uuid,
  slotHash: uuid,
  adUnitId: uuid,
  campaignId: uuid,
  accountId: uuid,
  adId: text,
  itemGroupId: fc.option(text),
  cid: text,
  uid: fc.option(text),
  algorithm: fc.constantFrom('BESTSELLERS', 'CONTEXT_MATCH_WIDE', 'DISPLAY'),
  position: fc.integer({ min: 1, max: 100 }),
  priceMicros: amount,
  currency: fc.constantFrom('EUR', 'PLN'),
  autoPromo: fc.boolean(),
  country: fc.option(fc.constantFrom('DE', 'PL')),
  emittedAt: amount,
})
