import { catalogue } from '../catalogue.ts'

/** Home: figures, what needs attention, the steps up to the first sale. */
export const t = catalogue({
  home: 'Home',
  ofAllShops: 'All shops',
  ofThisShop: 'Ads in this shop',
  ofYourCampaigns: 'Your campaigns',
  period: 'Period',
  lastDays: 'Last {days, plural, other {# days}}',
  vsPrevious: 'vs previous period',
  newSincePrevious: 'none in the previous period',
  currencies: '{count, plural, other {# currencies}}',

  // Figures
  figures: 'Figures',
  sales: 'Sales',
  salesHint: 'attributed to ads',
  spend: 'Spend',
  revenueFromAds: 'Ad revenue',
  revenueFromAdsHint: 'the spend of campaigns',
  roas: 'ROAS',
  roasHint: 'net sales ÷ spend',
  clicks: 'Clicks',
  ctrHint: 'CTR {ctr}',
  views: 'Views',
  purchases: 'Purchases',
  purchasesHint: 'with an attributed product',

  // Chart
  chartTitle: 'By day',
  chartMetric: 'What the chart shows',
  severalCurrencies:
    'Amounts in several currencies cannot share a chart. Choose clicks or views, or open Reports for one shop.',
  nothingToDraw: 'No views, clicks or sales in this period',

  // Top campaigns
  topCampaigns: 'Top campaigns',
  topCampaignsHelp: 'By sales in this period',
  campaign: 'Campaign',
  noCampaigns: 'No campaigns were shown in this period',
  allInReports: 'See all in Reports',

  // Campaigns by state
  campaigns: 'Campaigns',
  noCampaignsYet: 'No campaigns yet',
  newCampaign: 'New campaign',

  // Attention
  attention: 'Needs attention',
  nothingNeeded: 'Nothing needs attention',
  nothingNeededHelp: 'Moderation, feeds, bids, budgets and pace are in order.',
  since: '· {time}',
  more: '{count, plural, one {and # more} other {and # more}}',
  notChecked: 'Budgets and pace could not be checked just now.',
  systemNotChecked: 'Failed events and the processing delay could not be checked just now.',
  PROCESSING_DELAY: 'Processing delay: events are waiting to be processed',
  FAILED_EVENTS: '{count, plural, one {# failed event} other {# failed events}}',
  FEED_FAILED: '{count, plural, one {A feed could not be read} other {# feeds could not be read}}',
  FEED_HELD:
    '{count, plural, one {A feed is waiting for you to confirm its removals} other {# feeds are waiting for you to confirm their removals}}',
  FEED_REJECTED:
    '{count, plural, one {A feed had most of its products rejected} other {# feeds had most of their products rejected}}',
  MODERATION_REJECTED: '{count, plural, one {A campaign was rejected} other {# campaigns were rejected}}',
  BUDGET_SPENT: '{count, plural, one {A budget is spent} other {# budgets are spent}}',
  BID_BELOW_RESERVE:
    '{count, plural, one {A bid is below what the shop accepts} other {# bids are below what the shop accepts}}',
  MODERATION_WAITING:
    '{count, plural, one {A campaign is waiting for moderation} other {# campaigns are waiting for moderation}}',
  MODERATION_WAITING_ADVERTISER:
    '{count, plural, one {A campaign is waiting for the shop to accept it} other {# campaigns are waiting for the shop to accept them}}',
  BUDGET_LOW: '{count, plural, one {A budget is nearly spent} other {# budgets are nearly spent}}',
  DAILY_BUDGET_LOW:
    '{count, plural, one {A daily budget is running out early} other {# daily budgets are running out early}}',
  BEHIND_PACE: '{count, plural, one {A campaign is behind pace} other {# campaigns are behind pace}}',
  shareSpent: '{share} spent',
  shareRejected: '{share} rejected',
  moderate: 'Moderate',
  openHealth: 'System health',

  // First steps
  setup: 'Set up',
  setupHelp: '{done, number} of {all, number} steps done. They are ticked off automatically.',
  hideSetup: 'Hide',
  showSetup: 'Show the steps up to the first sale',
  setupDone: 'Everything is set up: the first sale has been attributed.',
  stepDone: 'Done',
  stepOpen: 'Open',
  stepUnknown: 'Could not be checked just now',
  PUBLISHER_ACCOUNT: 'Create the publisher’s account',
  PUBLISHER_ACCOUNTHelp: 'The company that runs the shop. Its users see only its shops.',
  SHOP: 'Create a shop',
  SHOPHelp: 'Its currency, time zone and attribution windows.',
  FEED: 'Add products',
  FEEDHelp: 'Fetch a feed from a URL, upload one, or send products through the API.',
  AD_UNIT: 'Create an ad unit',
  AD_UNITHelp: 'In a placement: where ads appear on the page, and how they are chosen.',
  CAMPAIGN: 'Create a campaign',
  CAMPAIGNHelpOPERATOR: 'An advertiser does this; you can do it for them.',
  CAMPAIGNHelpPUBLISHER: 'An advertiser does this; you can also promote your own products.',
  CAMPAIGNHelpADVERTISER: 'What to promote, in which shop, and for how much.',
  MODERATION: 'Pass moderation',
  MODERATIONHelp: 'The shop’s publisher accepts banners. Sponsored products need no moderation.',
  FIRST_IMPRESSION: 'First view of an ad',
  FIRST_IMPRESSIONHelp:
    'A developer adds the ad unit’s code to a page of the shop. The Code tab of the ad unit has it.',
  FIRST_IMPRESSIONHelpADVERTISER: 'The shop shows your ads once your campaign runs.',
  FIRST_SALE: 'First attributed sale',
  FIRST_SALEHelp: 'The shop’s server or pages report purchases. The Code tab of the ad unit shows the call.',
  FIRST_SALEHelpADVERTISER: 'A shopper buys what your ad showed.',
})
