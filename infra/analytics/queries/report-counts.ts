import type { CellGrain, CellSource } from './report-cells.ts'
import { type CountedFact, eventMeasures } from './report-measures.ts'

/** Facts added up by hours and days of the shops, in the table `report_counts`. */

export const sourceOf = (fact: CountedFact): CellSource => (fact === 'event' ? 'EVENTS' : 'EMISSIONS')

/** The columns by which each fact can be grouped. */
export const factColumns: Record<CountedFact, readonly string[]> = {
  request: ['country'],
  slot: ['country', 'adUnitId', 'algorithm'],
  ad: ['country', 'adUnitId', 'algorithm', 'campaignId', 'isDisplay', 'adId'],
  event: ['country', 'adUnitId', 'algorithm', 'campaignId', 'isDisplay', 'accountId', 'currency', 'adId'],
}

/**
 * The columns by which a count is grouped. Each cell is counted in two cuts, because one count by all columns would have about as
 * many rows as there are events. Hours are counted by campaign, and by place; days by campaign and place together, and by the ads
 * of each campaign.
 */
export type Cut = 'hour' | 'hour_place' | 'day' | 'day_ad'
const byCampaign = ['campaignId', 'isDisplay', 'accountId', 'currency']
const byPlace = ['country', 'adUnitId', 'algorithm', 'currency']
const cutColumns: Record<Cut, readonly string[]> = {
  hour: byCampaign,
  hour_place: byPlace,
  day: [...byCampaign, ...byPlace],
  day_ad: [...byCampaign, 'adId'],
}
/** The two cuts of a cell. Only the first has the country. */
export const cutsOf = { hour: ['hour_place', 'hour'], day: ['day', 'day_ad'] } as const

/** The columns by which a fact is grouped in a cut. */
export const columnsOf = (fact: CountedFact, cut: Cut): string[] =>
  factColumns[fact].filter((column) => cutColumns[cut].includes(column))

/** What a report is grouped or filtered by. */
export interface CutNeeds {
  campaigns: boolean
  ads: boolean
  places: boolean
}

/** The cut of each grain that has what a report needs; null when none has, so that the report reads no counts of that grain. */
export function cutsFor({ campaigns, ads, places }: CutNeeds): Record<CellGrain, Cut | null> {
  if (ads) return { hour: null, day: places ? null : 'day_ad' }
  if (places) return { hour: campaigns ? null : 'hour_place', day: 'day' }
  return { hour: 'hour', day: 'day' }
}

/** The columns that are summed. */
export const countSums = (fact: CountedFact): string[] => [
  'facts',
  ...(fact === 'event' ? Object.keys(eventMeasures) : []),
]

/**
 * Facts of counted cells: shopId, occurredAt, which is the start of the cell, and some of the fact's columns and sums.
 * @param cells a condition on shopId, cut, startAt and endAt.
 */
export const countedFactsSql = (fact: CountedFact, cells: string, { columns, sums }: FactParts): string => `
  SELECT ${['shopId', 'startAt AS occurredAt', ...columns, ...sums].join(', ')}
  FROM report_counts FINAL WHERE fact = '${fact}' AND ${cells}`

/** What is read of a fact: columns of `factColumns`, and sums of `countSums`. */
export interface FactParts {
  columns: readonly string[]
  sums: readonly string[]
}
