import type { CellGrain, CellSource } from './report-cells.ts'
import { type CountedFact, eventMeasures } from './report-measures.ts'

/** Facts added up by hours and days of the shops, in the table `report_counts`. */

export const sourceOf = (fact: CountedFact): CellSource => (fact === 'event' ? 'EVENTS' : 'EMISSIONS')

/** What each fact may be told apart by. */
const factColumns: Record<CountedFact, readonly string[]> = {
  request: ['country'],
  slot: ['country', 'adUnitId', 'algorithm'],
  ad: ['country', 'adUnitId', 'algorithm', 'campaignId', 'isDisplay', 'adId'],
  event: ['country', 'adUnitId', 'algorithm', 'campaignId', 'isDisplay', 'accountId', 'currency', 'adId'],
}

/**
 * A cell is counted in two ways, because one by everything would have about as many rows as there are events. Hours by campaign, and
 * by place; days by campaign and place together, and by the ads of each campaign.
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
/** The two cuts of a cell; the country is in the first, and only there. */
export const cutsOf = { hour: ['hour_place', 'hour'], day: ['day', 'day_ad'] } as const

/** What facts are added up by in a cut. */
export const columnsOf = (fact: CountedFact, cut: Cut): string[] =>
  factColumns[fact].filter((column) => cutColumns[cut].includes(column))

/** What a report tells apart, or is narrowed by. */
export interface CutNeeds {
  campaigns: boolean
  ads: boolean
  places: boolean
}

/** The cuts that have what a report needs; null: it reads no counts of such cells. */
export function cutsFor({ campaigns, ads, places }: CutNeeds): Record<CellGrain, Cut | null> {
  if (ads) return { hour: null, day: places ? null : 'day_ad' }
  if (places) return { hour: campaigns ? null : 'hour_place', day: 'day' }
  return { hour: 'hour', day: 'day' }
}

/** What is added up. */
export const countSums = (fact: CountedFact): string[] => [
  'facts',
  ...(fact === 'event' ? Object.keys(eventMeasures) : []),
]

/** Facts of counted cells, in the columns of the stored ones, each row at the start of its cell. */
export function countedFactsSql(fact: CountedFact, cells: readonly CountedCells[]): string {
  const columns = [...factColumns[fact], ...countSums(fact)].join(', ')
  const parts = cells.map(
    ({ cut, condition }) => `
  SELECT shopId, startAt AS occurredAt, ${columns}
  FROM report_counts FINAL WHERE fact = '${fact}' AND cut = '${cut}' AND ${condition}`,
  )
  return parts.join('\n  UNION ALL')
}

export interface CountedCells {
  cut: Cut
  /** On shopId, startAt and endAt. */
  condition: string
}
