import { catalogue } from '../../catalogue.ts'

/** A trial ad request: its form, its ads, why each is there and why others are not. */
export const t = catalogue({
  // The form
  required: 'Required',
  enterOneOf: 'Enter at least one of these.',
  atLeastOneOf: 'At least one of',
  adCount: 'Number of ads',
  moreParameters: 'More parameters',
  adType: 'Kind of ads',
  adTypeAll: 'All',
  adTypePaid: 'Paid ads only',
  adTypeOwn: 'Self-promotion only',
  requestAds: 'Request ads',
  isReal:
    'Sends a real request as a new shopper. Reports count the request; nothing is billed, as no view or click is sent.',

  // The answer
  ads: 'Ads',
  noRequest: 'No request yet',
  noRequestHelp: 'Enter what a page would send. Its ads appear here, with why each was chosen and others were not.',
  adsFound: '{count, plural, one {# ad} other {# ads}}',
  bannersFound: '{count, plural, one {# banner} other {# banners}}',
  requestId: 'Request ID',
  noAds: 'No ads for this request',
  reasonFollows: 'The reason follows in a moment.',
  late: 'The explanation is delayed',
  lateHelp: 'Processing is behind, but the ads are real. <request>Open the request in Ad requests</request> later.',
  allFilled: 'All positions are filled',
  partlyFilled: '{shown, number} of {wanted, number} positions are filled',
  eligible: '{count, plural, one {# eligible ad} other {# eligible ads}} found; chosen in {ms} ms.',

  // One ad
  position: 'Position {position, number}',
  ownPromotion: 'Self-promotion',
  sponsored: 'Sponsored',
  whyLoading: 'Loading the explanation',
  noExplanation: 'No explanation',
  whyThis: 'Why this ad',
  relevance: 'Relevance',
  predictedCtr: 'Predicted CTR',
  liftForWords: 'After these words',
  liftTimes: 'clicked {lift} × as often',
  bid: 'Bid',
  cpmBid: 'CPM bid',
  rank: 'Rank: relevance × CTR × bid',
  pricePerClick: 'Price per click',
  cpm: 'CPM',
  free: 'Free',

  // Ads that were not shown
  notShown: 'Not shown',
  notShownHelp: 'The best ads that were not shown, up to 10',
  notShownList: 'Ads that were not shown',
  nothingDropped: 'None',
  ad: 'Ad',
  banner: 'Banner {id}',
  campaign: 'Campaign',
  whyNot: 'Why not',
})
