import type { ApiProblem } from '../../../client/problem.ts'
import type { Campaign, Shop } from '../../../client/types.ts'
import { dateIn, useNow } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { rangeUntil } from '../../reports/controls/periods.ts'

const REFRESH_MS = 30_000
const DAYS = 28

/** The results of a campaign in the last days. A ratio is null when its denominator is zero. */
export interface CampaignFigures {
  impressions: number
  clicks: number
  spend: number
  sales: number
  ctr: number | null
  cpc: number | null
  roas: number | null
}

export interface ListFigures {
  /** Undefined while they are loading. */
  spentToday: ((campaign: Campaign) => number) | undefined
  lastDays: ((campaign: Campaign) => CampaignFigures) | undefined
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
    query: query(DAYS, 'views,clicks,spend,revenue'),
    enabled: wanted.lastDays,
    refreshMs: REFRESH_MS,
  })
  const spent = today.data && new Map(today.data.rows.map((row) => [row.campaign as string, row.spend ?? 0]))
  const figures =
    days.data &&
    new Map(
      days.data.rows.map(({ campaign, views, clicks, spend, revenue }) => [
        campaign as string,
        figuresOf({ impressions: views ?? 0, clicks: clicks ?? 0, spend: spend ?? 0, sales: revenue ?? 0 }),
      ]),
    )
  return {
    spentToday: spent && (({ id }) => spent.get(id) ?? 0),
    lastDays: figures && (({ id }) => figures.get(id) ?? NOTHING),
    problem: today.problem ?? days.problem,
    retry() {
      if (today.problem) today.retry()
      if (days.problem) days.retry()
    },
  }
}

type Counted = Pick<CampaignFigures, 'impressions' | 'clicks' | 'spend' | 'sales'>

function figuresOf(counted: Counted): CampaignFigures {
  const { impressions, clicks, spend, sales } = counted
  const share = (of: number, by: number) => (by === 0 ? null : of / by)
  return { ...counted, ctr: share(clicks, impressions), cpc: share(spend, clicks), roas: share(sales, spend) }
}

const NOTHING = figuresOf({ impressions: 0, clicks: 0, spend: 0, sales: 0 })

/** The figures of several campaigns together. */
export function sumOf(each: readonly CampaignFigures[]): CampaignFigures {
  const sum = (name: keyof Counted) => each.reduce((total, figures) => total + figures[name], 0)
  return figuresOf({ impressions: sum('impressions'), clicks: sum('clicks'), spend: sum('spend'), sales: sum('sales') })
}
