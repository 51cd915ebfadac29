import { type Static, Type } from 'typebox'
import { IdText, ListQuery, Nullable, Time } from '../common.ts'

const CURSOR_CHARS_MAX = 2_000

const ofAll = ListQuery({
  shopId: Type.Optional(IdText('In this shop')),
  campaignId: Type.Optional(IdText('With a line credited to this campaign')),
  kind: Type.Optional(Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'Only of this kind' })),
  credited: Type.Optional(Type.Boolean({ description: 'Only those with a credited line, or only those without one' })),
  from: Type.Optional(Time('First moment; without it, 30 days before `to`. At most 400 days before it')),
  to: Type.Optional(Time('First moment after; without it, now')),
})
/** Query of GET /v1/panel/transactions. A cursor holds the caller's own event id. */
export const TransactionQuery = Type.Object(
  {
    ...ofAll.properties,
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
)
export type TransactionQuery = Static<typeof TransactionQuery>

const Text = (description: string) => Type.String({ description })

export const ProofOf = Type.Enum(['ANONYMOUS', 'SIGNED', 'TOKEN'], {
  description: 'How the sender of what counts proved itself: not at all, by a signature, by an access token',
})
export const Unconfirmed = Type.Boolean({
  description: 'It counts until a version comes whose sender proves itself: the shop prefers those',
})

/** What a purchase, cart or wishlist earned. GET /v1/panel/explain/attribution/{eventId} says why. */
export const TransactionItem = Type.Object({
  eventId: Text('As sent with it; for advertisers a pseudonym'),
  shopId: Text('Its shop'),
  shopName: Nullable(Text('Name of the shop')),
  kind: Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'What it is' }),
  occurredAt: Time('When'),
  currency: Text('ISO 4217'),
  proof: ProofOf,
  unconfirmed: Unconfirmed,
  lines: Type.Integer({ description: 'Lines; for advertisers, those credited to their campaigns' }),
  creditedLines: Type.Integer({ description: 'Lines that a campaign was credited with' }),
  amount: Type.Number({ description: 'Price of the lines' }),
  returnedAmount: Type.Number({ description: 'The part of amount that came back' }),
  creditedAmount: Type.Number({ description: 'Price of the credited lines' }),
  campaigns: Type.Array(Type.Object({ id: Text('Id'), name: Nullable(Text('Name')) }), {
    description: 'Campaigns that were credited',
  }),
})
