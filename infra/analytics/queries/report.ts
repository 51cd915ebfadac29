import { DAY_MS, HOUR_MS } from '../../../schemas/durations.ts'
import type { ReportDimension } from '../../../schemas/http/panel/reports/reports.ts'
import type { Cell } from '../../../services/domain/time/local-cells.ts'
import type { QueryParams } from '../port.ts'
import type { CellGrain, CellSource } from './report-cells.ts'
import { type Cut, cutsFor, factColumns, sourceOf } from './report-counts.ts'
import { creditsSql, type FactOptions, factsSql } from './report-facts.ts'
import { type Fact, type Measure, measureOfVerdict, measures, ofSingleCredits } from './report-measures.ts'
import {
  factOf,
  factsOf,
  isInRows,
  needsOf,
  type ReadPlan,
  type ReportFilters,
  type ReportSpec,
  usedDimensions,
} from './report-spec.ts'

/** A report that takes longer is aborted, because other queries wait behind it. */
export const REPORT_MAX_SECONDS = 30
/**
 * Passes of ClickHouse's analysis that are left out. Reports have no sums and counts of one column to compute together, and looking
 * for some takes long. A key that is a function of other keys must not be left out of GROUPING SETS: its values would be empty.
 */
const WITHOUT_PASSES = 'optimize_syntax_fuse_functions = 0, optimize_group_by_function_keys = 0'

/**
 * The grouping key of each dimension, the columns that it is made of, besides shopId and offsetMs, how it is shown, and what takes its
 * place in totals. Rows are in the order of the keys. All SQL of a report comes from the tables here; what callers send goes into
 * parameters.
 */
const dimensions: Record<
  ReportDimension,
  { key: string; columns: readonly string[]; label?: (key: string) => string; none: string }
> = {
  hour: {
    // The moment when the hour starts, and the clock's distance from UTC, so that an hour that comes twice is two hours.
    key: `(occurredAt - (occurredAt + offsetMs) % ${HOUR_MS}, offsetMs)`,
    columns: [],
    label: (key) =>
      `concat(formatDateTime(fromUnixTimestamp64Milli(${key}.1 + ${key}.2, 'UTC'), '%Y-%m-%dT%H:00:00'),
        transform(${key}.2, {offsets:Array(Int64)}, {offsetTexts:Array(String)}, ''))`,
    none: '(toInt64(0), toInt64(0))',
  },
  day: {
    key: `intDiv(occurredAt + offsetMs, ${DAY_MS})`,
    columns: [],
    label: (key) => `formatDateTime(fromUnixTimestamp64Milli(${key} * ${DAY_MS}, 'UTC'), '%Y-%m-%d')`,
    none: 'toInt64(0)',
  },
  shop: { key: 'shopId', columns: [], none: "''" },
  account: { key: 'accountId', columns: ['accountId'], none: "''" },
  campaign: { key: 'campaignId', columns: ['campaignId'], none: "''" },
  product: { key: 'if(isDisplay, NULL, adId)', columns: ['isDisplay', 'adId'], none: 'NULL' },
  banner: { key: 'if(isDisplay, adId, NULL)', columns: ['isDisplay', 'adId'], none: 'NULL' },
  adUnit: { key: 'adUnitId', columns: ['adUnitId'], none: "''" },
  placement: {
    key: "transform(adUnitId, {adUnitIds:Array(String)}, {placementIds:Array(String)}, '')",
    columns: ['adUnitId'],
    none: "''",
  },
  algorithm: { key: 'algorithm', columns: ['algorithm'], none: "''" },
  country: { key: 'country', columns: ['country'], none: 'NULL' },
  purchasedProduct: { key: 'shopProductId', columns: ['shopProductId'], none: "''" },
}
/** Dimensions that depend on the clock of the shop. */
const isOfClock = (dimension: ReportDimension): boolean => dimension === 'hour' || dimension === 'day'

const adFilters = {
  accountId: 'accountId = {accountId:String}',
  campaignId: 'campaignId = {campaignId:String}',
  productId: 'NOT isDisplay AND adId = {productId:String}',
  bannerId: 'isDisplay AND adId = {bannerId:String}',
}
const creditFilters = {
  purchasedProductId: 'shopProductId = {purchasedProductId:String}',
}
const slotFilters = {
  adUnitIds: 'adUnitId IN {filterAdUnitIds:Array(String)}',
  algorithm: 'algorithm = {algorithm:String}',
}

/** A row of a report, with its dimensions by name. */
export type ReportRow = {
  /** 1 for the sums over all rows. */
  isTotal: number
  currency: string
  /** The measures in the order of `ReportSpec.measures`; money in micro-units. */
  sums: string[]
} & Partial<Record<ReportDimension, string | null>>

/**
 * One query for the rows of a report and for the sums over them, so that both are of the same moment. Rows in which all measures are
 * 0 are left out. There are at most `limit` rows, the first ones in the order of the report; without dimensions, only totals. Measures
 * are elements of one array: ClickHouse would take longer to analyse a column for each than to compute them.
 */
export function reportQuery(spec: ReportSpec): { sql: string; params: QueryParams } {
  const keys = [...spec.dimensions.map(keyOf), 'currency'].join(', ')
  const labels = spec.dimensions.map((dimension) => {
    const key = keyOf(dimension)
    return `${dimensions[dimension].label?.(key) ?? key} AS ${dimension}`
  })
  const sql = `
SELECT ${['isTotal', ...labels, 'currency'].join(', ')}, CAST(sumForEach(counted), 'Array(String)') AS sums
FROM (${factsOf(spec)
    .map((fact) => countedSql(spec, fact))
    .join('\n  UNION ALL')}
)
GROUP BY isTotal, ${keys}
HAVING arrayExists(sum -> sum != 0, sumForEach(counted))
ORDER BY isTotal, ${orderSql(spec)}${keys}
LIMIT ${Math.trunc(spec.limit)} BY isTotal
SETTINGS max_execution_time = ${REPORT_MAX_SECONDS}, ${WITHOUT_PASSES}`
  return { sql, params: paramsOf(spec) }
}

const keyOf = (dimension: ReportDimension) => `key_${dimension}`

/**
 * What rows are ordered by before their keys. A measure that the report does not count orders nothing, and rows without a quotient
 * are last.
 */
function orderSql({ order, measures: counted }: ReportSpec): string {
  const [above, below] = order.map((measure) => `sumForEach(counted)[${counted.indexOf(measure) + 1}]`)
  if (above === undefined || !order.every((measure) => counted.includes(measure))) return ''
  return below === undefined
    ? `${above} DESC, `
    : `toFloat64(${above}) / nullIf(toFloat64(${below}), 0) DESC NULLS LAST, `
}

/** The measures of one fact, grouped. Measures of other facts are 0, so that the rows of all facts can be added up. */
function countedSql(spec: ReportSpec, fact: Fact): string {
  const inRows = spec.dimensions.length > 0 && isInRows(fact, spec.dimensions)
  const keySql = (dimension: ReportDimension) =>
    `${inRows ? dimensions[dimension].key : dimensions[dimension].none} AS ${keyOf(dimension)}`
  const ofClock = inRows ? spec.dimensions.filter(isOfClock) : []
  const keys = spec.dimensions.map((each) => (ofClock.includes(each) ? keyOf(each) : keySql(each)))
  const isTotal = `toUInt8(${inRows ? `grouping(${keyOf(spec.dimensions[0]!)})` : '1'}) AS isTotal`
  const currency = fact === 'event' || fact === 'credit' ? 'currency' : `${shopCurrency} AS currency`
  const counted = spec.measures.map((measure) => (factOf(spec, measure) === fact ? measureSql(spec, measure) : '0'))
  const grouping = [...spec.dimensions.map(keyOf), 'currency'].join(', ')
  const facts = readSql(spec, fact)
  const onClock = ['*', `${perZone(spec, offsetSql)} AS offsetMs`, ...ofClock.map(keySql)].join(', ')
  return `
  SELECT ${[isTotal, ...keys, currency].join(', ')}, CAST([${counted.join(', ')}], 'Array(Int128)') AS counted
  FROM (${ofClock.length > 0 ? `SELECT ${onClock} FROM (${facts})` : facts}
  )
  WHERE ${filterSql(spec.filters, fact)}
  GROUP BY ${inRows ? `GROUPING SETS ((${grouping}), (currency))` : 'currency'}`
}

/** The facts that lie in the time of the report, with the columns and sums that it needs. */
function readSql(spec: ReportSpec, fact: Fact): string {
  const columns = [...new Set(usedDimensions(spec).flatMap((dimension) => dimensions[dimension].columns))]
  if (fact === 'credit') return creditsSql(scopeSql(spec), spec.credits?.sql ?? null, columns)
  const ofFact = [...factColumns[fact], ...(fact === 'ad' ? ['accountId'] : [])]
  const sums = spec.measures.flatMap((measure) => {
    const of = measureOf(spec, measure)
    return factOf(spec, measure) === fact && 'sum' in of ? [of.sum] : []
  })
  return factsSql(fact, {
    ...placesSql(spec, sourceOf(fact)),
    filter: filterSql(spec.filters, fact),
    columns: ofFact.filter((column) => columns.includes(column) || column === 'currency'),
    sums: [...new Set(sums)],
  })
}

/** The currency of requests, slots and ads is that of the shop, because their rows have none. */
const shopCurrency = "transform(shopId, {shopIds:Array(String)}, {shopCurrencies:Array(String)}, '')"

const isAd = (fact: Fact) => fact !== 'request' && fact !== 'slot'

/** The measure that is asked for, which is that of one verdict where the report is narrowed to it. */
function measureOf({ filters }: ReportSpec, measure: Measure) {
  const isNarrowed = measure === 'invalid' && filters.verdict !== undefined
  return measures[isNarrowed ? measureOfVerdict[filters.verdict!] : measure]
}

function measureSql(spec: ReportSpec, measure: Measure): string {
  const of = measureOf(spec, measure)
  if ('sum' in of) return `sum(${of.sum})`
  return (spec.credits === null ? ofSingleCredits[measure] : undefined) ?? of.sql
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
    ...(fact === 'credit' ? given(creditFilters) : []),
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

const timeSql = ({ start, end }: Cell) => `(occurredAt >= ${start} AND occurredAt < ${end})`

/** Conditions on what is read of a source: stored rows, and cells of counts. */
function placesSql(spec: ReportSpec, source: CellSource): Pick<FactOptions, 'stored' | 'counted'> {
  const plans = spec.plans[source]
  if (!plans) return { stored: scopeSql(spec), counted: null }
  const cuts = Object.entries(cutsFor(needsOf(spec))) as [CellGrain, Cut | null][]
  const ofZones = plans.map((plan, i) => {
    const cells = cuts.flatMap(([grain, cut]) => {
      if (cut === null || plan.cells[grain].length === 0) return []
      const [starts, ends] = ['Starts', 'Ends'].map((what) => `{${cellParam(i, source, grain)}${what}:Array(Int64)}`)
      return [`(cut = '${cut}' AND (startAt, endAt) IN arrayZip(${starts}, ${ends}))`]
    })
    return { stored: anyOf(plan.stored.map(timeSql)), counted: anyOf(cells) }
  })
  const inZones = (place: 'stored' | 'counted') =>
    anyOf(ofZones.flatMap((of, i) => (of[place] === null ? [] : [`(${shopsIn(i)} AND ${of[place]})`])))
  return { stored: inZones('stored'), counted: inZones('counted') }
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
