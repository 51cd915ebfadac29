import { type Static, Type } from 'typebox'
import { IdText, ListQuery, Nullable, Time } from '../common.ts'
import { PERIOD_DAYS_MAX } from '../limits.ts'

const CURSOR_CHARS_MAX = 2_000
const PRODUCT_ID_CHARS_MAX = 200

const ofAll = ListQuery({
  shopId: Type.Optional(IdText('Only transactions in this shop')),
  accountId: Type.Optional(
    IdText(
      'Only transactions with a line that is credited to this account, and of these only such lines, as its people see them',
    ),
  ),
  campaignId: Type.Optional(IdText('Only transactions with a line that is credited to this campaign')),
  purchasedProductId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PRODUCT_ID_CHARS_MAX,
      description:
        'Only transactions with a line of this product, by its feed id. The line is a credited one with `credited=true`, one that is ' +
        'credited to the campaign with `campaignId`, and for advertisers one that is credited to them',
    }),
  ),
  kind: Type.Optional(Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'Only transactions of this kind' })),
  credited: Type.Optional(
    Type.Boolean({ description: 'True: only transactions with a credited line. False: only transactions without one' }),
  ),
  from: Type.Optional(
    Time(`Start of the period, inclusive. Default: 30 days before \`to\`. At most ${PERIOD_DAYS_MAX} days before it`),
  ),
  to: Type.Optional(Time('End of the period, exclusive. Default: now')),
})
/** Query of GET /v1/panel/transactions. A cursor holds the caller's own event id. */
export const TransactionQuery = Type.Object(
  {
    ...ofAll.properties,
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'nextCursor of the previous page' })),
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        description: 'Default: json. CSV has all transactions and no pages, so it takes neither `limit` nor `cursor`',
      }),
    ),
  },
  { additionalProperties: false },
)
export type TransactionQuery = Static<typeof TransactionQuery>

const Text = (description: string) => Type.String({ description })

export const ProofOf = Type.Enum(['ANONYMOUS', 'SIGNED', 'TOKEN'], {
  description: 'How the sender proved itself. ANONYMOUS: not at all. SIGNED: by a signature. TOKEN: by an access token',
})
export const Unconfirmed = Type.Boolean({
  description:
    'True if the sender is anonymous and the shop prefers proven senders. A version whose sender proves itself would replace it',
})

/** What a purchase, cart or wishlist earned. GET /v1/panel/explain/attribution/{eventId} says why. */
export const TransactionItem = Type.Object({
  eventId: Text('eventId that was sent with it; for advertisers a pseudonym'),
  shopId: Text('Id of the shop'),
  shopName: Nullable(Text('Name of the shop')),
  kind: Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'Kind of transaction' }),
  occurredAt: Time('When it happened'),
  currency: Text('ISO 4217'),
  proof: ProofOf,
  unconfirmed: Unconfirmed,
  lines: Type.Integer({ description: 'Number of lines. For advertisers: lines that are credited to their campaigns' }),
  creditedLines: Type.Integer({ description: 'Number of lines that are credited to a campaign' }),
  amount: Type.Number({ description: 'Total price of the lines' }),
  returnedAmount: Type.Number({ description: 'Part of `amount` that was returned' }),
  creditedAmount: Type.Number({ description: 'Total price of the credited lines' }),
  campaigns: Type.Array(Type.Object({ id: Text('Id of the campaign'), name: Nullable(Text('Name of the campaign')) }), {
    description: 'Campaigns that were credited',
  }),
})
