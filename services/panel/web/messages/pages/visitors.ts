import { catalogue } from '../catalogue.ts'

/** How visitors came to the shop, and what they bought. */
export const t = catalogue({
  visitors: 'Visitors',
  visitorsHelp:
    'How people came to the shop, and what advertisers’ ads sold to them. A sale counts for the last page view with a campaign or click ID, at most 30 days before. Days follow the clock of {zone}.',
  downloadCsv: 'Download CSV',
  exportSales: 'Export sales',
  exportLimit: 'At most {lines} lines. The API has all of them.',
  parquet: 'Export rows',
  parquetHelp: 'Files of Parquet, with one row for each',
  v_impressions: 'Impressions',
  v_clicks: 'Clicks',
  v_events: 'Events with verdicts',
  v_orders: 'Orders',
  v_attributed_sales: 'Attributed sales',
  v_campaign_days: 'Days of campaigns',
  groupBy: 'Group by',
  noPageViews: 'No page views in this period',
  noPageViewsHelp: 'The shop’s pages send them, with the UTM parameters and the click ID of their address.',
  truncated: 'These are the rows with the most page views. Download the CSV for all.',
  day: 'Day',
  utmSource: 'Source',
  utmMedium: 'Medium',
  utmCampaign: 'Campaign',
  gclid: 'Click ID',
  pageViews: 'Page views',
  purchases: 'Purchases',
  revenue: 'Revenue',
  with: 'With',
  without: 'Without',
  none: 'None',
})
