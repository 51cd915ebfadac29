import { type Static, Type } from 'typebox'
import { EVENT_LIMITS } from '../../events.ts'
import { CURRENCY_PATTERN } from '../../text.ts'
import { IdText, Nullable } from '../common.ts'
import { ReturnId } from './returns.ts'

const { idChars, textChars, linesMax, quantityMax, amountMax } = EVENT_LIMITS

const Text = (description: string, maxLength: number = textChars) =>
  Type.Optional(Nullable(Type.String({ maxLength, description })))

export const ImportQuery = Type.Object(
  {
    shopId: Type.Optional(IdText('Shop of entries that name none. May be left out if the caller has exactly one shop')),
  },
  { additionalProperties: false },
)

/** One line of POST /v1/panel/import/transactions. Other properties of a line are ignored. */
export const ImportLine = Type.Object(
  {
    eventId: Type.String({
      minLength: 1,
      maxLength: idChars,
      description: 'Counted once per shop and kind, however often it is imported',
    }),
    shopId: Text('Shop. Default: that of the query', idChars),
    kind: Type.Optional(
      Nullable(Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'Kind of transaction. Default: PURCHASE' })),
    ),
    currency: Type.String({ pattern: CURRENCY_PATTERN, description: 'ISO 4217' }),
    occurredAt: Type.String({
      maxLength: 64,
      description:
        'When it happened: an ISO 8601 time with an offset, or a date, which is the start of that day in the time zone of the ' +
        'shop. Any time in the past since 1970',
    }),
    cid: Text('Client id of the buyer', idChars),
    customer: Text('User id of the buyer (uid)', idChars),
    locale: Text('Language and country, such as pl_PL', 16),
    products: Type.Array(
      Type.Object({
        shopProductId: Type.String({ minLength: 1, maxLength: idChars, description: 'Feed id of the product' }),
        price: Type.Number({ minimum: 0, maximum: amountMax, description: 'Total for all units' }),
        quantity: Type.Integer({ minimum: 1, maximum: quantityMax }),
        productTitle: Text('Title of the product'),
        brand: Text('Brand of the product'),
        sellerId: Text('Seller of the product', idChars),
      }),
      { minItems: 1, maxItems: linesMax },
    ),
  },
  { description: 'A past order' },
)
export type ImportLine = Static<typeof ImportLine>

/** One entry of POST /v1/panel/import/returns. Other properties of an entry are ignored. */
export const ImportReturn = Type.Object(
  {
    returnId: ReturnId,
    eventId: Type.String({ minLength: 1, maxLength: idChars, description: 'eventId of the purchase' }),
    shopId: Text('Shop. Default: that of the query', idChars),
    occurredAt: Type.String({
      maxLength: 64,
      description: 'When it was returned: an ISO 8601 time with an offset, or a date, as for orders',
    }),
    reason: Text('Reason for the return, for people who look at the order later', 200),
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          shopProductId: Type.String({ minLength: 1, maxLength: idChars, description: 'Feed id of the product' }),
          quantity: Type.Integer({ minimum: 1, maximum: quantityMax, description: 'Number of returned units' }),
        }),
        {
          minItems: 1,
          maxItems: linesMax,
          description: 'The returned products. Without it, the whole order is returned',
        },
      ),
    ),
  },
  { description: 'A return' },
)

export const ImportAnswer = Type.Object({
  accepted: Type.Integer({ description: 'Number of entries that are now durable' }),
  rejected: Type.Integer({ description: 'Number of entries that were rejected' }),
  errors: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Line of the body, from 1' }),
      path: Type.String({ description: 'JSON pointer into the entry' }),
      message: Type.String({ description: 'What is wrong with the field' }),
    }),
    { description: 'What is wrong with the rejected entries. At most the first 100 errors are listed' },
  ),
})
export type ImportAnswer = Static<typeof ImportAnswer>
