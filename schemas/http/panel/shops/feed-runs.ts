import { type Static, Type } from 'typebox'
import { Currency, Id, IdParams, IdText, ListQuery, Nullable, Time } from '../common.ts'

const Count = (description: string) => Type.Integer({ description })

const RunOutcome = Type.Enum(
  [
    ...['QUEUED', 'RUNNING', 'SUCCEEDED', 'SUCCEEDED_WITH_WARNINGS', 'PARTLY_REJECTED', 'MOSTLY_REJECTED'],
    ...['ALL_REJECTED', 'NO_PRODUCTS', 'HELD', 'FAILED', 'REPLACED'],
  ] as const,
  {
    description:
      'Result of the run. MOSTLY_REJECTED: over half of the products were rejected. NO_PRODUCTS: the file has none. ' +
      'REPLACED: the run was given up for a later one',
  },
)
export type RunOutcome = Static<typeof RunOutcome>

const RejectionCause = Type.Object({
  code: Type.String({ description: 'One of the codes in docs/feeds.md, of severity REJECTED' }),
  value: Nullable(
    Type.String({
      description:
        'For CURRENCY_MISMATCH: the currency of the prices. For MISSING_FIELD: the missing element. Otherwise null',
    }),
  ),
  count: Count('Number of products rejected for this reason'),
})

export const FeedRunView = Type.Object({
  id: Id('Id given by the service'),
  feedId: Id('Feed of the run'),
  shopId: Id('Shop of the feed'),
  trigger: Type.Enum(['UPLOAD', 'SCHEDULE', 'MANUAL'], { description: 'What started the run' }),
  status: Type.Enum(['QUEUED', 'RUNNING', 'DONE', 'HELD', 'FAILED'], {
    description: "HELD: the run would remove over half of the shop's products, and waits until somebody confirms that",
  }),
  total: Count('Number of items read so far'),
  changed: Count('Number of offers that are new or changed'),
  unchanged: Count('Number of offers that are unchanged'),
  removed: Count('Number of offers removed, because the feed no longer has them or they are no longer valid'),
  rejected: Count('Number of items that were rejected'),
  warnings: Count('Number of values that were ignored or corrected'),
  issueCounts: Type.Record(Type.String(), Type.Integer(), { description: 'Number of all issues, by code' }),
  outcome: RunOutcome,
  causes: Type.Array(RejectionCause, {
    description: 'Why products were rejected: the ten most frequent reasons. A product may be counted for several',
  }),
  currency: Nullable(Currency('Currency that was set for the feed at the time; null if unknown')),
  shopCurrency: Nullable(
    Currency('Currency of the shop, in which bids and budgets are; null if the shop no longer exists'),
  ),
  betterCurrency: Nullable(
    Currency(
      'Currency that more products of the file have than the currency of the feed accepts; null if changing the currency would not help',
    ),
  ),
  failure: Nullable(
    Type.String({ description: 'Kind of failure, as a code of docs/feeds.md; null if the run did not fail' }),
  ),
  message: Nullable(Type.String({ description: 'Why the run is HELD or FAILED; null otherwise' })),
  indexed: Type.Boolean({
    description: 'Whether the run has ended and ads, searches and counts find all offers as it has left them',
  }),
  queuedAt: Time('When the run was requested'),
  startedAt: Nullable(Time('When the run started; null if it has not')),
  endedAt: Nullable(Time('When the run ended; null if it has not')),
})

export const FeedRunParams = Type.Object({
  ...IdParams.properties,
  run: IdText('Id of the run'),
})

export const FeedRunQuery = ListQuery({})

export const FeedIssueView = Type.Object({
  severity: Type.Enum(['REJECTED', 'WARNING'], {
    description: 'REJECTED: the item was rejected for this. WARNING: it was not',
  }),
  line: Type.Integer({ description: 'Line of the file, from 1' }),
  productId: Nullable(Type.String({ description: 'Id of the item; null if it has none' })),
  field: Type.String({ description: 'Element that the issue is about' }),
  code: Type.String({ description: 'One of the codes in docs/feeds.md' }),
  message: Type.String({ description: 'What is wrong, and what was done about it' }),
})

export const FeedIssueQuery = ListQuery({
  severity: Type.Optional(Type.Enum(['REJECTED', 'WARNING'], { description: 'Only issues of this severity' })),
  code: Type.Optional(Type.String({ maxLength: 60, description: 'Only issues with this code' })),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only issues with this text in product id, field or message' }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      description: 'csv answers with all issues as a file, as the header Accept: text/csv does. Default: json',
    }),
  ),
})
