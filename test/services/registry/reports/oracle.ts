import type { ReportDimension, ReportMetric } from '../../../../schemas/http/panel/reports/reports.ts'
import type { Facts } from './facts/facts.ts'
import { adUnits, campaigns, type ShopId, shops } from './world.ts'

/** Reports in plain TypeScript: one flat list of everything that counts, and for each figure a pass over the matching entries. */

export interface Asked {
  from: string
  to: string
  groupBy: ReportDimension[]
  metrics: ReportMetric[]
  filters: Partial<
    Record<
      | 'shopId'
      | 'accountId'
      | 'campaignId'
      | 'productId'
      | 'bannerId'
      | 'purchasedProductId'
      | 'adUnitId'
      | 'placementId'
      | 'algorithm'
      | 'country',
      string
    >
  >
}

interface Counted {
  what: 'request' | 'slot' | 'ad' | 'view' | 'click' | 'invalid' | 'credit'
  at: number
  shop: ShopId
  currency: string
  dims: Partial<Record<ReportDimension, string | null>>
  billed?: number
  creditedBack?: number
  verdict?: string
  type?: 'VIEW' | 'CLICK'
  rule?: string
  isMarked?: boolean
  sale?: { kind: string; id: string; match: string; units: number; price: number; returned: number }
}

const AD_DIMENSIONS = ['account', 'campaign', 'product', 'banner']
const METRICS_OF_SALES: readonly string[] = [
  ...['purchases', 'directPurchases', 'haloPurchases', 'units', 'revenue', 'returnedRevenue', 'netRevenue'],
  ...['carts', 'wishlists'],
]
const SLOT_DIMENSIONS = ['adUnit', 'placement', 'algorithm']
const filterOf = {
  shopId: 'shop',
  accountId: 'account',
  campaignId: 'campaign',
  productId: 'product',
  bannerId: 'banner',
  purchasedProductId: 'purchasedProduct',
  adUnitId: 'adUnit',
  placementId: 'placement',
  algorithm: 'algorithm',
  country: 'country',
} as const

export function expected(facts: Facts, asked: Asked) {
  const filtered = Object.keys(asked.filters).map((name) => filterOf[name as keyof typeof filterOf] as string)
  const perSlot = [...filtered, ...asked.groupBy].some((name) => SLOT_DIMENSIONS.includes(name))
  const requestsKnown = !filtered.some((name) => AD_DIMENSIONS.includes(name))
  const isOfProduct = asked.filters.purchasedProductId !== undefined
  const things = countedIn(facts).filter((thing) => {
    if (isOfProduct && thing.what !== 'credit') return false
    if (thing.what === (perSlot ? 'request' : 'slot')) return false
    if ((thing.what === 'request' || thing.what === 'slot') && !requestsKnown) return false
    return inTime(thing, asked) && matches(thing, asked)
  })
  const ofSales = isOfProduct || asked.groupBy.includes('purchasedProduct')
  const inRows = things.filter(({ what }) => {
    if (ofSales && what !== 'credit') return false
    return (what !== 'request' && what !== 'slot') || !asked.groupBy.some((name) => AD_DIMENSIONS.includes(name))
  })
  const keyOf = (thing: Counted) =>
    JSON.stringify([...asked.groupBy.map((name) => thing.dims[name] ?? null), thing.currency])
  const rows = [...Map.groupBy(inRows, keyOf)].map(([key, members]) => {
    const values = JSON.parse(key) as (string | null)[]
    const dims = Object.fromEntries(asked.groupBy.map((name, i) => [name, values[i]]))
    const requestsInRow = requestsKnown && !asked.groupBy.some((name) => AD_DIMENSIONS.includes(name))
    return {
      ...dims,
      currency: values.at(-1),
      ...figures(members, asked.metrics, { requests: requestsInRow, ofSales }),
    }
  })
  const known = { requests: requestsKnown, ofSales: isOfProduct }
  const byCurrency = [...Map.groupBy(things, ({ currency }) => currency)].map(([currency, members]) => ({
    currency,
    ...figures(members, asked.metrics, known),
  }))
  const says = (row: object) => asked.metrics.some((metric) => measured(row, metric))
  return { rows: rows.filter(says), totalsByCurrency: byCurrency.filter(says), things, known }
}

/** Whether a row has a value of a metric other than zero or null. A ratio has one if any of its parts has. */
function measured(row: object, metric: ReportMetric): boolean {
  const all = (row as { all: Record<string, number | string | null> }).all
  const parts =
    metric === 'ctr'
      ? ['views', 'clicks']
      : metric === 'invalidRate'
        ? ['grossViews', 'grossClicks']
        : metric === 'roas'
          ? ['spend', 'netRevenue']
          : [metric]
  return parts.some((part) => !['0', 'null'].includes(String(all[part])))
}

interface Known {
  requests: boolean
  /** Only metrics of sales are known. */
  ofSales: boolean
}

export function figures(things: Counted[], metrics: readonly ReportMetric[], { requests, ofSales }: Known) {
  const invalid = (verdict: string) => things.filter((thing) => thing.verdict === verdict).length
  const count = (...what: string[]) => things.filter((thing) => what.includes(thing.what)).length
  const sales = (kind: string, match?: string) =>
    things.filter(({ sale }) => sale?.kind === kind && (match === undefined || sale.match === match))
  const distinct = (list: Counted[]) => new Set(list.map(({ shop, sale }) => `${shop}|${sale!.id}`)).size
  const gross = (...types: string[]) => things.filter(({ type }) => type && types.includes(type)).length
  const byRule = (rule: string) => things.filter((thing) => thing.rule === rule).length
  const creditedBack = things.reduce((sum, thing) => sum + BigInt(thing.creditedBack ?? 0), 0n)
  const spend = things.reduce((sum, { billed = 0 }) => sum + BigInt(billed), 0n)
  const revenue = sales('PURCHASE').reduce((sum, { sale }) => sum + BigInt(sale!.price), 0n)
  const returned = sales('PURCHASE').reduce((sum, { sale }) => sum + BigInt(sale!.returned), 0n)
  const all: Record<ReportMetric, number | string | null> = {
    requests: requests ? count('request', 'slot') : null,
    emissions: count('ad'),
    views: count('view'),
    clicks: count('click'),
    grossViews: gross('VIEW'),
    grossClicks: gross('CLICK'),
    invalid: count('invalid'),
    invalidRate: gross('VIEW', 'CLICK') ? count('invalid') / gross('VIEW', 'CLICK') : null,
    invalidTraffic: invalid('INVALID_TRAFFIC'),
    invalidAddressClicks: byRule('ADDRESS_CLICKS'),
    invalidAgentClicks: byRule('AGENT_CLICKS'),
    invalidNetworkClicks: byRule('NETWORK_CLICKS'),
    invalidAddressPeople: byRule('ADDRESS_PEOPLE'),
    invalidAddressViews: byRule('ADDRESS_VIEWS'),
    invalidCidClicks: byRule('CID_CLICKS'),
    invalidCidViews: byRule('CID_VIEWS'),
    invalidClicksOnly: byRule('CLICKS_ONLY'),
    invalidTooFast: byRule('TOO_FAST'),
    invalidNoView: byRule('NO_VIEW'),
    invalidVoided: invalid('VOIDED'),
    marked: things.filter(({ isMarked }) => isMarked).length,
    creditedBack: decimal(creditedBack),
    invalidBot: invalid('BOT'),
    invalidDuplicate: invalid('DUPLICATE'),
    invalidExpired: invalid('EXPIRED'),
    invalidReplayed: invalid('REPLAYED'),
    invalidCapped: invalid('CAPPED'),
    invalidOverBudget: invalid('OVER_BUDGET'),
    ctr: count('view') ? count('click') / count('view') : null,
    spend: decimal(spend),
    purchases: distinct(sales('PURCHASE')),
    directPurchases: distinct(sales('PURCHASE', 'DIRECT')),
    haloPurchases: distinct(sales('PURCHASE', 'HALO')),
    units: sales('PURCHASE').reduce((sum, { sale }) => sum + sale!.units, 0),
    revenue: decimal(revenue),
    returnedRevenue: decimal(returned),
    netRevenue: decimal(revenue - returned),
    carts: distinct(sales('CART')),
    wishlists: distinct(sales('WISHLIST')),
    roas: spend ? Number(revenue - returned) / Number(spend) : null,
  }
  const isKnown = (metric: ReportMetric) => !ofSales || METRICS_OF_SALES.includes(metric)
  return { ...Object.fromEntries(metrics.map((metric) => [metric, isKnown(metric) ? all[metric] : null])), all }
}

/** A decimal as in an answer: with all digits, but without trailing zeros. */
function decimal(micros: bigint): string {
  return `${micros / 1_000_000n}.${String(1_000_000n + (micros % 1_000_000n)).slice(1)}`.replace(/\.?0+$/, '')
}

function countedIn({ emissions, events, lines }: Facts): Counted[] {
  const time = (at: number, shop: ShopId) => ({ day: localDay(at, shop), hour: localHour(at, shop), shop })
  const unit = (id: string) => ({ adUnit: id, placement: adUnits[id]!.placementId, algorithm: adUnits[id]!.algorithm })
  const ad = ({ campaignId, adId }: { campaignId: string; adId: string }) => {
    const { accountId, display } = campaigns[campaignId]!
    return { account: accountId, campaign: campaignId, product: display ? null : adId, banner: display ? adId : null }
  }
  return [
    ...emissions.flatMap(({ occurredAt: at, shopId: shop, country, slots }): Counted[] => {
      const common = { at, shop, currency: shops[shop].currency }
      const dims = { ...time(at, shop), country }
      return [
        { ...common, what: 'request', dims },
        ...slots.flatMap((slot): Counted[] => [
          { ...common, what: 'slot', dims: { ...dims, ...unit(slot.adUnitId) } },
          ...slot.ads.map(
            (each): Counted => ({ ...common, what: 'ad', dims: { ...dims, ...unit(slot.adUnitId), ...ad(each) } }),
          ),
        ]),
      ]
    }),
    ...events.map((event): Counted => {
      const shop = campaigns[event.campaignId]!.shopId
      const isBilled = event.verdicts.includes('VALID')
      const valid = isBilled && event.voids === 0
      const verdict = isBilled ? 'VOIDED' : event.verdicts[0]!
      const dims = { ...time(event.occurredAt, shop), country: event.country, ...unit(event.adUnitId), ...ad(event) }
      const what = valid ? (event.type === 'VIEW' ? 'view' : 'click') : 'invalid'
      return {
        what,
        at: event.occurredAt,
        shop,
        currency: shops[shop].currency,
        dims,
        type: event.type,
        billed: valid ? event.billedMicros : 0,
        creditedBack: isBilled && !valid ? event.billedMicros : 0,
        isMarked: valid && event.marks.length > 0,
        ...(valid ? {} : { verdict }),
        ...(verdict === 'INVALID_TRAFFIC' ? { rule: event.rule } : {}),
      }
    }),
    ...lines.flatMap(
      ({
        credit,
        shopId: shop,
        occurredAt: at,
        currency,
        country,
        kind,
        eventId: id,
        shopProductId,
        quantity: units,
        priceMicros: price,
        returnedMicros: returned,
      }): Counted[] =>
        credit
          ? [
              {
                what: 'credit',
                at,
                shop,
                currency,
                dims: {
                  ...{ ...time(at, shop), country, ...unit(credit.adUnitId), ...ad(credit) },
                  purchasedProduct: shopProductId,
                },
                sale: { kind, id, match: credit.match, units, price, returned },
              },
            ]
          : [],
    ),
  ]
}

function inTime({ at, shop }: Counted, { from, to }: Asked): boolean {
  const day = localDay(at, shop)
  const after = from.includes('T') ? at >= Date.parse(from) : day >= from
  const before = to.includes('T') ? at < Date.parse(to) : day < to
  return after && before
}

function matches({ what, dims }: Counted, { filters }: Asked): boolean {
  return Object.entries(filters).every(([name, value]) => {
    const dimension = filterOf[name as keyof typeof filterOf]
    if (what === 'request' && dimension !== 'shop' && dimension !== 'country')
      throw new Error('requests have no such thing')
    return dims[dimension] === value
  })
}

const formats = new Map<string, Intl.DateTimeFormat>()
function parts(at: number, shop: ShopId): Record<string, string> {
  const { timeZone } = shops[shop]
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
  formats.set(timeZone, format)
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}
function localDay(at: number, shop: ShopId): string {
  const { year, month, day } = parts(at, shop)
  return `${year}-${month}-${day}`
}
function localHour(at: number, shop: ShopId): string {
  const { hour, timeZoneName } = parts(at, shop)
  return `${localDay(at, shop)}T${hour}:00:00${timeZoneName!.replace('GMT', '') || '+00:00'}`
}
