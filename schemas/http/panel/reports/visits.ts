import { type Static, Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'

const SALES_LIMIT_MAX = 10_000
export const SALES_LIMIT_DEFAULT = 1_000
const CURSOR_CHARS_MAX = 2_000

/** What a row of page views stands for. */
export const visitDimensions = ['day', 'utmSource', 'utmMedium', 'utmCampaign', 'gclid'] as const
export type VisitDimension = (typeof visitDimensions)[number]

const Moment = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const range = {
  shopId: IdText('The shop'),
  from: Moment("First moment. A date is the start of that day in the shop's time zone"),
  to: Moment('First moment after, like from. At most 400 days later'),
}
const Format = (name: string) => Type.Optional(Type.Enum([name, 'csv'], { description: `${name} without it` }))

export const VisitQuery = Type.Object(
  {
    ...range,
    groupBy: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: `What a row stands for, by commas: ${visitDimensions.join(', ')}. Without it, the three of utm`,
      }),
    ),
    format: Format('json'),
  },
  { additionalProperties: false },
)
export type VisitQuery = Static<typeof VisitQuery>

const Maybe = (description: string) => Nullable(Type.String({ description }))
const figures = {
  pageViews: Type.Integer({ description: 'Pages seen' }),
  visitors: Type.Integer({ description: 'Browsers (cid) that saw them' }),
  purchases: Type.Integer({ description: 'Credited purchases of browsers that last came this way' }),
  revenue: Type.Number({ description: 'Price of the credited lines of these' }),
}

/** Answer of GET /v1/panel/page-views. */
export const VisitReport = Type.Object({
  rows: Type.Array(
    Type.Object({
      day: Type.Optional(Type.String({ description: "Of the shop's time zone" })),
      utmSource: Type.Optional(Maybe('Null: none was sent')),
      utmMedium: Type.Optional(Maybe('Null: none was sent')),
      utmCampaign: Type.Optional(Maybe('Null: none was sent')),
      gclid: Type.Optional(Type.Boolean({ description: 'Whether a click identifier of an ad network was sent' })),
      currency: Type.String({ description: "Of revenue; the shop's where there is none" }),
      ...figures,
    }),
    { description: 'Those with the most page views first' },
  ),
  totals: Type.Array(Type.Object({ currency: Type.String(), ...figures }), {
    description: "Over all rows, for each currency; page views are with the shop's",
  }),
  truncated: Type.Boolean({ description: 'There are more rows than are answered' }),
})

export const SalesQuery = Type.Object(
  {
    ...range,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: SALES_LIMIT_MAX, description: `Lines, ${SALES_LIMIT_DEFAULT} without it` }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'From the header Link of the page before' }),
    ),
    format: Format('ndjson'),
  },
  { additionalProperties: false },
)
export type SalesQuery = Static<typeof SalesQuery>

/** A line of GET /v1/panel/attributed-sales. */
export const AttributedSale = Type.Object({
  eventId: Type.String({ description: 'Of the purchase, as sent with it' }),
  line: Type.Integer({ description: 'Place of the line in the purchase, from 0' }),
  occurredAt: Time('Of the purchase'),
  cid: Type.String({ description: 'Client id of the buyer' }),
  uid: Maybe('User id of the buyer'),
  shopProductId: Type.String({ description: 'Feed id of what was bought' }),
  quantity: Type.Integer(),
  price: Type.Number({ description: 'Of all units' }),
  currency: Type.String({ description: 'ISO 4217' }),
  campaignId: Type.String({ description: 'The campaign that is credited' }),
  campaignName: Maybe('Its name'),
  match: Type.Enum(['DIRECT', 'HALO']),
  touchType: Type.Enum(['VIEW', 'CLICK']),
  touchAt: Time('Of the view or click that is credited'),
  cameAt: Nullable(
    Time("Of the buyer's last page view with a gclid or utm before the purchase, at most 30 days before it"),
  ),
  landingPage: Maybe('Address of that page'),
  gclid: Maybe('As sent with that page view, as are the next'),
  utmSource: Maybe('utm_source'),
  utmMedium: Maybe('utm_medium'),
  utmCampaign: Maybe('utm_campaign'),
})
