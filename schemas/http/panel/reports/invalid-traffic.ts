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
  description: 'Why the events do not count. Advertisers may be told',
})

export const VoidCreate = Body({
  shopId: Id('The shop of the events'),
  reason: Reason,
  eventIds: Type.Optional(
    Type.Array(Type.String({ maxLength: UUID_CHARS }), {
      minItems: 1,
      maxItems: EVENT_IDS_MAX,
      description: 'Ids of the events to void. At least one of eventIds, campaignId, cid and requestId is required',
    }),
  ),
  campaignId: Type.Optional(Id('Void only events of this campaign')),
  cid: Type.Optional(
    Type.String({ minLength: 1, maxLength: CID_CHARS_MAX, description: 'Void only events of this browser' }),
  ),
  requestId: Type.Optional(Id('Void only events of ads of this request')),
  from: Type.Optional(Time('Void only events that happened at this time or later')),
  to: Type.Optional(Time('Void only events that happened before this time')),
  dryRun: Type.Optional(
    Type.Boolean({ description: 'If true, the answer says what would be voided, and nothing is voided' }),
  ),
})
export type VoidCreate = Static<typeof VoidCreate>

export const VoidView = Type.Object({
  id: Nullable(Type.String({ description: 'Id of the decision; null after a dry run' })),
  shopId: Id('The shop of the events'),
  reason: Reason,
  events: Type.Integer({ description: 'Number of views and clicks that no longer count' }),
  clicks: Type.Integer({ description: 'How many of them are clicks' }),
  creditedBack: Type.Number({ description: 'Amount that had been billed for them' }),
  currency: Currency('Currency of the amount'),
  createdBy: Type.String({ description: 'Id of the account that decided' }),
  createdAt: Time('When it was decided'),
})

export const AddressesView = Type.Object({
  events: Type.Integer({ description: 'Number of views and clicks in the last 24 hours' }),
  known: Type.Integer({
    description: 'How many of them came with a public IP address of the client, which rules that count by address need',
  }),
})

export const VoidQuery = Type.Object(
  { shopId: Type.Optional(IdText('Only of this shop')) },
  { additionalProperties: false },
)

export const VoidList = Type.Object({ items: Type.Array(VoidView) })
