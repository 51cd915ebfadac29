import { sumIn } from '../../reports/figures/currencies.ts'
import type { Metric, ReportRow } from '../../reports/vocabulary.ts'

/** The results of a campaign in the last days. A ratio is null when its denominator is zero. */
export interface CampaignFigures extends Counted {
  ctr: number | null
  cpc: number | null
  roas: number | null
}

interface Counted {
  impressions: number
  clicks: number
  spend: number
  sales: number
  /** Sales without what was returned. ROAS is computed from these, as in the reports. */
  netSales: number
}

/**
 * The figures of a campaign from its rows of a report by campaign with the metrics views, clicks, spend, revenue and netRevenue: one
 * for each currency in which something was sold. Amounts are those in the campaign's own `currency`, that of its shop.
 */
export function figuresOf(rows: readonly ReportRow[], currency: string | undefined): CampaignFigures {
  const sum = (metric: Metric) => sumIn(rows, metric, currency)
  return withRatios({
    impressions: sum('views'),
    clicks: sum('clicks'),
    spend: sum('spend'),
    sales: sum('revenue'),
    netSales: sum('netRevenue'),
  })
}

/** The figures of several campaigns together. */
export function sumOf(each: readonly CampaignFigures[]): CampaignFigures {
  const sum = (name: keyof Counted) => each.reduce((total, figures) => total + figures[name], 0)
  return withRatios({
    impressions: sum('impressions'),
    clicks: sum('clicks'),
    spend: sum('spend'),
    sales: sum('sales'),
    netSales: sum('netSales'),
  })
}

function withRatios(counted: Counted): CampaignFigures {
  const { impressions, clicks, spend, netSales } = counted
  const share = (of: number, by: number) => (by === 0 ? null : of / by)
  return { ...counted, ctr: share(clicks, impressions), cpc: share(spend, clicks), roas: share(netSales, spend) }
}
