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
  'MODERATION_WAITING',
  'BUDGET_LOW',
  'DAILY_BUDGET_LOW',
  'BEHIND_PACE',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

export const setupSteps = [
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
    'BUDGET_LOW: at least 90 % of the budget is spent. DAILY_BUDGET_LOW: as much of a day, with over a tenth of the day to come. ' +
      'FEED_REJECTED: the last run rejected over half of the products, or found none. FEED_HELD: it waits for its removals to be confirmed',
  ),
  count: Type.Integer({ description: 'How many campaigns, feeds or events' }),
  since: Nullable(Time('When the first of them came to be so; null: not known')),
  examples: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The campaign or feed' }),
      name: Type.String({ description: 'Its name' }),
      shopId: Type.String({ description: 'Its shop' }),
      shopName: Nullable(Type.String({ description: 'Name of the shop' })),
      runId: Nullable(Type.String({ description: 'Of a feed: the run' })),
      share: Nullable(Type.Number({ description: 'Spent share of the budget, or rejected share of the items' })),
    }),
    { maxItems: EXAMPLES_MAX, description: `Those that are worst, at most ${EXAMPLES_MAX}` },
  ),
})

/** Answer of GET /v1/panel/attention. */
export const Attention = Type.Object({
  items: Type.Array(AttentionItem, { description: 'At most one of each kind; none: nothing needs attention' }),
  unknown: Type.Array(Kind('A kind'), {
    description: 'Kinds that could not be judged, or not for all, at this moment',
  }),
  campaigns: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many campaigns are in each state that any is in',
  }),
})

/** Answer of GET /v1/panel/setup. */
export const Setup = Type.Object({
  steps: Type.Array(
    Type.Object({
      step: Type.Enum([...setupSteps], {
        description:
          'FEED: the shop has products. MODERATION: a campaign needs none, or was accepted. FIRST_IMPRESSION: a valid view. ' +
          'FIRST_SALE: a purchase that a campaign was credited with',
      }),
      done: Nullable(Type.Boolean({ description: 'Null: it cannot be told now' })),
    }),
    { description: 'In their order; those of the role' },
  ),
  complete: Type.Boolean({ description: 'All are done' }),
})
