import type { ReportRow } from '../../reports/vocabulary.ts'

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

/** A missing metric counts as 0. */
type Row = Partial<Pick<ReportRow, 'views' | 'clicks' | 'spend' | 'revenue' | 'netRevenue'>>

/** The figures of a row of a report by campaign with the metrics views, clicks, spend, revenue and netRevenue. */
export const figuresOf = ({ views, clicks, spend, revenue, netRevenue }: Row): CampaignFigures =>
  withRatios({
    impressions: views ?? 0,
    clicks: clicks ?? 0,
    spend: spend ?? 0,
    sales: revenue ?? 0,
    netSales: netRevenue ?? 0,
  })

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
