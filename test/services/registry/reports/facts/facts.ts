import fc from 'fast-check'
import { TRAFFIC_RULES, type TrafficRuleName } from '../../../../../schemas/records/traffic-rules.ts'
import { adUnits, campaigns, type ShopId, shopIds, shops } from '../world.ts'

/** Days around which clocks change in the zones of the shops, and a day on which no clock changes. */
const anchors = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-07-15', '2026-10-04', '2026-10-25', '2026-11-01']
const HOUR_MS = 3_600_000
const NEAR_MS = 36 * HOUR_MS

const time = fc
  .record({
    anchor: fc.constantFrom(...anchors),
    offset: fc.oneof(
      fc.integer({ min: -NEAR_MS, max: NEAR_MS }),
      fc.integer({ min: -36, max: 36 }).map((h) => h * HOUR_MS),
    ),
  })
  .map(({ anchor, offset }) => Date.parse(`${anchor}T00:00:00Z`) + offset)

export interface EmissionFact {
  requestId: string
  shopId: ShopId
  display: boolean
  occurredAt: number
  country: string | null
  slots: { adUnitId: string; ads: { campaignId: string; adId: string }[] }[]
  copies: number
}
export interface EventFact {
  eventId: string
  campaignId: string
  adId: string
  adUnitId: string
  occurredAt: number
  country: string | null
  type: 'VIEW' | 'CLICK'
  billedMicros: number
  /** Each verdict is one row, in this order. */
  verdicts: string[]
  /** `rule` is for the verdict INVALID_TRAFFIC, `marks` are for the others. */
  rule: TrafficRuleName
  marks: string[]
  /** How often the event was voided, if it was valid. */
  voids: number
}
export interface LineFact {
  kind: 'PURCHASE' | 'CART' | 'WISHLIST'
  eventId: string
  line: number
  shopId: ShopId
  occurredAt: number
  shopProductId: string
  quantity: number
  priceMicros: number
  returnedMicros: number
  currency: string
  country: string | null
  /** Null when the line was not credited. */
  credit: { campaignId: string; adId: string; adUnitId: string; match: 'DIRECT' | 'HALO' } | null
}
export interface Facts {
  emissions: EmissionFact[]
  events: EventFact[]
  lines: LineFact[]
}

const country = fc.constantFrom('PL', 'US', null)
const shopId = fc.constantFrom(...shopIds)
const ofShop = <T extends { shopId: ShopId }>(all: Record<string, T>, id: ShopId) =>
  Object.keys(all).filter((each) => all[each]!.shopId === id)
const adOf = (id: ShopId, display: boolean) => {
  const ids = ofShop(campaigns, id).filter((each) => campaigns[each]!.display === display)
  return fc.record({
    campaignId: fc.constantFrom(...ids),
    adId: fc.constantFrom(display ? 'banner-1' : 'shoe,"1"', 'sku-2'),
  })
}
const unitOf = (id: ShopId, display: boolean) =>
  fc.constantFrom(...ofShop(adUnits, id).filter((each) => (adUnits[each]!.algorithm === 'DISPLAY') === display))
const placeOf = fc
  .record({ shopId, display: fc.boolean() })
  .map((place) => ({ ...place, display: place.display && place.shopId !== 'newYork' }))

const emission = placeOf.chain(({ shopId, display }) =>
  fc.record({
    shopId: fc.constant(shopId),
    display: fc.constant(display),
    occurredAt: time,
    country,
    slots: fc.array(
      fc.record({ adUnitId: unitOf(shopId, display), ads: fc.array(adOf(shopId, display), { maxLength: 3 }) }),
      { minLength: 1, maxLength: 2 },
    ),
    copies: fc.constantFrom(1, 1, 1, 2),
  }),
)
const invalid = fc.constantFrom(
  ...['BOT', 'DUPLICATE', 'EXPIRED', 'REPLAYED', 'CAPPED', 'OVER_BUDGET', 'INVALID_TRAFFIC', 'INVALID_TRAFFIC'],
)
const event = placeOf.chain(({ shopId, display }) =>
  fc
    .record({
      ad: adOf(shopId, display),
      adUnitId: unitOf(shopId, display),
      occurredAt: time,
      country,
      type: fc.constantFrom('VIEW', 'CLICK'),
      price: fc.integer({ min: 0, max: 3_000_000 }),
      verdicts: fc.oneof(
        fc.constant(['VALID']),
        invalid.map((verdict) => [verdict]),
        // The same event twice in the log: the first was valid, the other is its duplicate.
        fc.constantFrom(['VALID', 'DUPLICATE'], ['DUPLICATE', 'VALID']),
      ),
      rule: fc.constantFrom(...TRAFFIC_RULES),
      marks: fc.constantFrom<string[][]>([], [], ['TOO_FAST'], ['TOO_FAST', 'NO_VIEW']),
      voids: fc.constantFrom(0, 0, 0, 0, 1, 2),
    })
    .map(({ ad, price, ...rest }) => ({ ...rest, ...ad, billedMicros: price })),
)
const purchase = placeOf.chain(({ shopId, display }) =>
  fc.record({
    shopId: fc.constant(shopId),
    kind: fc.constantFrom('PURCHASE', 'PURCHASE', 'CART', 'WISHLIST'),
    occurredAt: time,
    // Orders are not always in the shop's own currency.
    currency: fc.constantFrom(shops[shopId].currency, shops[shopId].currency, 'EUR'),
    country,
    lines: fc.array(
      fc.record({
        shopProductId: fc.constantFrom('sku-2', 'sku-3'),
        quantity: fc.integer({ min: 1, max: 3 }),
        priceMicros: fc.oneof(fc.integer({ min: 0, max: 99_999_999 }), fc.constant(900_000_000_000_000)),
        returnedPart: fc.constantFrom(0, 0, 0, 1 / 3, 1),
        credit: fc.option(
          fc
            .record({
              ad: adOf(shopId, display),
              adUnitId: unitOf(shopId, display),
              match: fc.constantFrom('DIRECT', 'HALO'),
            })
            .map(({ ad, ...rest }) => ({ ...rest, ...ad })),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
)

const arbitraryFacts: fc.Arbitrary<Facts> = fc
  .record({
    emissions: fc.array(emission, { minLength: 20, maxLength: 80, size: 'max' }),
    events: fc.array(event, { minLength: 40, maxLength: 200, size: 'max' }),
    purchases: fc.array(purchase, { minLength: 10, maxLength: 60, size: 'max' }),
  })
  .map(({ emissions, events, purchases }) => ({
    emissions: emissions.map((each, i) => ({ ...each, requestId: `r${i}` })),
    events: events.map((each, i) => ({ ...each, eventId: `e${i}` }) as EventFact),
    lines: purchases.flatMap(({ lines, ...each }, i) =>
      // An id names its shop and its order, so every order has a different id.
      lines.map(
        ({ returnedPart, ...line }, number) =>
          ({
            ...each,
            ...line,
            returnedMicros: Math.floor(line.priceMicros * returnedPart),
            line: number,
            eventId: `o${i % 30}-${each.shopId}-${i}`,
          }) as LineFact,
      ),
    ),
  }))

/** The facts of a seed, so that a failure is reported by its seed and not by a thousand records. */
export const factsOf = (seed: number): Facts => fc.sample(arbitraryFacts, { seed, numRuns: 1 })[0]!
