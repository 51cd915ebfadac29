import { Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'
import { ID_CHARS_MAX } from '../limits.ts'
import { ReturnView } from '../shops/returns.ts'
import { ProofOf, Unconfirmed } from './transactions.ts'

export const EmissionParams = Type.Object({
  requestId: IdText('requestId of an ad'),
})
export const AttributionParams = Type.Object({
  eventId: Type.String({
    minLength: 1,
    maxLength: ID_CHARS_MAX,
    description:
      'eventId of a transaction, as GET /v1/panel/transactions names it: to the caller, or to an advertiser who asks the ' +
      'publisher about it',
  }),
})
export const AttributionQuery = Type.Object(
  { shopId: Type.Optional(IdText('Only transactions in this shop')) },
  { additionalProperties: false },
)

const Text = (description: string) => Type.String({ description })
const Maybe = (description: string) => Nullable(Type.String({ description }))
const Money = (description: string) => Type.Number({ description: `${description}, in the shop's currency` })
const Why = Text('The reason in words')

const Event = Type.Object({
  eventId: Text('Id that the server gave to the event'),
  type: Type.Enum(['VIEW', 'CLICK']),
  occurredAt: Time('When it happened'),
  verdict: Text('VALID, or the reason why it is not counted'),
  why: Why,
  billed: Money('Amount that was billed for it'),
})

const Ad = Type.Object({
  campaignId: Text('Id of its campaign'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('Feed id of the product, or id of the banner'),
  itemGroupId: Maybe('Item group of the product'),
  position: Type.Integer({ description: 'Place of the ad, from 1' }),
  relevance: Type.Number({ description: 'How well the ad fits the request, above 0 and up to 1' }),
  predictedClickRate: Type.Number({
    description: 'Predicted probability that a view is clicked. 0 for a banner, which pays per view',
  }),
  lift: Type.Number({
    description:
      'Factor that is included in predictedClickRate: how many times as often as usual shoppers click the product after this ' +
      'search phrase. 1 if that is unknown',
  }),
  bid: Money('Amount offered for a click, or for 1,000 views of a banner'),
  price: Money('Price of a valid click, or of 1,000 views of a banner'),
  rankScore: Type.Number({
    description: 'Score that ads are ranked by: relevance x predictedClickRate x bid. For a banner: its bid',
  }),
  autoPromo: Type.Boolean({ description: 'True for self-promotion, which fills places that paid ads leave' }),
  events: Type.Array(Event, { description: 'Views and clicks of the ad' }),
})

const Dropped = Type.Object({
  campaignId: Text('Id of its campaign'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('Feed id of the product, or id of the banner'),
  relevance: Type.Number({ description: 'How well the ad fits the request, above 0 and up to 1' }),
  bid: Money('Amount offered for a click, or for 1,000 views of a banner'),
  reason: Text('Why it was not shown'),
  why: Why,
})

/** Answer of GET /v1/panel/explain/emission/{requestId}. Advertisers see their own ads only. */
export const EmissionExplained = Type.Object({
  requestId: Text('Id of the ad request'),
  shopId: Text('Id of the shop'),
  shopName: Maybe('Name of the shop'),
  kind: Text('SPONSORED or DISPLAY'),
  clientId: Text('cid of the person; for advertisers a pseudonym; empty when it is no longer kept'),
  userId: Maybe('uid of the person; for advertisers a pseudonym'),
  occurredAt: Time('When it happened'),
  country: Maybe('Country of the request'),
  elapsedMs: Type.Number({ description: 'Time that it took to choose the ads, in milliseconds' }),
  slots: Type.Array(
    Type.Object({
      slotHash: Text('slotHash of the request'),
      adUnitId: Text('Ad unit whose settings applied'),
      adUnitName: Maybe('Name of the ad unit'),
      algorithm: Text('Algorithm of the ad unit'),
      candidates: Type.Integer({
        description: 'Number of products or banners of running campaigns that were found for the slot',
      }),
      shortfall: Maybe('Why there are fewer ads than requested, as a code; null if there are not'),
      why: Type.Optional(Why),
      ads: Type.Array(Ad, { description: 'The ads that were shown, in order' }),
      dropped: Type.Array(Dropped, { description: 'The best of the ads that were not shown, at most 10' }),
    }),
  ),
})

const Touch = Type.Object({
  eventId: Text('Id of the view or click'),
  type: Type.Enum(['VIEW', 'CLICK']),
  occurredAt: Time('When it happened'),
  clientId: Text(
    'cid of the view or click: that of the buyer, or one that a uid links with it. For advertisers a pseudonym',
  ),
  campaignId: Text('Campaign of the ad'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('Feed id of the product, or id of the banner, that was advertised'),
  verdict: Text('VALID, or the reason why it is not counted'),
  match: Maybe(
    'DIRECT: the ad was of this product. HALO: this product is on the attribution list of the campaign. null: neither',
  ),
  inWindow: Type.Boolean({ description: 'Whether it was within the attribution window' }),
  result: Text('WON, or the first reason why it did not win'),
  why: Why,
})

const Version = Type.Object({
  counts: Type.Boolean({ description: 'Whether this version is the one that counts' }),
  reason: Text(
    'COUNTS, or why it does not count: LIVE_GOES_BEFORE_IMPORTED, PROVEN_GOES_BEFORE, RECEIVED_LATER or SAME_MOMENT',
  ),
  why: Why,
  proof: ProofOf,
  imported: Type.Boolean({ description: 'True for imported history' }),
  receivedAt: Time('When the server received it'),
  occurredAt: Time('When it happened, as its sender says'),
  clientId: Text('cid of the buyer; empty when it is no longer kept'),
  userId: Maybe('uid of the buyer'),
  currency: Text('ISO 4217'),
  lines: Type.Array(
    Type.Object({
      shopProductId: Text('Feed id of the product'),
      quantity: Type.Integer(),
      price: Type.Number({ description: 'Total for all units' }),
    }),
  ),
})

/** Answer of GET /v1/panel/explain/attribution/{eventId}. */
export const AttributionExplained = Type.Object({
  eventId: Text('eventId of the transaction'),
  transactions: Type.Array(
    Type.Object({
      shopId: Text('Id of the shop'),
      kind: Text('PURCHASE, CART or WISHLIST'),
      occurredAt: Time('When it happened'),
      clientId: Text('cid of the buyer; for advertisers a pseudonym; empty when it is no longer kept'),
      userId: Maybe('uid of the buyer; for advertisers a pseudonym'),
      currency: Text('ISO 4217'),
      imported: Type.Boolean({ description: 'True for imported history, which is never attributed' }),
      proof: ProofOf,
      unconfirmed: Unconfirmed,
      windows: Type.Optional(
        Type.Object(
          { clickWindowHours: Type.Integer(), viewWindowHours: Type.Integer() },
          { description: 'Attribution windows that were applied, in hours' },
        ),
      ),
      settledUntil: Nullable(
        Time(
          'Transactions from before keep the credit that they have, and list no touches, because identifiers of people have ended. null if this is not one of them',
        ),
      ),
      lines: Type.Array(
        Type.Object({
          line: Type.Integer({ description: 'Position in the transaction, from 0' }),
          shopProductId: Text('Feed id of the product'),
          quantity: Type.Integer(),
          price: Type.Number({ description: 'Total for all units, in the currency of the transaction' }),
          returnedQuantity: Type.Integer({ description: 'Units that were returned' }),
          returnedAmount: Type.Number({ description: 'Part of the price that was returned' }),
          outcome: Text('CREDITED, CREDITED_TO_ANOTHER, NO_TOUCH, NO_MATCH, UNPROVEN, PENDING or IMPORTED'),
          why: Why,
          credit: Nullable(
            Type.Object({
              campaignId: Text('Campaign that was credited'),
              campaignName: Maybe('Name of the campaign'),
              adId: Text('Feed id of the product, or id of the banner, that was advertised'),
              match: Text('DIRECT or HALO'),
              touchType: Text('VIEW or CLICK'),
              touchEventId: Text('Id of the view or click that won'),
              touchAt: Time('When that view or click happened'),
            }),
          ),
          touches: Type.Array(Touch, {
            description:
              'Views and clicks of the person, strongest first. The lines of a shop have at most 5,000 together: the strongest of each line, then the second of each, and so on',
          }),
        }),
      ),
      pseudonyms: Type.Optional(
        Type.Array(
          Type.Object({
            accountId: Text('Advertiser that is credited with a line'),
            accountName: Maybe('Name of the account'),
            eventId: Text('Pseudonym under which its people see the transaction'),
          }),
          { description: 'Under which pseudonyms advertisers see the transaction. Not for advertisers' },
        ),
      ),
      returns: Type.Optional(
        Type.Array(ReturnView, {
          description: 'Returns of a purchase, in the order in which they were received. Not for advertisers',
        }),
      ),
      versions: Type.Optional(
        Type.Array(Version, {
          description:
            'Every transaction that was received under this id. The one that counts comes first. Not for advertisers',
        }),
      ),
    }),
  ),
})
