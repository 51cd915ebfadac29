import { type Static, Type } from 'typebox'
import { IdText, Nullable, Time } from '../common.ts'
import { PERIOD_DAYS_MAX, SALES_LIMIT_MAX } from '../limits.ts'

export const SALES_LIMIT_DEFAULT = 1_000
const CURSOR_CHARS_MAX = 2_000

/** What a row of page views stands for. */
export const visitDimensions = ['day', 'utmSource', 'utmMedium', 'utmCampaign', 'gclid'] as const
export type VisitDimension = (typeof visitDimensions)[number]

const Moment = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const range = {
  shopId: IdText('The shop'),
  from: Moment("Start of the period, inclusive. A date is the start of that day in the shop's time zone"),
  to: Moment(`End of the period, exclusive, in the form of \`from\`. At most ${PERIOD_DAYS_MAX} days later`),
}
const Format = (name: string) =>
  Type.Optional(Type.Enum([name, 'csv'], { description: `Format of the answer. Default: ${name}` }))

export const VisitQuery = Type.Object(
  {
    ...range,
    groupBy: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          `What rows are grouped by. Names separated by commas: ${visitDimensions.join(', ')}. Default: utmSource, utmMedium, ` +
          'utmCampaign',
      }),
    ),
    format: Format('json'),
  },
  { additionalProperties: false },
)
export type VisitQuery = Static<typeof VisitQuery>

const Maybe = (description: string) => Nullable(Type.String({ description }))
const figures = {
  pageViews: Type.Integer({ description: 'Number of page views' }),
  visitors: Type.Integer({ description: 'Number of different browsers (cid)' }),
  purchases: Type.Integer({
    description: 'Credited purchases whose buyers last came with the gclid and utm values of this row',
  }),
  revenue: Type.Number({ description: 'Total price of the credited lines of these purchases' }),
}

/** Answer of GET /v1/panel/page-views. */
export const VisitReport = Type.Object({
  rows: Type.Array(
    Type.Object({
      day: Type.Optional(Type.String({ description: "Day in the shop's time zone" })),
      utmSource: Type.Optional(Maybe('null if none was sent')),
      utmMedium: Type.Optional(Maybe('null if none was sent')),
      utmCampaign: Type.Optional(Maybe('null if none was sent')),
      gclid: Type.Optional(Type.Boolean({ description: 'Whether a click identifier of an ad network was sent' })),
      currency: Type.String({ description: 'Currency of `revenue`. Without revenue, the currency of the shop' }),
      ...figures,
    }),
    { description: 'Rows with the most page views come first' },
  ),
  totals: Type.Array(Type.Object({ currency: Type.String(), ...figures }), {
    description: "Totals over all rows, one for each currency. Page views are in the one with the shop's currency",
  }),
  truncated: Type.Boolean({ description: 'True if rows were cut off' }),
})

export const SalesQuery = Type.Object(
  {
    ...range,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SALES_LIMIT_MAX,
        description: `Maximum number of lines. Default: ${SALES_LIMIT_DEFAULT}`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: CURSOR_CHARS_MAX, description: 'Cursor in the header Link of the previous page' }),
    ),
    format: Format('ndjson'),
  },
  { additionalProperties: false },
)
export type SalesQuery = Static<typeof SalesQuery>

/** A line of GET /v1/panel/attributed-sales. */
export const AttributedSale = Type.Object({
  eventId: Type.String({ description: 'eventId that was sent with the purchase' }),
  line: Type.Integer({ description: 'Position of the line in the purchase, from 0' }),
  occurredAt: Time('When the purchase happened'),
  cid: Type.String({ description: 'Client id of the buyer' }),
  uid: Maybe('User id of the buyer'),
  shopProductId: Type.String({ description: 'Feed id of the product that was bought' }),
  quantity: Type.Integer(),
  price: Type.Number({ description: 'Total for all units' }),
  currency: Type.String({ description: 'ISO 4217' }),
  campaignId: Type.String({ description: 'Campaign that is credited' }),
  campaignName: Maybe('Name of that campaign'),
  match: Type.Enum(['DIRECT', 'HALO']),
  touchType: Type.Enum(['VIEW', 'CLICK']),
  touchAt: Time('When the credited view or click happened'),
  cameAt: Nullable(
    Time(
      "When the buyer's last page view with a gclid or utm happened, at most 30 days before the purchase; null if there is none",
    ),
  ),
  landingPage: Maybe('Address of the page of that page view'),
  gclid: Maybe('gclid of that page view'),
  utmSource: Maybe('utm_source of that page view'),
  utmMedium: Maybe('utm_medium of that page view'),
  utmCampaign: Maybe('utm_campaign of that page view'),
})
