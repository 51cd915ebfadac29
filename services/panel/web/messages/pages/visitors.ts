import { catalogue } from '../catalogue.ts'

/** How visitors came to the shop, and what they bought. */
export const t = catalogue({
  visitors: 'Visitors',
  visitorsHelp:
    'How visitors came to the shop, and which sales its ads are credited with. A sale counts for the last page view with UTM parameters or a click ID, up to 30 days before. Days are in the time zone {zone}.',
  downloadCsv: 'Download CSV',
  exportSales: 'Export sales',
  exportLimit: 'Up to {lines} lines. The API has all of them.',
  parquet: 'Export rows',
  parquetHelp: 'Parquet files with a row for each event, order, sale or campaign day',
  v_impressions: 'Views',
  v_clicks: 'Clicks',
  v_events: 'Events with verdicts',
  v_orders: 'Orders',
  v_attributed_sales: 'Attributed sales',
  v_campaign_days: 'Campaign days',
  groupBy: 'Group by',
  noPageViews: 'No page views in this period',
  noPageViewsHelp: 'The shop’s pages report them, with the UTM parameters and the click ID of their address.',
  truncated: 'Only the rows with the most page views are shown. Download the CSV for all.',
  day: 'Day',
  utmSource: 'Source',
  utmMedium: 'Medium',
  utmCampaign: 'Campaign',
  gclid: 'Click ID',
  pageViews: 'Page views',
  purchases: 'Purchases',
  revenue: 'Sales',
  with: 'With',
  without: 'Without',
  none: 'None',
})
