import type { ApiProblem } from '../../../client/problem.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { dateIn, useNow } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { rangeUntil } from '../../reports/controls/periods.ts'
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
 * Today's spend, and the figures of the last 28 days including today, of every campaign of a list. Days are those of the given
 * shop, or without one those of each campaign's shop. Each of the two is one request, which is made only while a column shows it.
 */
export function useFigures(shop: Shop | undefined, wanted: { today: boolean; lastDays: boolean }): ListFigures {
  const date = dateIn(shop?.timeZone, useNow())
  const query = (days: number, metrics: string) => ({
    ...{ ...rangeUntil(date, days), groupBy: 'campaign', metrics },
    ...(shop ? { shopId: shop.id } : {}),
  })
  const today = useEntity('/v1/panel/reports', {
    query: query(1, 'spend'),
    enabled: wanted.today,
    refreshMs: REFRESH_MS,
  })
  const days = useEntity('/v1/panel/reports', {
    query: query(DAYS, 'views,clicks,spend,revenue,netRevenue'),
    enabled: wanted.lastDays,
    refreshMs: REFRESH_MS,
  })
  const spent = today.data && new Map(today.data.rows.map((row) => [row.campaign as string, row.spend ?? 0]))
  const rows = days.data && Map.groupBy(days.data.rows, ({ campaign }) => campaign)
  return {
    spentToday: spent && (({ id }) => spent.get(id) ?? (today.data?.truncated ? undefined : 0)),
    lastDays:
      rows &&
      (({ id }, currency) =>
        days.data?.truncated && !rows.has(id) ? undefined : figuresOf(rows.get(id) ?? [], currency)),
    problem: today.problem ?? days.problem,
    retry() {
      if (today.problem) today.retry()
      if (days.problem) days.retry()
    },
  }
}
