import { type Static, Type } from 'typebox'
import { IdText, Nullable, Time } from './common.ts'

const EXAMPLES_MAX = 3

/** What may need attention, the most pressing first. */
export const attentionKinds = [
  'PROCESSING_DELAY',
  'FAILED_EVENTS',
  'FEED_FAILED',
  'FEED_HELD',
  'FEED_REJECTED',
  'MODERATION_REJECTED',
  'BUDGET_SPENT',
  'BID_BELOW_RESERVE',
  'MODERATION_WAITING',
  'BUDGET_LOW',
  'DAILY_BUDGET_LOW',
  'BEHIND_PACE',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

const setupSteps = [
  'PUBLISHER_ACCOUNT',
  'SHOP',
  'FEED',
  'AD_UNIT',
  'CAMPAIGN',
  'MODERATION',
  'FIRST_IMPRESSION',
  'FIRST_SALE',
] as const
export type SetupStep = (typeof setupSteps)[number]

export const OverviewQuery = Type.Object(
  { shopId: Type.Optional(IdText('Only what concerns this shop')) },
  { additionalProperties: false },
)
export type OverviewQuery = Static<typeof OverviewQuery>

const Kind = (description: string) => Type.Enum([...attentionKinds], { description })

const AttentionItem = Type.Object({
  kind: Kind(
    'BUDGET_SPENT: what is left of the budget pays for no click or view, and the campaign has not been paused. BID_BELOW_RESERVE: the ' +
      'bid is below the reserve of the shop. BUDGET_LOW: at least 90 % of the budget is spent. DAILY_BUDGET_LOW: at least 90 % of the daily budget is spent, with over a ' +
      'tenth of the day to come. BEHIND_PACE: the spent share of the budget is over 10 percentage points below the share of ' +
      'the time that is ' +
      'over. FEED_REJECTED: the last run rejected over half of the products, or found none. FEED_HELD: the last run waits for ' +
      'somebody to confirm that it may remove products',
  ),
  count: Type.Integer({ description: 'Number of campaigns, feeds or events' }),
  since: Nullable(Time('Since when the first of them has needed attention; null if unknown')),
  examples: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the campaign or feed' }),
      name: Type.String({ description: 'Name of the campaign or feed' }),
      shopId: Type.String({ description: 'Id of its shop' }),
      shopName: Nullable(Type.String({ description: 'Name of the shop' })),
      runId: Nullable(Type.String({ description: 'Id of the run; null for a campaign' })),
      share: Nullable(
        Type.Number({
          description: 'Spent share of the budget, or rejected share of the items, from 0 to 1; null for other kinds',
        }),
      ),
    }),
    { maxItems: EXAMPLES_MAX, description: `The worst of them, at most ${EXAMPLES_MAX}` },
  ),
})

/** Answer of GET /v1/panel/attention. */
export const Attention = Type.Object({
  items: Type.Array(AttentionItem, { description: 'At most one item of each kind. Empty if nothing needs attention' }),
  unknown: Type.Array(Kind('A kind'), {
    description: 'Kinds that could not be checked at this moment, or not for all campaigns',
  }),
  campaigns: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of campaigns by state. States without campaigns are left out',
  }),
})

/** Answer of GET /v1/panel/setup. */
export const Setup = Type.Object({
  steps: Type.Array(
    Type.Object({
      step: Type.Enum([...setupSteps], {
        description:
          'FEED: the shop has products. MODERATION: a campaign was accepted, or needs no moderation. FIRST_IMPRESSION: there was a valid ' +
          'view. FIRST_SALE: a campaign was credited with a purchase',
      }),
      done: Nullable(Type.Boolean({ description: 'Whether the step is done; null if that is unknown at the moment' })),
    }),
    { description: 'The steps for the role of the caller, in order' },
  ),
  complete: Type.Boolean({ description: 'Whether all steps are done' }),
})
