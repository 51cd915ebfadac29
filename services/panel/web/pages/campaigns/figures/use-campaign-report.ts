import type { Answer } from '../../../client/types.ts'
import { dateIn } from '../../../components/values/times.tsx'
import { type EntityState, useEntity } from '../../../data/use-entity.ts'
import { addDays, rangeUntil } from '../../reports/controls/periods.ts'

const REFRESH_MS = 15_000

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
export function useCampaignReport(
  { campaignId, timeZone, days, groupBy, metrics }: ReportWanted,
  { enabled = true }: { enabled?: boolean } = {},
): EntityState<CampaignReport> {
  const range = rangeUntil(dateIn(timeZone, Date.now()), days)
  const query = { campaignId, ...range, groupBy, metrics }
  return useEntity('/v1/panel/reports', { query, enabled, refreshMs: REFRESH_MS })
}

/** The dates of the last days, including today. */
export function datesOf(days: number, timeZone: string | undefined): string[] {
  const today = dateIn(timeZone, Date.now())
  return Array.from({ length: days }, (_, i) => addDays(today, i + 1 - days))
}
