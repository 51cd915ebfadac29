import { type Static, Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'
import { ID_CHARS_MAX, PERIOD_DAYS_MAX } from '../limits.ts'

const CURSOR_CHARS_MAX = 200
const REQUESTS_PAGE_MAX = 100
export const REQUESTS_PAGE_DEFAULT = 50

const Text = (description: string) => Type.String({ description })
const Value = (description: string) => Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description })
const Kind = (description: string) => Type.Enum(['SPONSORED', 'DISPLAY'], { description })

/** Query of GET /v1/panel/explain/emissions. */
export const EmissionListQuery = Type.Object(
  {
    shopId: Type.Optional(IdText('Only requests in this shop')),
    adUnitId: Type.Optional(IdText('Only requests with a slot of this ad unit')),
    campaignId: Type.Optional(
      IdText(
        'Only requests in which this campaign took part: it was shown, or was among the best that were not. `productId` and ' +
          '`withAds` then consider only its ads',
      ),
    ),
    person: Type.Optional(Value('Only requests of this cid or uid. Not for advertisers')),
    productId: Type.Optional(
      Value(
        'Only requests that showed this product (by its feed id) or banner, or had it among the best that were not shown. ' +
          'Advertisers find only their own',
      ),
    ),
    kind: Type.Optional(Kind('Only requests for products (SPONSORED) or for banners (DISPLAY)')),
    withAds: Type.Optional(
      Type.Boolean({
        description:
          'True: only requests that showed an ad. False: only requests that showed none. For advertisers, only their own ads count',
      }),
    ),
    from: Type.Optional(
      Time(`Start of the period, inclusive. Default: 30 days before \`to\`. At most ${PERIOD_DAYS_MAX} days before it`),
    ),
    to: Type.Optional(Time('End of the period, exclusive. Default: now')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REQUESTS_PAGE_MAX,
        description: `Maximum number of requests on a page. Default: ${REQUESTS_PAGE_DEFAULT}`,
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'nextCursor of the previous page' })),
  },
  { additionalProperties: false },
)
export type EmissionListQuery = Static<typeof EmissionListQuery>

const EmissionItem = Type.Object({
  requestId: Text('Id of the ad request. GET /v1/panel/explain/emission/{requestId} explains it'),
  shopId: Text('Id of the shop'),
  shopName: Nullable(Text('Name of the shop')),
  kind: Kind('Kind of ads that were requested'),
  clientId: Text('cid of the person; for advertisers a pseudonym; empty when it is no longer kept'),
  userId: Nullable(Text('uid of the person; for advertisers a pseudonym')),
  occurredAt: Time('When the ads were requested'),
  country: Nullable(Text('Country of the request')),
  elapsedMs: Type.Number({ description: 'Time that it took to choose the ads, in milliseconds' }),
  slots: Type.Array(
    Type.Object({
      adUnitId: Text('Ad unit whose settings applied'),
      adUnitName: Nullable(Text('Name of the ad unit')),
      algorithm: Text('Algorithm of the ad unit'),
      shortfall: Nullable(Text('Why there are fewer ads than requested, as a code; null if there are not')),
      why: Nullable(Text('`shortfall` in words')),
      ads: Type.Array(
        Type.Object({
          campaignId: Text('Id of its campaign'),
          campaignName: Nullable(Text('Name of the campaign')),
          adId: Text('Feed id of the product, or id of the banner'),
        }),
        { description: 'The ads that were shown, in order. Advertisers see only their own' },
      ),
    }),
    { description: 'The slots of the request. Advertisers see only those in which their campaigns took part' },
  ),
})

export const EmissionList = Type.Object({
  items: Type.Array(EmissionItem, { description: 'The requests, latest first' }),
  nextCursor: Nullable(Text('Cursor of the next page; null on the last page')),
  searchedFrom: Time(
    'How far back the search went. It stops before it reaches `from` if the page is full or if it takes too long',
  ),
})
