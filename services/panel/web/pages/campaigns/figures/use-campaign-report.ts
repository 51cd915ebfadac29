import type { Answer } from '../../../client/types.ts'
import { dateIn } from '../../../components/values/times.tsx'
import { type EntityState, useEntity } from '../../../data/use-entity.ts'

const REFRESH_MS = 15_000
const DAY_MS = 86_400_000

export type CampaignReport = Answer<'/v1/panel/reports'>

export interface ReportWanted {
  campaignId: string
  /** The shop's time zone, which defines the days. */
  timeZone: string | undefined
  /** The number of days, including today. */
  days: number
  groupBy: 'day' | 'product' | 'banner'
  metrics: string
}

/** The report of one campaign over the last days. */
export function useCampaignReport({
  campaignId,
  timeZone,
  days,
  groupBy,
  metrics,
}: ReportWanted): EntityState<CampaignReport> {
  const { from, to } = lastDays(days, timeZone)
  return useEntity('/v1/panel/reports', { query: { campaignId, from, to, groupBy, metrics }, refreshMs: REFRESH_MS })
}

/** The dates of the last days, including today. */
export function datesOf(days: number, timeZone: string | undefined): string[] {
  const today = Date.parse(dateIn(timeZone, Date.now()))
  return Array.from({ length: days }, (_, i) => new Date(today - (days - 1 - i) * DAY_MS).toISOString().slice(0, 10))
}

function lastDays(days: number, timeZone: string | undefined) {
  const [from = ''] = datesOf(days, timeZone)
  const today = Date.parse(dateIn(timeZone, Date.now()))
  return { from, to: new Date(today + DAY_MS).toISOString().slice(0, 10) }
}
