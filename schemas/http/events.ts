import { type Static, Type } from 'typebox'
import { EVENT_AGE_MAX_DAYS } from '../event-times.ts'
import { Nullable, TIME_CHARS_MAX } from './panel/common.ts'
import { ID_CHARS_MAX } from './panel/limits.ts'
import { CURRENCY_PATTERN, LOCALE_PATTERN } from './text.ts'

/** Limits of event bodies. The contract sets `batchMax`; the others are far above what a shop sends. */
export const EVENT_LIMITS = {
  batchMax: 1_000,
  linesMax: 1_000,
  quantityMax: 1_000_000,
  amountMax: 1_000_000_000,
  showIdChars: 2_000,
  idChars: ID_CHARS_MAX,
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
        `When the event happened, ISO 8601 with an offset. An event more than ${EVENT_AGE_MAX_DAYS} days old is rejected. ` +
        'If the time is missing, malformed or in the future, the time of receipt is used',
    }),
  ),
)
const ShowId = Type.String({
  minLength: 1,
  maxLength: L.showIdChars,
  description: 'showId of the ad, unchanged',
})
const person = {
  cid: Text('Client id: identifies the browser or app', L.idChars),
  uid: Text('User id: identifies the user on every device', L.idChars),
}

/** Headers that the intake checks itself; they are listed here for the documentation. */
export const EventHeaders = Type.Object({
  cid: Type.Optional(Type.String({ maxLength: L.idChars, description: 'Client id: identifies the browser or app' })),
  uid: Type.Optional(
    Type.String({ maxLength: L.idChars, description: 'User id: identifies the user on every device' }),
  ),
  authorization: Type.Optional(
    Type.String({
      description: 'Bearer token with the scope `events`. It proves that a server of the shop sent the request',
    }),
  ),
  'endcap-client-address': Type.Optional(
    Type.String({ description: "Read only with a token: the shopper's IP address. Only a hash of it is stored" }),
  ),
  'endcap-client-user-agent': Type.Optional(
    Type.String({
      description:
        "Read only with a token: the shopper's User-Agent. If it is missing, the User-Agent of the request is used",
    }),
  ),
  'endcap-signature': Type.Optional(
    Type.String({
      description:
        'key=<id>,t=<unix seconds>,v1=<hex>. It proves that a page of the shop sent the request: see docs/signing-events.md',
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
  eventId: Text(
    'Your id of the transaction. It is counted once per shop and kind, however often it is sent. Without it, every repeat is counted again',
    L.idChars,
  ),
  shopId: Id('The shop'),
  currency: Type.String({ pattern: CURRENCY_PATTERN, description: 'ISO 4217 code' }),
  occurredAt: OccurredAt,
}

const transaction = {
  ...transactionFields,
  kind: Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'What was done with the products' }),
  locale: Type.Optional(
    Nullable(Type.String({ pattern: LOCALE_PATTERN, description: 'Language and country, such as pl_PL' })),
  ),
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
    shopProductId: Text('On a product page: feed id of the product', L.idChars),
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
  data: Type.Object({
    ...transaction,
    ...person,
    cid: Id(
      'Client id of the buyer. The cid header does not replace it: it may be that of the server that sends the batch',
    ),
  }),
  occurredAt: OccurredAt,
})
export const batchElements = { VIEW: View, CLICK: Click, PAGE_VIEW: PageView, TRANSACTION: Transaction } as const

export const BatchBody = Type.Object({
  events: Type.Array(Type.Union([View, Click, PageView, Transaction]), {
    minItems: 1,
    maxItems: L.batchMax,
    description: 'Each event is checked by itself: valid events are accepted, invalid ones are listed in the answer',
  }),
})

export const EventAnswer = Type.Object(
  {
    clientId: Type.String({
      description:
        'cid under which the event is recorded. For a batch: the cid header; without it, the cid that was assigned to its page ' +
        'views, or that of its first accepted event',
    }),
    accepted: Type.Integer({ description: 'Number of events that are now durable, repeats included' }),
    duplicates: Type.Optional(
      Type.Integer({
        description:
          'How many of the accepted events repeat another event of the request or one stored recently. An event and its repeats ' +
          'are counted once',
      }),
    ),
    rejected: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position in `events`, from 0' }),
        code: Type.String({ description: 'One of the codes in docs/errors.md' }),
        message: Type.String({ description: 'Which field is wrong, and how' }),
      }),
    ),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          index: Type.Optional(
            Type.Integer({ description: 'Position in `events`, from 0. Only in the answer to a batch' }),
          ),
          path: Type.String({ description: 'JSON pointer into the body, or `header/` and the name of the header' }),
          message: Type.String({ description: 'What is wrong, and what was done instead' }),
        }),
        {
          description:
            'Optional fields that were malformed, and were left out or replaced; orders in another currency than that of the ' +
            'shop. The events were accepted',
        },
      ),
    ),
  },
  { description: 'Returned only after the events are durable' },
)

export type ShowIdBody = Static<typeof ShowIdBody>
export type TransactionBody = Static<typeof TransactionBody>
export type DeprecatedTransactionBody = Static<typeof DeprecatedTransactionBody>
export type PageViewBody = Static<typeof PageViewBody>
export type EventAnswer = Static<typeof EventAnswer>
