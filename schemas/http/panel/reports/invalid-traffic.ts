import { type Static, Type } from 'typebox'
import { NO_CONTROL_PATTERN } from '../../text.ts'
import { Body, Currency, Id, IdText, Nullable, Time, UUID_CHARS } from '../common.ts'

const REASON_CHARS_MAX = 500
const CID_CHARS_MAX = 256
const EVENT_IDS_MAX = 1_000

const Reason = Type.String({
  minLength: 1,
  maxLength: REASON_CHARS_MAX,
  pattern: NO_CONTROL_PATTERN,
  description: 'Why they do not count, as advertisers may be told',
})

export const VoidCreate = Body({
  shopId: Id('The shop of the events'),
  reason: Reason,
  eventIds: Type.Optional(
    Type.Array(Type.String({ maxLength: UUID_CHARS }), {
      minItems: 1,
      maxItems: EVENT_IDS_MAX,
      description: 'Only these events',
    }),
  ),
  campaignId: Type.Optional(Id('Only events of this campaign')),
  cid: Type.Optional(Type.String({ minLength: 1, maxLength: CID_CHARS_MAX, description: 'Only of this browser' })),
  requestId: Type.Optional(Id('Only of the ads of this request')),
  from: Type.Optional(Time('Only what happened from then on')),
  to: Type.Optional(Time('Only what happened before')),
  dryRun: Type.Optional(Type.Boolean({ description: 'Says what would be voided, and voids nothing' })),
})
export type VoidCreate = Static<typeof VoidCreate>

export const VoidView = Type.Object({
  id: Nullable(Type.String({ description: 'Null after a dry run' })),
  shopId: Id('The shop of the events'),
  reason: Reason,
  events: Type.Integer({ description: 'Views and clicks that do not count any more' }),
  clicks: Type.Integer({ description: 'Of these, clicks' }),
  creditedBack: Type.Number({ description: 'What had been billed for them' }),
  currency: Currency('Of the amount'),
  createdBy: Type.String({ description: 'Account that decided' }),
  createdAt: Time('When it was decided'),
})

export const AddressesView = Type.Object({
  events: Type.Integer({ description: 'Views and clicks of the last 24 hours' }),
  known: Type.Integer({ description: 'Of these, with a public address of the client, which rules that count need' }),
})

export const VoidQuery = Type.Object({ shopId: Type.Optional(IdText('Of this shop')) }, { additionalProperties: false })

export const VoidList = Type.Object({ items: Type.Array(VoidView) })
