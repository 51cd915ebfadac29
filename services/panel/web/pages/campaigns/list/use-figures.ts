import { useQueries } from '@tanstack/react-query'
import type { ApiProblem } from '../../../client/problem.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { dateIn, useNow } from '../../../components/values/times.tsx'
import { entityQuery } from '../../../data/use-entity.ts'
import { rangeUntil } from '../../reports/controls/periods.ts'
import type { ReportRow } from '../../reports/vocabulary.ts'
import { type CampaignFigures, figuresOf } from './campaign-figures.ts'

const REFRESH_MS = 30_000
const DAYS = 28

/** Undefined while they are loading, and for a campaign that is not in the report, because that was cut off. */
export interface ListFigures {
  spentToday: ((campaign: Campaign) => number | undefined) | undefined
  /** Amounts are those in the given currency. */
  lastDays: ((campaign: Campaign, currency: string | undefined) => CampaignFigures | undefined) | undefined
  problem: ApiProblem | null
  retry: () => void
}

/**
 * Today's spend, and the figures of the last 28 days including today, of every campaign of a list. Days are those of each campaign's
 * shop: where it is not the same day in all `shops`, there is a report for each of the days. A report is requested only while a
 * column shows it. `shopId` limits it to one shop.
 */
export function useFigures(
  { shops, shopId }: { shops: readonly Shop[] | undefined; shopId: string | undefined },
  wanted: { today: boolean; lastDays: boolean },
): ListFigures {
  const now = useNow()
  const dateOf = new Map(shops?.map(({ id, timeZone }) => [id, dateIn(timeZone, now)]))
  const dates = [...new Set(dateOf.values())]
  const ofShop = shopId === undefined ? {} : { shopId }
  const today = useReports(dates, { days: 1, metrics: 'spend', ...ofShop }, wanted.today)
  const days = useReports(
    dates,
    { days: DAYS, metrics: 'views,clicks,spend,revenue,netRevenue', ...ofShop },
    wanted.lastDays,
  )
  const rowsIn = (reports: Reports, { id, shopId }: Campaign) => {
    const report = reports.byDate.get(dateOf.get(shopId) ?? '')
    return report && (report.rowsOf.get(id) ?? (report.isCut ? undefined : []))
  }
  return {
    spentToday: today.isThere
      ? (campaign) => rowsIn(today, campaign)?.reduce((sum, { spend }) => sum + (spend ?? 0), 0)
      : undefined,
    lastDays: days.isThere
      ? (campaign, currency) => {
          const rows = rowsIn(days, campaign)
          return rows && figuresOf(rows, currency)
        }
      : undefined,
    problem: today.problem ?? days.problem,
    retry() {
      today.retry()
      days.retry()
    },
  }
}

interface Reports {
  byDate: ReadonlyMap<string, { rowsOf: ReadonlyMap<string, readonly ReportRow[]>; isCut: boolean }>
  /** Whether the reports of all dates are there. */
  isThere: boolean
  problem: ApiProblem | null
  /** Requests again what has failed. */
  retry: () => void
}

/** The reports by campaign of the last days until each of the dates. */
function useReports(
  dates: readonly string[],
  { days, ...asked }: { days: number; metrics: string; shopId?: string },
  enabled: boolean,
): Reports {
  const reads = useQueries({
    queries: dates.map((date) => {
      const query = { ...rangeUntil(date, days), groupBy: 'campaign', ...asked }
      return entityQuery('/v1/panel/reports', { query, enabled, refreshMs: REFRESH_MS })
    }),
  })
  const failed = reads.filter(({ error }) => error !== null)
  return {
    byDate: new Map(
      reads.flatMap(({ data }, at) =>
        data
          ? [
              [
                dates[at]!,
                { rowsOf: Map.groupBy(data.rows, ({ campaign }) => campaign as string), isCut: data.truncated },
              ],
            ]
          : [],
      ),
    ),
    isThere: reads.length > 0 && reads.every(({ data }) => data !== undefined),
    problem: failed[0]?.error ?? null,
    retry() {
      for (const { refetch } of failed) void refetch()
    },
  }
}
