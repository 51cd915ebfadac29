import { type Static, Type } from 'typebox'
import { EVENT_LIMITS } from '../../events.ts'
import { TEXT_PATTERN } from '../../text.ts'
import { Body, Id, Note, Nullable, Time } from '../common.ts'

const { idChars, linesMax, quantityMax } = EVENT_LIMITS

export const ReturnId = Type.String({
  minLength: 1,
  maxLength: idChars,
  pattern: TEXT_PATTERN,
  description: 'Your id of the return. It is counted once in a shop, however often it is sent',
})

const ReturnedLines = Type.Array(
  Body({
    shopProductId: Type.String({ minLength: 1, maxLength: idChars, description: 'Feed id of the product, as bought' }),
    quantity: Type.Integer({ minimum: 1, maximum: quantityMax, description: 'Number of returned units' }),
  }),
  { minItems: 1, maxItems: linesMax, description: 'The returned products. Without it, the whole purchase is returned' },
)

export const ReturnParams = Type.Object({
  eventId: Type.String({ minLength: 1, maxLength: idChars, description: 'eventId of the purchase' }),
})

/** Body of POST /v1/panel/transactions/{eventId}/returns. */
export const ReturnCreate = Body({
  returnId: ReturnId,
  shopId: Id('The shop'),
  lines: Type.Optional(ReturnedLines),
  occurredAt: Type.Optional(Time('When it was returned. Default: now')),
  reason: Type.Optional(Nullable(Note('Reason for the return, for people who look at the order later'))),
})
export type ReturnCreate = Static<typeof ReturnCreate>

export const ReturnView = Type.Object({
  returnId: ReturnId,
  eventId: Type.String({ description: 'eventId of the purchase' }),
  shopId: Id('The shop'),
  occurredAt: Time('When it was returned'),
  receivedAt: Time('When the server received the return'),
  reason: Nullable(Type.String({ description: 'Reason that was given; null if none was' })),
  lines: Type.Array(Type.Object({ shopProductId: Type.String({ description: 'Feed id' }), quantity: Type.Integer() }), {
    description: 'The returned products. Empty if the whole purchase is returned',
  }),
})
