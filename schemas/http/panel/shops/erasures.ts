import { type Static, Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { Body, Id, IdText, ListQuery, Nullable, Page, Time } from '../common.ts'

const IDENTIFIER_CHARS_MAX = 256

const Identifier = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: IDENTIFIER_CHARS_MAX, pattern: TEXT_PATTERN, description }))

/** A person of one shop, because another shop may give the same identifier to somebody else. */
const person = {
  shopId: Id('The shop that knows the person'),
  cid: Identifier('Client id: one browser. Either this or uid'),
  uid: Identifier('User id: one login of the shop. Either this or cid'),
}

export const ErasureCreate = Body(person)
export type ErasureCreate = Static<typeof ErasureCreate>

export const ErasureView = Type.Object({
  id: Id('Given by the service'),
  shopId: Id('The shop that knew the person'),
  identifier: Type.Enum(['cid', 'uid'], { description: 'What the person was known by. It is stored nowhere' }),
  pseudonym: Type.String({ description: 'Stands in its place, so that what belongs together does so still' }),
  status: Type.Enum(['PENDING', 'ERASED'], {
    description: 'ERASED: no answer, table or counter has the identifier of what happened before createdAt',
  }),
  createdBy: Type.String({ description: 'Account that asked for it' }),
  createdAt: Time('When it was asked for. What the same identifier does later is not erased'),
  erasedAt: Nullable(Time('When it was done')),
  logFreeAt: Nullable(
    Time('When the log held none of its bytes any more. Null: not yet. A log in Kafka forgets by its retention'),
  ),
})

export const ErasureParams = Type.Object({ id: IdText('Of the erasure') })
export const ErasureQuery = ListQuery({ shopId: Type.Optional(IdText('Of this shop')) })
export const ErasurePage = Page(ErasureView)

export const PersonalDataQuery = Body(person)
export type PersonalDataQuery = Static<typeof PersonalDataQuery>

const Rows = (description: string) => Type.Array(Type.Unknown(), { description })

export const PersonalData = Type.Object({
  shopId: Id('The shop that knows the person'),
  identifier: Type.Enum(['cid', 'uid'], { description: 'What was asked for' }),
  exportedAt: Time('When it was read'),
  linked: Type.Array(
    Type.Object({
      cid: Type.String({ description: 'Client id' }),
      uid: Type.String({ description: 'User id' }),
      firstSeenAt: Time('When they were first seen together'),
    }),
    { description: 'Other identifiers that were seen together with it. Each is asked for and erased by itself' },
  ),
  adRequests: Rows('Ads that were shown, with those that were considered'),
  adEvents: Rows('Views and clicks, with their verdicts'),
  transactions: Rows('Purchases, cart and wishlist additions'),
  pageViews: Rows('Pages that were opened'),
  credits: Rows('To which ads purchases were credited'),
  corrections: Rows('Views and clicks that were voided later'),
})
