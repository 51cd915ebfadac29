import type { Answer, Query, Shop } from '../../client/types.ts'
import { dateIn, useNow } from '../../components/values/times.tsx'
import { type EntityState, useEntity } from '../../data/use-entity.ts'
import { addDays, type Days, daysOf, previousOf, sameClock } from '../reports/controls/periods.ts'
import { zoneOfToday } from '../reports/use-report.ts'

export type Report = Answer<'/v1/panel/reports'>
export type HomeFilter = Pick<Query<'/v1/panel/reports'>, 'shopId'>

export const PERIODS = [7, 28] as const
export type HomeDays = (typeof PERIODS)[number]

const METRICS = 'views,clicks,ctr,spend,purchases,revenue,roas'
const TOP_METRICS = 'revenue,spend,roas'
const TOP_CAMPAIGNS = 5
const REFRESH_MS = 20_000

export interface HomeReport {
  days: Days
  /** The report of the period so far, including today. */
  current: EntityState<Report>
  /** The report of the previous period of the same length, up to the same time of day on its last day. */
  previous: EntityState<Report>
  top: EntityState<Report>
}

/** The figures of the last days by day, those of the same number of days before, and the campaigns that sold most. */
export function useHomeReport(count: HomeDays, filter: HomeFilter, shops: readonly Shop[] | undefined): HomeReport {
  const now = useNow()
  const timeZone = zoneOfToday(shops, now)
  const days = daysOf(count === 7 ? '7-days' : '28-days', dateIn(timeZone, now))
  const before = previousOf(days)
  const range = { ...filter, from: days.from, to: addDays(days.until, 1) }
  const byDay = { groupBy: 'day', metrics: METRICS }
  const sameTime = new Date(sameClock(now, count, timeZone)).toISOString()
  const current = useEntity('/v1/panel/reports', { query: { ...range, ...byDay }, refreshMs: REFRESH_MS })
  const previous = useEntity('/v1/panel/reports', { query: { ...filter, ...byDay, from: before.from, to: sameTime } })
  const ofCampaigns = { groupBy: 'campaign', metrics: TOP_METRICS, orderBy: 'revenue', limit: TOP_CAMPAIGNS } as const
  const top = useEntity('/v1/panel/reports', { query: { ...range, ...ofCampaigns }, refreshMs: REFRESH_MS })
  return { days, current, previous, top }
}
