import { Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'
import { ReturnView } from '../shops/returns.ts'
import { ProofOf, Unconfirmed } from './transactions.ts'

const ID_CHARS_MAX = 256

export const EmissionParams = Type.Object({
  requestId: IdText('requestId of an ad'),
})
export const AttributionParams = Type.Object({
  eventId: Type.String({
    minLength: 1,
    maxLength: ID_CHARS_MAX,
    description: 'eventId of a transaction, as GET /v1/panel/transactions names it',
  }),
})
export const AttributionQuery = Type.Object(
  { shopId: Type.Optional(IdText('Only in this shop')) },
  { additionalProperties: false },
)

const Text = (description: string) => Type.String({ description })
const Maybe = (description: string) => Nullable(Type.String({ description }))
const Money = (description: string) => Type.Number({ description: `${description}, in the shop's currency` })
const Why = Text('The same in words')

const Event = Type.Object({
  eventId: Text('Given by the intake'),
  type: Type.Enum(['VIEW', 'CLICK']),
  occurredAt: Time('When'),
  verdict: Text('VALID, or why it does not count'),
  why: Why,
  billed: Money('What was billed for it'),
})

const Ad = Type.Object({
  campaignId: Text('Its campaign'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('Feed id of the product, or id of the banner'),
  itemGroupId: Maybe('Group of its variants'),
  position: Type.Integer({ description: '1 is the first place' }),
  relevance: Type.Number({ description: 'How well it fits, up to 1' }),
  predictedClickRate: Type.Number({ description: 'Clicks expected for a view; 0 for a banner, which is paid by view' }),
  lift: Type.Number({
    description:
      'What predictedClickRate was multiplied by: how many times as often as usual shoppers have clicked the product after the words that were searched for; 1 where nothing is known',
  }),
  bid: Money('Offered for a click, or for 1000 views'),
  price: Money('What a valid click would cost, or 1000 views'),
  rankScore: Type.Number({
    description: 'Ads are ordered by it: relevance x predictedClickRate x bid, for a banner its bid',
  }),
  autoPromo: Type.Boolean({ description: "The shop's own promotion, which fills what paid ads leave" }),
  events: Type.Array(Event, { description: 'What was seen and clicked of it since' }),
})

const Dropped = Type.Object({
  campaignId: Text('Its campaign'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('Feed id of the product, or id of the banner'),
  relevance: Type.Number({ description: 'How well it fits, up to 1' }),
  bid: Money('Offered for a click, or for 1000 views'),
  reason: Text('Why it was not shown'),
  why: Why,
})

/** Answer of GET /v1/panel/explain/emission/{requestId}. Advertisers see their own ads only. */
export const EmissionExplained = Type.Object({
  requestId: Text('The ad request'),
  shopId: Text('Its shop'),
  shopName: Maybe('Name of the shop'),
  kind: Text('SPONSORED or DISPLAY'),
  clientId: Text('cid of the person; for advertisers a pseudonym'),
  userId: Maybe('uid of the person; for advertisers a pseudonym'),
  occurredAt: Time('When'),
  country: Maybe('Country of the request'),
  elapsedMs: Type.Number({ description: 'Time to choose the ads' }),
  slots: Type.Array(
    Type.Object({
      slotHash: Text('As asked for'),
      adUnitId: Text('The ad unit whose rules applied'),
      adUnitName: Maybe('Name of the ad unit'),
      algorithm: Text('How ads were chosen'),
      candidates: Type.Integer({ description: 'Eligible ads that the index found' }),
      shortfall: Maybe('Why there are fewer ads than asked for'),
      why: Type.Optional(Why),
      ads: Type.Array(Ad, { description: 'What was shown, in order' }),
      dropped: Type.Array(Dropped, { description: 'The best of what was not shown, at most 10' }),
    }),
  ),
})

const Touch = Type.Object({
  eventId: Text('The view or click'),
  type: Type.Enum(['VIEW', 'CLICK']),
  occurredAt: Time('When'),
  clientId: Text('cid of the person: theirs, or one linked with it by a uid; for advertisers a pseudonym'),
  campaignId: Text('Campaign of the ad'),
  campaignName: Maybe('Name of the campaign'),
  adId: Text('What was advertised'),
  verdict: Text('VALID, or why it does not count'),
  match: Maybe('DIRECT: this product; HALO: on the attribution list; null: neither'),
  inWindow: Type.Boolean({ description: 'Whether it was recent enough' }),
  result: Text('WON, or the first reason why not'),
  why: Why,
})

const Version = Type.Object({
  counts: Type.Boolean({ description: 'Whether it is the one that counts' }),
  reason: Text(
    'COUNTS, LIVE_GOES_BEFORE_IMPORTED, PROVEN_GOES_BEFORE, RECEIVED_LATER or SAME_MOMENT: why it counts or not',
  ),
  why: Why,
  proof: ProofOf,
  imported: Type.Boolean({ description: 'Imported history' }),
  receivedAt: Time('When the intake took it'),
  occurredAt: Time('When it is said to have happened'),
  clientId: Text('cid of the buyer'),
  userId: Maybe('uid of the buyer'),
  currency: Text('ISO 4217'),
  lines: Type.Array(
    Type.Object({
      shopProductId: Text('Feed id of the product'),
      quantity: Type.Integer(),
      price: Type.Number({ description: 'For all units' }),
    }),
  ),
})

/** Answer of GET /v1/panel/explain/attribution/{eventId}. */
export const AttributionExplained = Type.Object({
  eventId: Text('As sent with the transaction'),
  transactions: Type.Array(
    Type.Object({
      shopId: Text('Its shop'),
      kind: Text('PURCHASE, CART or WISHLIST'),
      occurredAt: Time('When'),
      clientId: Text('cid of the buyer; for advertisers a pseudonym'),
      userId: Maybe('uid of the buyer; for advertisers a pseudonym'),
      currency: Text('ISO 4217'),
      imported: Type.Boolean({ description: 'Imported history is never attributed' }),
      proof: ProofOf,
      unconfirmed: Unconfirmed,
      windows: Type.Optional(
        Type.Object(
          { clickWindowHours: Type.Integer(), viewWindowHours: Type.Integer() },
          { description: 'As applied' },
        ),
      ),
      lines: Type.Array(
        Type.Object({
          line: Type.Integer({ description: 'Place in the transaction, from 0' }),
          shopProductId: Text('Feed id of the product'),
          quantity: Type.Integer(),
          price: Type.Number({ description: 'For all units, in the currency of the transaction' }),
          returnedQuantity: Type.Integer({ description: 'Units that came back' }),
          returnedAmount: Type.Number({ description: 'The part of the price that came back' }),
          outcome: Text('CREDITED, CREDITED_TO_ANOTHER, NO_TOUCH, NO_MATCH, UNPROVEN, PENDING or IMPORTED'),
          why: Why,
          credit: Nullable(
            Type.Object({
              campaignId: Text('Who was credited'),
              campaignName: Maybe('Name of the campaign'),
              adId: Text('What was advertised'),
              match: Text('DIRECT or HALO'),
              touchType: Text('VIEW or CLICK'),
              touchEventId: Text('The view or click that won'),
              touchAt: Time('When that was'),
            }),
          ),
          touches: Type.Array(Touch, { description: 'Every view and click of the person, the strongest first' }),
        }),
      ),
      returns: Type.Optional(
        Type.Array(ReturnView, {
          description: 'What came back of a purchase, in the order of receipt; not for advertisers',
        }),
      ),
      versions: Type.Optional(
        Type.Array(Version, { description: 'What came under this id, the one that counts first; not for advertisers' }),
      ),
    }),
  ),
})
