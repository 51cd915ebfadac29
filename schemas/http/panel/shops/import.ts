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
    shopId: Type.Optional(IdText("Shop of lines that name none; the caller's only one without it")),
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
    shopId: Text('The shop', idChars),
    kind: Type.Optional(Nullable(Type.Enum(['PURCHASE', 'CART', 'WISHLIST'], { description: 'PURCHASE without it' }))),
    currency: Type.String({ pattern: CURRENCY_PATTERN, description: 'ISO 4217' }),
    occurredAt: Type.String({
      maxLength: 64,
      description: 'When: ISO 8601 with an offset, or a date; any time in the past',
    }),
    cid: Text('Client id of the buyer', idChars),
    customer: Text('User id of the buyer (uid)', idChars),
    locale: Text('language_COUNTRY: pl_PL', 16),
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
    eventId: Type.String({ minLength: 1, maxLength: idChars, description: 'The purchase' }),
    shopId: Text('The shop', idChars),
    occurredAt: Type.String({ maxLength: 64, description: 'When it came back: ISO 8601 with an offset, or a date' }),
    reason: Text('For those who look at the order later', 200),
    lines: Type.Optional(
      Type.Array(
        Type.Object({
          shopProductId: Type.String({ minLength: 1, maxLength: idChars, description: 'Feed id of the product' }),
          quantity: Type.Integer({ minimum: 1, maximum: quantityMax, description: 'Units that came back' }),
        }),
        { minItems: 1, maxItems: linesMax, description: 'Without it, the whole order' },
      ),
    ),
  },
  { description: 'A return' },
)

export const ImportAnswer = Type.Object({
  accepted: Type.Integer({ description: 'Lines that are now durable' }),
  rejected: Type.Integer({ description: 'Lines that are wrong' }),
  errors: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Number of the line, from 1' }),
      path: Type.String({ description: 'JSON pointer into the line' }),
      message: Type.String({ description: 'What is wrong there' }),
    }),
    { description: 'What is wrong with the first lines rejected, at most 100 findings' },
  ),
})
export type ImportAnswer = Static<typeof ImportAnswer>
