import { type Static, Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { Body, Id, IdText, ListQuery, Nullable, Page, Time } from '../common.ts'
import { ID_CHARS_MAX } from '../limits.ts'

const Identifier = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, pattern: TEXT_PATTERN, description }))

/** A person of one shop, because another shop may give the same identifier to somebody else. */
const person = {
  shopId: Id('The shop that knows the person'),
  cid: Identifier('Client id: one browser. Give either cid or uid'),
  uid: Identifier('User id: one login of the shop. Give either cid or uid'),
}

export const ErasureCreate = Body(person)
export type ErasureCreate = Static<typeof ErasureCreate>

export const ErasureView = Type.Object({
  id: Id('Id given by the service'),
  shopId: Id('The shop that knew the person'),
  identifier: Type.Enum(['cid', 'uid'], {
    description: 'Kind of the identifier that is erased. The identifier itself is not stored',
  }),
  pseudonym: Type.String({
    description:
      'Pseudonym that replaces the identifier everywhere, so that records of the person still belong together',
  }),
  status: Type.Enum(['PENDING', 'ERASED'], {
    description:
      'ERASED: no answer, table or counter contains the identifier any more in records from before createdAt',
  }),
  createdBy: Type.String({ description: 'Id of the account that requested it' }),
  createdAt: Time('When it was requested. Later records of the same identifier are not erased'),
  erasedAt: Nullable(Time('When it was completed; null if it is pending')),
  logFreeAt: Nullable(
    Time(
      'When the identifier was removed from the log; null if it was not yet. A log in Kafka loses it by its retention',
    ),
  ),
})

export const ErasureParams = Type.Object({ id: IdText('Id of the erasure') })
export const ErasureQuery = ListQuery({ shopId: Type.Optional(IdText('Only erasures of this shop')) })
export const ErasurePage = Page(ErasureView)

export const PersonalDataQuery = Body(person)
export type PersonalDataQuery = Static<typeof PersonalDataQuery>

const Rows = (description: string) => Type.Array(Type.Unknown(), { description })

export const PersonalData = Type.Object({
  shopId: Id('The shop that knows the person'),
  identifier: Type.Enum(['cid', 'uid'], { description: 'Kind of the identifier that was asked for' }),
  exportedAt: Time('When the data was read'),
  identifiersSince: Nullable(
    Time('Of the time before, nothing can be given out: it is kept without identifiers. null if all have them'),
  ),
  linked: Type.Array(
    Type.Object({
      cid: Type.String({ description: 'Client id' }),
      uid: Type.String({ description: 'User id' }),
      firstSeenAt: Time('When they were first seen together'),
    }),
    {
      description:
        'Other identifiers that were seen together with this one. Each has to be exported and erased separately',
    },
  ),
  adRequests: Rows('Ad requests: the ads that were shown and those that were considered'),
  adEvents: Rows('Views and clicks, with their verdicts'),
  transactions: Rows('Purchases, cart and wishlist additions'),
  pageViews: Rows('Pages that were opened'),
  credits: Rows('The ads that purchases were credited to'),
  corrections: Rows('Views and clicks that were voided later'),
})
