import { type Static, Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'

const CURSOR_CHARS_MAX = 200
const ID_CHARS_MAX = 256
const REQUESTS_PAGE_MAX = 100
export const REQUESTS_PAGE_DEFAULT = 50

const Text = (description: string) => Type.String({ description })
const Value = (description: string) => Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description })
const Kind = (description: string) => Type.Enum(['SPONSORED', 'DISPLAY'], { description })

/** Query of GET /v1/panel/explain/emissions. */
export const EmissionListQuery = Type.Object(
  {
    shopId: Type.Optional(IdText('In this shop')),
    adUnitId: Type.Optional(IdText('With a slot that this ad unit filled')),
    person: Type.Optional(Value('Of this cid or uid; not for advertisers')),
    productId: Type.Optional(
      Value(
        'With this product, by its feed id, or banner: shown, or among the best that were not. For advertisers, of theirs',
      ),
    ),
    kind: Type.Optional(Kind('Only requests for products, or for banners')),
    withAds: Type.Optional(
      Type.Boolean({ description: 'Only requests with an ad, or only those without one. For advertisers, of theirs' }),
    ),
    from: Type.Optional(Time('First moment; without it, 30 days before `to`. At most 400 days before it')),
    to: Type.Optional(Time('First moment after; without it, now')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REQUESTS_PAGE_MAX,
        description: `Of a page, ${REQUESTS_PAGE_DEFAULT} without it`,
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
)
export type EmissionListQuery = Static<typeof EmissionListQuery>

const EmissionItem = Type.Object({
  requestId: Text('The ad request: GET /v1/panel/explain/emission/{requestId} explains it'),
  shopId: Text('Its shop'),
  shopName: Nullable(Text('Name of the shop')),
  kind: Kind('What was asked for'),
  clientId: Text('cid of the person; for advertisers a pseudonym'),
  userId: Nullable(Text('uid of the person; for advertisers a pseudonym')),
  occurredAt: Time('When'),
  country: Nullable(Text('Country of the request')),
  elapsedMs: Type.Number({ description: 'Time to choose the ads' }),
  slots: Type.Array(
    Type.Object({
      adUnitId: Text('The ad unit whose rules applied'),
      adUnitName: Nullable(Text('Name of the ad unit')),
      algorithm: Text('How ads were chosen'),
      shortfall: Nullable(Text('Why there are fewer ads than asked for')),
      why: Nullable(Text('The same in words')),
      ads: Type.Array(
        Type.Object({
          campaignId: Text('Its campaign'),
          campaignName: Nullable(Text('Name of the campaign')),
          adId: Text('Feed id of the product, or id of the banner'),
        }),
        { description: 'What was shown, in order; for advertisers, of theirs' },
      ),
    }),
    { description: 'For advertisers, those in which their campaigns took part' },
  ),
})

export const EmissionList = Type.Object({
  items: Type.Array(EmissionItem, { description: 'The latest first' }),
  nextCursor: Nullable(Text('Null on the last page')),
  searchedFrom: Time(
    'The search went back to here: it ends before `from` when a page is full, or when it takes too long',
  ),
})
