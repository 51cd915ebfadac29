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
      'What it came to. MOSTLY_REJECTED: over half of the products; NO_PRODUCTS: the file has none; REPLACED: a later run took its place',
  },
)
export type RunOutcome = Static<typeof RunOutcome>

const RejectionCause = Type.Object({
  code: Type.String({ description: 'One of the codes in docs/feeds.md, of severity REJECTED' }),
  value: Nullable(
    Type.String({ description: 'CURRENCY_MISMATCH: the currency of the prices; MISSING_FIELD: the element' }),
  ),
  count: Count('Products that it rejected'),
})

export const FeedRunView = Type.Object({
  id: Id('Given by the service'),
  feedId: Id('Its feed'),
  shopId: Id('Its shop'),
  trigger: Type.Enum(['UPLOAD', 'SCHEDULE', 'MANUAL'], { description: 'What made it run' }),
  status: Type.Enum(['QUEUED', 'RUNNING', 'DONE', 'HELD', 'FAILED'], {
    description: "HELD: it would remove over half of the shop's products; confirm it to let it",
  }),
  total: Count('Items of the feed so far'),
  changed: Count('Offers that are new or differ'),
  unchanged: Count('Offers that are as they were'),
  removed: Count('Offers removed, because the feed has them no more or no longer validly'),
  rejected: Count('Items that were not taken'),
  warnings: Count('Values that were ignored or corrected'),
  issueCounts: Type.Record(Type.String(), Type.Integer(), { description: 'Issues by code, all of them' }),
  outcome: RunOutcome,
  causes: Type.Array(RejectionCause, {
    description: 'Why products were rejected, the most frequent first, at most ten; a product may have several',
  }),
  currency: Nullable(Currency('What the feed said its prices are in; null: unknown')),
  shopCurrency: Nullable(Currency("The shop's, of bids and budgets; null: the shop is gone")),
  betterCurrency: Nullable(
    Currency(
      'More prices of the file are in it than the currency of the feed accepts; null: changing it would not help',
    ),
  ),
  failure: Nullable(Type.String({ description: 'The kind of failure, of those in docs/feeds.md' })),
  message: Nullable(Type.String({ description: 'Why it is HELD or FAILED' })),
  queuedAt: Time('When it was asked for'),
  startedAt: Nullable(Time('When it began')),
  endedAt: Nullable(Time('When it ended')),
})

export const FeedRunParams = Type.Object({
  ...IdParams.properties,
  run: IdText('Id of the run'),
})

export const FeedRunQuery = ListQuery({})

export const FeedIssueView = Type.Object({
  severity: Type.Enum(['REJECTED', 'WARNING'], { description: 'REJECTED: the item was not taken' }),
  line: Type.Integer({ description: 'Line of the file, from 1' }),
  productId: Nullable(Type.String({ description: 'Id of the item; null when it has none' })),
  field: Type.String({ description: 'Element that it is about' }),
  code: Type.String({ description: 'One of the codes in docs/feeds.md' }),
  message: Type.String({ description: 'What is wrong, and what was made of it' }),
})

export const FeedIssueQuery = ListQuery({
  severity: Type.Optional(Type.Enum(['REJECTED', 'WARNING'], { description: 'Only of this severity' })),
  code: Type.Optional(Type.String({ maxLength: 60, description: 'Only with this code' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Only with this text in product id, field or message' })),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], { description: 'csv answers all of them as a file, as does Accept: text/csv' }),
  ),
})
