import type { invalidVerdicts, ReportMetric } from '../../../schemas/http/panel/reports/reports.ts'
import type { TrafficRuleName } from '../../../schemas/records/traffic-rules.ts'

/** The facts that are counted by hours and days. Credits are not. */
export type CountedFact = 'request' | 'slot' | 'ad' | 'event'
export type Fact = CountedFact | 'credit'

/** What a query measures. Ratios are computed from these. */
export type Measure = Exclude<ReportMetric, 'ctr' | 'roas' | 'invalidRate'> | 'gross'

export type InvalidVerdict = (typeof invalidVerdicts)[number]
export const measureOfVerdict = {
  BOT: 'invalidBot',
  DUPLICATE: 'invalidDuplicate',
  EXPIRED: 'invalidExpired',
  REPLAYED: 'invalidReplayed',
  CAPPED: 'invalidCapped',
  OVER_BUDGET: 'invalidOverBudget',
  INVALID_TRAFFIC: 'invalidTraffic',
  VOIDED: 'invalidVoided',
} as const satisfies Record<InvalidVerdict, Measure>

const measureOfRule = {
  ADDRESS_CLICKS: 'invalidAddressClicks',
  AGENT_CLICKS: 'invalidAgentClicks',
  NETWORK_CLICKS: 'invalidNetworkClicks',
  ADDRESS_PEOPLE: 'invalidAddressPeople',
  ADDRESS_VIEWS: 'invalidAddressViews',
  CID_CLICKS: 'invalidCidClicks',
  CID_VIEWS: 'invalidCidViews',
  CLICKS_ONLY: 'invalidClicksOnly',
  TOO_FAST: 'invalidTooFast',
  NO_VIEW: 'invalidNoView',
} as const satisfies Record<TrafficRuleName, Measure>

const conditionOf = {
  grossViews: "type = 'VIEW'",
  grossClicks: "type = 'CLICK'",
  views: "verdict = 'VALID' AND type = 'VIEW'",
  clicks: "verdict = 'VALID' AND type = 'CLICK'",
  marked: "verdict = 'VALID' AND notEmpty(marks)",
  invalid: "verdict != 'VALID'",
  ...named(measureOfVerdict, (verdict) => `verdict = '${verdict}'`),
  ...named(measureOfRule, (rule) => `verdict = 'INVALID_TRAFFIC' AND invalidReason = '${rule}'`),
}

function named<Name extends string, M extends string>(
  measureOf: Readonly<Record<Name, M>>,
  conditionOf: (name: Name) => string,
): Record<M, string> {
  const entries = Object.entries<M>(measureOf) as [Name, M][]
  return Object.fromEntries(entries.map(([name, measure]) => [measure, conditionOf(name)])) as Record<M, string>
}

/** What an event adds to each measure of events, as SQL over its columns, except `gross`, to which each event adds 1. */
export const eventMeasures = {
  ...named(
    Object.fromEntries(Object.keys(conditionOf).map((measure) => [measure, measure])),
    (measure) => `toInt64(ifNull(${conditionOf[measure as keyof typeof conditionOf]}, 0))`,
  ),
  spend: 'toInt128(billedMicros)',
  creditedBack: 'toInt128(creditedBackMicros)',
} as Readonly<Record<keyof typeof conditionOf | 'spend' | 'creditedBack', string>>

const purchases = (condition: string) => `uniqExactIf((shopId, eventId), ${condition})`
const ofCredits = {
  purchases: purchases("kind = 'PURCHASE'"),
  directPurchases: purchases("kind = 'PURCHASE' AND match = 'DIRECT'"),
  haloPurchases: purchases("kind = 'PURCHASE' AND match = 'HALO'"),
  revenue: "sumIf(toInt128(creditedMicros), kind = 'PURCHASE')",
  returnedRevenue: "sumIf(toInt128(returnedMicros), kind = 'PURCHASE')",
  netRevenue: "sumIf(toInt128(creditedMicros) - toInt128(returnedMicros), kind = 'PURCHASE')",
  carts: purchases("kind = 'CART'"),
  wishlists: purchases("kind = 'WISHLIST'"),
}

/** The facts that a measure counts, and the SQL for it. `requestFact` stands for requests or slots. */
export const measures = {
  requests: { fact: 'requestFact', sql: 'sum(facts)' },
  emissions: { fact: 'ad', sql: 'sum(facts)' },
  gross: { fact: 'event', sql: 'sum(facts)' },
  ...counted('event', eventMeasures, (measure) => `sum(${measure})`),
  ...counted('credit', ofCredits, (measure) => ofCredits[measure]),
} satisfies Record<Measure, { fact: Fact | 'requestFact'; sql: string }>

function counted<M extends string, F extends Fact>(
  fact: F,
  of: Readonly<Record<M, string>>,
  sqlOf: (measure: M) => string,
) {
  const names = Object.keys(of) as M[]
  return Object.fromEntries(names.map((measure) => [measure, { fact, sql: sqlOf(measure) }])) as Record<
    M,
    { fact: F; sql: string }
  >
}

const MONEY: ReadonlySet<Measure> = new Set(['spend', 'creditedBack', 'revenue', 'returnedRevenue', 'netRevenue'])

/** Measures of money: the query gives them as text, in micro-units, because a sum may be over a safe integer. */
export const isMoney = (measure: Measure): boolean => MONEY.has(measure)
