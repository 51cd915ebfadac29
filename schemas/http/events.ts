import { type Static, Type } from 'typebox'
import { Nullable, TIME_CHARS_MAX } from './panel/common.ts'
import { CURRENCY_PATTERN, LOCALE_PATTERN } from './text.ts'

/** Limits of event bodies. The contract sets `batchMax`; the others are far above what a shop sends. */
export const EVENT_LIMITS = {
  batchMax: 1_000,
  linesMax: 1_000,
  quantityMax: 1_000_000,
  amountMax: 1_000_000_000,
  showIdChars: 2_000,
  idChars: 256,
  textChars: 1_000,
  urlChars: 4_096,
} as const

const L = EVENT_LIMITS

/** A text for which missing, null and empty mean the same. */
const Text = (description: string, maxLength: number = L.textChars) =>
  Type.Optional(Nullable(Type.String({ maxLength, description })))
const Id = (description: string) => Type.String({ minLength: 1, maxLength: L.idChars, description })
const OccurredAt = Type.Optional(
  Nullable(
    Type.String({
      format: 'date-time',
      maxLength: TIME_CHARS_MAX,
      description:
        'When it happened, ISO 8601 with an offset: at most 7 days back. Without it, or when it is in the future, when it was received',
    }),
  ),
)
const ShowId = Type.String({
  minLength: 1,
  maxLength: L.showIdChars,
  description: 'The showId of the ad, as it came with the ad',
})
const person = {
  cid: Text('Client id: the browser or app', L.idChars),
  uid: Text('User id, the same on every device', L.idChars),
}

/** Headers that the intake checks itself; they are listed here for the documentation. */
export const EventHeaders = Type.Object({
  cid: Type.Optional(Type.String({ maxLength: L.idChars, description: 'Client id: the browser or app' })),
  uid: Type.Optional(Type.String({ maxLength: L.idChars, description: 'User id, the same on every device' })),
  authorization: Type.Optional(
    Type.String({ description: 'Bearer token with the scope events: the sender is a server of the shop' }),
  ),
  'endcap-client-address': Type.Optional(
    Type.String({ description: "With a token: the shopper's IP address. It is hashed, and never stored" }),
  ),
  'endcap-client-user-agent': Type.Optional(Type.String({ description: "With a token: the shopper's User-Agent" })),
  'endcap-signature': Type.Optional(
    Type.String({
      description: 'key=<id>,t=<unix seconds>,v1=<hex>: the sender is a page of the shop; see docs/signing-events.md',
    }),
  ),
})

/** A transaction needs a buyer, so its cid is required. */
export const BuyerHeaders = Type.Object({
  ...EventHeaders.properties,
  cid: Type.String({ minLength: 1, maxLength: L.idChars, description: 'Client id of the buyer' }),
})

export const ShowIdBody = Type.Object({ showId: ShowId }, { description: 'The ad that was seen or clicked' })

const lineFields = {
  shopProductId: Id('Feed id of the product'),
  price: Type.Number({
    minimum: 0,
    maximum: L.amountMax,
    description: 'Total for all units, in the currency of the transaction',
  }),
  quantity: Type.Integer({ minimum: 1, maximum: L.quantityMax }),
}
const Lines = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Array(Type.Object(fields), { minItems: 1, maxItems: L.linesMax, description: 'One line per product' })

const transactionFields = {
  eventId: Text('Counted once per shop and kind. Without it a repeat counts again', L.idChars),
  shopId: Id('The shop'),
  currency: Type.String({ pattern: CURRENCY_PATTERN, description: 'ISO 4217 code' }),
  occurredAt: OccurredAt,
}

const transaction = {
  ...transactionFields,
  kind: Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'What was done with the products' }),
  locale: Type.Optional(Nullable(Type.String({ pattern: LOCALE_PATTERN, description: 'language_COUNTRY: pl_PL' }))),
  products: Lines(lineFields),
}
export const TransactionBody = Type.Object(transaction, { description: 'A purchase, or a cart or wishlist addition' })

export const DeprecatedTransactionBody = Type.Object({
  ...transactionFields,
  products: Lines({
    ...lineFields,
    productTitle: Type.String({ maxLength: L.textChars }),
    brand: Text('Brand of the product'),
    sellerId: Text('Seller of the product', L.idChars),
  }),
})

export const PageViewBody = Type.Object(
  {
    ...person,
    id: Id('Unique id of the page view'),
    referer: Type.String({ minLength: 1, maxLength: L.urlChars, description: 'URL of the page where the user is' }),
    shopId: Id('The shop'),
    shopProductId: Text('Feed id of the product, on a product page', L.idChars),
    gclid: Text('Click identifier of an ad network'),
    utmSource: Text('utm_source of the visit'),
    utmMedium: Text('utm_medium of the visit'),
    utmCampaign: Text('utm_campaign of the visit'),
  },
  { description: 'A page that was opened' },
)

const View = Type.Object({ type: Type.Literal('VIEW'), showId: ShowId, occurredAt: OccurredAt })
const Click = Type.Object({ type: Type.Literal('CLICK'), showId: ShowId, occurredAt: OccurredAt })
const PageView = Type.Object({ type: Type.Literal('PAGE_VIEW'), data: PageViewBody, occurredAt: OccurredAt })
const Transaction = Type.Object({
  type: Type.Literal('TRANSACTION'),
  data: Type.Object({ ...transaction, ...person, cid: Id('Client id of the buyer: required here') }),
  occurredAt: OccurredAt,
})
export const batchElements = { VIEW: View, CLICK: Click, PAGE_VIEW: PageView, TRANSACTION: Transaction } as const

export const BatchBody = Type.Object({
  events: Type.Array(Type.Union([View, Click, PageView, Transaction]), {
    minItems: 1,
    maxItems: L.batchMax,
    description: 'Each is judged alone: those that are valid are taken, the others are listed in the answer',
  }),
})

export const EventAnswer = Type.Object(
  {
    clientId: Type.String({ description: 'The cid that the events were recorded under, assigned when there was none' }),
    accepted: Type.Integer({ description: 'Events that are now durable, repeats included' }),
    duplicates: Type.Optional(
      Type.Integer({
        description: 'Of those accepted, repeats of another in the request or of one stored lately: they count once',
      }),
    ),
    rejected: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place in events, from 0' }),
        code: Type.String({ description: 'One of the codes in docs/errors.md' }),
        message: Type.String({ description: 'Which field is wrong, and how' }),
      }),
    ),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          index: Type.Optional(Type.Integer({ description: 'Place in events, from 0; only of a batch' })),
          path: Type.String({ description: 'JSON pointer into the body, or the header' }),
          message: Type.String({ description: 'What is wrong, and what was done instead' }),
        }),
        { description: 'Optional fields that were malformed and left out: the events count without them' },
      ),
    ),
  },
  { description: 'Given only once the events are durable' },
)

export type ShowIdBody = Static<typeof ShowIdBody>
export type TransactionBody = Static<typeof TransactionBody>
export type DeprecatedTransactionBody = Static<typeof DeprecatedTransactionBody>
export type PageViewBody = Static<typeof PageViewBody>
export type EventAnswer = Static<typeof EventAnswer>
