import type { ReportDimension } from '../../../schemas/http/panel/reports/reports.ts'
import type { Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import type { CellGrain, CellSource } from './report-cells.ts'
import { type Cut, type CutNeeds, cutsFor, sourceOf } from './report-counts.ts'
import { creditsSql, type FactOptions, factsSql } from './report-facts.ts'
import { type Fact, type InvalidVerdict, isMoney, type Measure, measureOfVerdict, measures } from './report-measures.ts'

/** A report that takes longer is aborted, because other queries wait behind it. */
const EXECUTION_MAX_SECONDS = 30
/** Reports have no sums and counts of one column to compute together. Looking for some is a third of the work of a small report. */
const WITHOUT_FUSING = 'optimize_syntax_fuse_functions = 0'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Shops whose clocks agree over the report's time. */
export interface ReportZone {
  timeZone: string
  shopIds: readonly string[]
  /** UTC epoch milliseconds, [from, to). */
  from: number
  to: number
  /** Where the local clock's distance from UTC changes; the first span starts at `from`. */
  spans: readonly { start: number; offsetMs: number; text: string }[]
}

export interface ReportFilters {
  accountId?: string
  campaignId?: string
  productId?: string
  bannerId?: string
  adUnitIds?: readonly string[]
  algorithm?: string
  country?: string
  verdict?: InvalidVerdict
}

/** Dimensions that only ads have, and not requests or slots. */
export const isOfAds = (dimension: ReportDimension): boolean =>
  dimension === 'account' || dimension === 'campaign' || dimension === 'product' || dimension === 'banner'
/** Dimensions that slots have, and not requests, because a request may have several slots. */
export const isOfSlots = (dimension: ReportDimension): boolean =>
  dimension === 'adUnit' || dimension === 'placement' || dimension === 'algorithm'

/** Where the facts of a zone are read from: cells of `report_counts`, and stored rows for the time between these cells. */
export interface ReadPlan {
  cells: Readonly<Record<CellGrain, readonly Cell[]>>
  stored: readonly Cell[]
}

export interface ReportSpec {
  zones: readonly ReportZone[]
  currencies: ReadonlyMap<string, string>
  /** Placement of each ad unit of the shops. */
  placements: ReadonlyMap<string, string>
  filters: ReportFilters
  dimensions: readonly ReportDimension[]
  measures: readonly Measure[]
  /** What the measure `requests` counts; null when it counts nothing. */
  requestFact: 'request' | 'slot' | null
  /** Credits under other settings; null for the stored credits. */
  credits: { sql: string; params: QueryParams } | null
  limit: number
  /** A plan for each zone. A source without plans is read from stored rows only. */
  plans: Partial<Record<CellSource, readonly ReadPlan[]>>
}

/** Which groups of columns a report needs of counts. */
export function needsOf({ dimensions, filters }: Pick<ReportSpec, 'dimensions' | 'filters'>): CutNeeds {
  const uses = (columns: readonly ReportDimension[], ...values: unknown[]) =>
    dimensions.some((each) => columns.includes(each)) || values.some((value) => value !== undefined)
  const { accountId, campaignId, productId, bannerId, adUnitIds, algorithm, country } = filters
  return {
    campaigns: uses(['account', 'campaign'], accountId, campaignId),
    ads: uses(['product', 'banner'], productId, bannerId),
    places: uses(['adUnit', 'placement', 'algorithm', 'country'], adUnitIds, algorithm, country),
  }
}

/** The facts that a report counts. */
export const factsOf = (spec: Pick<ReportSpec, 'measures' | 'requestFact'>): Fact[] => [
  ...new Set(spec.measures.flatMap((measure) => factOf(spec, measure) ?? [])),
]

/**
 * The grouping key of each dimension, how it is shown, and what takes its place in totals. Rows are in the order of the keys.
 * All SQL of a report comes from the tables here; what callers send goes into parameters.
 */
const dimensions: Record<ReportDimension, { key: string; label?: (key: string) => string; none: string }> = {
  hour: {
    // The moment when the hour starts, and the clock's distance from UTC, so that an hour that comes twice is two hours.
    key: `(localMs - localMs % ${HOUR_MS} - offsetMs, offsetMs)`,
    label: (key) =>
      `concat(formatDateTime(fromUnixTimestamp64Milli(${key}.1 + ${key}.2, 'UTC'), '%Y-%m-%dT%H:00:00'),
        transform(${key}.2, {offsets:Array(Int64)}, {offsetTexts:Array(String)}, ''))`,
    none: '(toInt64(0), toInt64(0))',
  },
  day: {
    key: `intDiv(localMs, ${DAY_MS})`,
    label: (key) => `formatDateTime(fromUnixTimestamp64Milli(${key} * ${DAY_MS}, 'UTC'), '%Y-%m-%d')`,
    none: 'toInt64(0)',
  },
  shop: { key: 'shopId', none: "''" },
  account: { key: 'accountId', none: "''" },
  campaign: { key: 'campaignId', none: "''" },
  product: { key: 'if(isDisplay, NULL, adId)', none: 'NULL' },
  banner: { key: 'if(isDisplay, adId, NULL)', none: 'NULL' },
  adUnit: { key: 'adUnitId', none: "''" },
  placement: {
    key: "transform(adUnitId, {adUnitIds:Array(String)}, {placementIds:Array(String)}, '')",
    none: "''",
  },
  algorithm: { key: 'algorithm', none: "''" },
  country: { key: 'country', none: 'NULL' },
}

const adFilters = {
  accountId: 'accountId = {accountId:String}',
  campaignId: 'campaignId = {campaignId:String}',
  productId: 'NOT isDisplay AND adId = {productId:String}',
  bannerId: 'isDisplay AND adId = {bannerId:String}',
}
const slotFilters = {
  adUnitIds: 'adUnitId IN {filterAdUnitIds:Array(String)}',
  algorithm: 'algorithm = {algorithm:String}',
}

/**
 * One query for the rows of a report and for the sums over them (`isTotal` 1), so that both are of the same moment. A row has the
 * dimensions by name, `currency`, and the measures by name (counts as numbers, money as text in micro-units). Rows in which all
 * measures are 0 are left out. There are at most `limit` rows, in the order of the dimensions; without dimensions, only totals.
 */
export function reportQuery(spec: ReportSpec): { sql: string; params: QueryParams } {
  const facts = factsOf(spec)
  const keys = ['isTotal', ...spec.dimensions.map((dimension) => `key_${dimension}`), 'currency'].join(', ')
  const labels = spec.dimensions.map((dimension) => {
    const key = `key_${dimension}`
    return `${dimensions[dimension].label?.(key) ?? key} AS ${dimension}`
  })
  const sums = spec.measures.map(
    (measure) => `${isMoney(measure) ? 'toString' : 'toInt64'}(sum(m_${measure})) AS ${measure}`,
  )
  const sql = `
SELECT ${['isTotal', ...labels, 'currency', ...sums].join(', ')}
FROM (${facts.map((fact) => countedSql(spec, fact)).join('\nUNION ALL')}
)
GROUP BY ${keys}
HAVING ${spec.measures.map((measure) => `sum(m_${measure}) != 0`).join(' OR ')}
ORDER BY ${keys}
LIMIT ${Math.trunc(spec.limit)} BY isTotal
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}, ${WITHOUT_FUSING}`
  return { sql, params: paramsOf(spec) }
}

/** The measures of one fact, grouped. Measures of other facts are 0, so that the rows of all facts can be added up. */
function countedSql(spec: ReportSpec, fact: Fact): string {
  // Requests have no rows in a report about ads, but are part of its totals.
  const inRows = spec.dimensions.length > 0 && (isAd(fact) || !spec.dimensions.some(isOfAds))
  const dimensionKeys = spec.dimensions.map((dimension) => `key_${dimension}`)
  const keys = spec.dimensions.map(
    (dimension) => `${inRows ? dimensions[dimension].key : dimensions[dimension].none} AS key_${dimension}`,
  )
  const counts = spec.measures.map((measure) => {
    const sql = factOf(spec, measure) === fact ? sumSql(spec, measure) : '0'
    return `${isMoney(measure) ? 'toInt128' : 'toInt64'}(${sql}) AS m_${measure}`
  })
  const isTotal = `toUInt8(${inRows ? `grouping(${dimensionKeys[0]})` : '1'}) AS isTotal`
  const withAccounts = spec.dimensions.includes('account') || spec.filters.accountId !== undefined
  const filter = filterSql(spec.filters, fact)
  const fromFact =
    fact === 'credit'
      ? creditsSql(scopeSql(spec), spec.credits?.sql ?? null)
      : factsSql(fact, { ...placesSql(spec, sourceOf(fact)), withAccounts, filter })
  const grouping = [...dimensionKeys, 'currency'].join(', ')
  const local = [`${perZone(spec, offsetSql)} AS offsetMs`, 'occurredAt + offsetMs AS localMs']
  return `
  SELECT ${[isTotal, ...dimensionKeys, 'currency', ...counts].join(', ')}
  FROM (SELECT ${['*', ...local, ...keys].join(', ')} FROM (
    ${fromFact}
  ))
  WHERE ${filter}
  GROUP BY ${inRows ? `GROUPING SETS ((${grouping}), (currency))` : grouping}`
}

const isAd = (fact: Fact) => fact !== 'request' && fact !== 'slot'

function factOf({ requestFact }: Pick<ReportSpec, 'requestFact'>, measure: Measure): Fact | null {
  const { fact } = measures[measure]
  return fact === 'requestFact' ? requestFact : fact
}

function sumSql({ filters }: ReportSpec, measure: Measure): string {
  const isNarrowed = measure === 'invalid' && filters.verdict !== undefined
  return measures[isNarrowed ? measureOfVerdict[filters.verdict!] : measure].sql
}

function filterSql(filters: ReportFilters, fact: Fact): string {
  const given = (conditions: Record<string, string>) =>
    Object.entries(conditions).flatMap(([name, sql]) =>
      filters[name as keyof ReportFilters] === undefined ? [] : [sql],
    )
  return [
    '1',
    ...given({ country: 'country = {country:String}' }),
    ...(fact === 'request' ? [] : given(slotFilters)),
    ...(isAd(fact) ? given(adFilters) : []),
  ].join(' AND ')
}

const shopsIn = (zone: number) => `shopId IN {zone${zone}Shops:Array(String)}`
const offsetSql = (zone: number) =>
  `transform(roundDown(occurredAt, {zone${zone}Starts:Array(Int64)}), {zone${zone}Starts:Array(Int64)}, {zone${zone}Offsets:Array(Int64)}, toInt64(0))`

function scopeSql(spec: ReportSpec): string {
  const scopes = spec.zones.map(
    (_, i) => `(${shopsIn(i)} AND occurredAt >= {zone${i}From:Int64} AND occurredAt < {zone${i}To:Int64})`,
  )
  return `(${scopes.join(' OR ')})`
}

const timesSql = (times: readonly Cell[]) =>
  times.map(({ start, end }) => `(occurredAt >= ${start} AND occurredAt < ${end})`).join(' OR ')

/** Conditions on what is read of a source: stored rows, and cells of counts. */
function placesSql(spec: ReportSpec, source: CellSource): Pick<FactOptions, 'stored' | 'counted'> {
  const plans = spec.plans[source]
  if (!plans) return { stored: scopeSql(spec), counted: [] }
  const stored = plans.flatMap((plan, i) =>
    plan.stored.length === 0 ? [] : [`(${shopsIn(i)} AND (${timesSql(plan.stored)}))`],
  )
  const cuts = Object.entries(cutsFor(needsOf(spec))) as [CellGrain, Cut | null][]
  const counted = cuts.flatMap(([grain, cut]) => {
    const ofZones = plans.flatMap((plan, i) => {
      if (plan.cells[grain].length === 0) return []
      const [starts, ends] = ['Starts', 'Ends'].map((what) => `{${cellParam(i, source, grain)}${what}:Array(Int64)}`)
      return [`(${shopsIn(i)} AND startAt IN ${starts} AND endAt = transform(startAt, ${starts}, ${ends}, toInt64(0)))`]
    })
    const condition = anyOf(ofZones)
    return cut === null || condition === null ? [] : [{ cut, condition }]
  })
  return { stored: anyOf(stored), counted }
}

const anyOf = (conditions: readonly string[]) => (conditions.length === 0 ? null : `(${conditions.join(' OR ')})`)
const cellParam = (zone: number, source: CellSource, grain: CellGrain) => `zone${zone}_${source}_${grain}`

function cellParams(plans: ReportSpec['plans']): [string, number[]][] {
  const entries = Object.entries(plans) as [CellSource, readonly ReadPlan[]][]
  return entries.flatMap(([source, ofZones]) =>
    ofZones.flatMap(({ cells }, i) =>
      (Object.entries(cells) as [CellGrain, readonly Cell[]][]).flatMap(([grain, of]): [string, number[]][] => [
        [`${cellParam(i, source, grain)}Starts`, of.map(({ start }) => start)],
        [`${cellParam(i, source, grain)}Ends`, of.map(({ end }) => end)],
      ]),
    ),
  )
}

/** SQL that chooses among zones the expression of the one that the row's shop is in. */
function perZone(spec: ReportSpec, expression: (zone: number) => string): string {
  const [only] = spec.zones
  if (spec.zones.length === 1 && only) return expression(0)
  const cases = spec.zones.map((_, i) => `${shopsIn(i)}, ${expression(i)}`)
  return `multiIf(${cases.join(', ')}, toInt64(0))`
}

function paramsOf({ zones, currencies, placements, filters, credits, plans }: ReportSpec): QueryParams {
  const perZoneParams = zones.flatMap(({ shopIds, from, to, spans }, i) => [
    [`zone${i}Shops`, shopIds],
    [`zone${i}From`, from],
    [`zone${i}To`, to],
    [`zone${i}Starts`, spans.map(({ start }) => start)],
    [`zone${i}Offsets`, spans.map(({ offsetMs }) => offsetMs)],
  ])
  const offsets = new Map(zones.flatMap(({ spans }) => spans.map(({ offsetMs, text }) => [offsetMs, text] as const)))
  const { adUnitIds, verdict: _, ...values } = filters
  return {
    ...Object.fromEntries(perZoneParams),
    shopIds: [...currencies.keys()],
    shopCurrencies: [...currencies.values()],
    adUnitIds: [...placements.keys()],
    placementIds: [...placements.values()],
    offsets: [...offsets.keys()],
    offsetTexts: [...offsets.values()],
    ...Object.fromEntries(cellParams(plans)),
    ...values,
    ...(adUnitIds ? { filterAdUnitIds: adUnitIds } : {}),
    ...credits?.params,
  }
}
