import type { Product } from '../../../client/types.ts'

/** Explains each code of the API, and how to solve it. */
export const whyNotWords: Readonly<Record<string, { what: string; help: string }>> = {
  NOT_AVAILABLE: { what: 'It is out of stock', help: 'It is shown again once the feed says that it is in stock.' },
  EXPIRED: { what: 'Its expiration date is past', help: 'Send a later expiration_date in the feed, or none.' },
  NO_CAMPAIGN: {
    what: 'No campaign promotes it',
    help: 'An advertiser with its seller id, or your own promotion, has to pick it.',
  },
  SELLER_MISMATCH: {
    what: 'A campaign lists it, but its seller is not the advertiser’s',
    help: 'The operator sets the seller ids of an account; the feed sets external_seller_id.',
  },
  CAMPAIGN_DRAFT: { what: 'Its campaign is a draft', help: 'The advertiser has to switch it on.' },
  CAMPAIGN_NOT_STARTED: { what: 'Its campaign has not begun yet', help: 'It is shown from the start date on.' },
  CAMPAIGN_ENDED: { what: 'Its campaign has ended', help: 'The advertiser can set a later end.' },
  CAMPAIGN_PAUSED: { what: 'Its campaign is paused', help: 'The advertiser can go on with it.' },
  BID_BELOW_RESERVE: {
    what: 'Its campaign bids less than the shop’s least price',
    help: 'Raise the bid, or lower the reserve of the shop.',
  },
  BUDGET_EXHAUSTED: { what: 'The budget of its campaign is spent', help: 'The advertiser can raise it.' },
  DAILY_BUDGET_EXHAUSTED: { what: 'The day’s budget of its campaign is spent', help: 'It is shown again tomorrow.' },
}

/** The explanation of a code. */
export const wordsOf = ({ code }: Product['whyNot'][number]) => whyNotWords[code] ?? { what: code, help: '' }
