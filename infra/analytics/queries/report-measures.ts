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

function named<Name extends string, M extends string, T>(
  measureOf: Readonly<Record<Name, M>>,
  of: (name: Name) => T,
): Record<M, T> {
  const entries = Object.entries<M>(measureOf) as [Name, M][]
  return Object.fromEntries(entries.map(([name, measure]) => [measure, of(name)])) as Record<M, T>
}

/** Each measure under its own name. */
const measuresOf = <M extends string>(all: Readonly<Record<M, unknown>>) =>
  Object.fromEntries(Object.keys(all).map((measure) => [measure, measure])) as { [Each in M]: Each }

/** What an event adds to each measure of events, as SQL over its columns, except `gross`, to which each event adds 1. */
export const eventMeasures = {
  ...named(measuresOf(conditionOf), (measure) => `toInt64(ifNull(${conditionOf[measure]}, 0))`),
  spend: 'toInt128(billedMicros)',
  creditedBack: 'toInt128(creditedBackMicros)',
} as Readonly<Record<keyof typeof conditionOf | 'spend' | 'creditedBack', string>>

const purchases = (condition: string) => `uniqExactIf((shopId, eventId), ${condition})`
const ofCredits = {
  purchases: purchases("kind = 'PURCHASE'"),
  directPurchases: purchases("kind = 'PURCHASE' AND match = 'DIRECT'"),
  haloPurchases: purchases("kind = 'PURCHASE' AND match = 'HALO'"),
  units: "arraySum(each -> each.2, groupUniqArrayIf((sipHash128(shopId, eventId, line), quantity), kind = 'PURCHASE'))",
  revenue: "sumIf(toInt128(creditedMicros), kind = 'PURCHASE')",
  returnedRevenue: "sumIf(toInt128(returnedMicros), kind = 'PURCHASE')",
  netRevenue: "sumIf(toInt128(creditedMicros) - toInt128(returnedMicros), kind = 'PURCHASE')",
  carts: purchases("kind = 'CART'"),
  wishlists: purchases("kind = 'WISHLIST'"),
}

/** SQL that counts the same where each line has one credit at most, as those have that are stored. Under some models a line has several. */
export const ofSingleCredits: Partial<Record<Measure, string>> = {
  units: "sumIf(toInt128(quantity), kind = 'PURCHASE')",
}

/** The fact that a measure counts, and its sum over them or the SQL for it. `requestFact` stands for requests or slots. */
export const measures: Record<Measure, { fact: Fact | 'requestFact' } & ({ sum: string } | { sql: string })> = {
  requests: { fact: 'requestFact', sum: 'facts' },
  emissions: { fact: 'ad', sum: 'facts' },
  gross: { fact: 'event', sum: 'facts' },
  ...named(measuresOf(eventMeasures), (sum) => ({ fact: 'event' as const, sum })),
  ...named(measuresOf(ofCredits), (measure) => ({ fact: 'credit' as const, sql: ofCredits[measure] })),
}

const MONEY: ReadonlySet<Measure> = new Set(['spend', 'creditedBack', 'revenue', 'returnedRevenue', 'netRevenue'])

/** Measures of money: the query gives them as text, in micro-units, because a sum may be over a safe integer. */
export const isMoney = (measure: Measure): boolean => MONEY.has(measure)
