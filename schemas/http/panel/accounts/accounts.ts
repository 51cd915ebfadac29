import { Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { answered, Body, Id, ListQuery, Name, Note, Nullable, PatchBody, Time } from '../common.ts'

const SELLER_IDS_MAX = 1_000
const SELLER_ID_CHARS_MAX = 100

const AccountKind = Type.Enum(['PUBLISHER', 'ADVERTISER', 'OPERATOR'], {
  description: 'Decides what its tokens may do',
})

const profile = {
  name: Name('As shown in the panel and in emission info (advertiserName)'),
  companyName: Note('Registered name, shown in emission info'),
  taxNumber: Note('Tax number, shown in emission info'),
}
/** Fields that the operator sets, because they decide what the account may promote. */
const granted = {
  sellerIds: Type.Array(Type.String({ minLength: 1, maxLength: SELLER_ID_CHARS_MAX, pattern: TEXT_PATTERN }), {
    maxItems: SELLER_IDS_MAX,
    uniqueItems: true,
    description: 'Feed values of externalSellerId whose products the account may promote',
  }),
  displayEnabled: Type.Boolean({ description: 'Whether the account may take part in display advertising' }),
}

export const AccountCreate = Body({
  kind: AccountKind,
  ...profile,
  companyName: Type.Optional(profile.companyName),
  taxNumber: Type.Optional(profile.taxNumber),
  sellerIds: Type.Optional(granted.sellerIds),
  displayEnabled: Type.Optional(granted.displayEnabled),
})
export const AccountPatch = PatchBody({ ...profile, ...granted })
export const AccountView = Type.Object({ ...answered, kind: AccountKind, ...profile, ...granted })
export const AccountQuery = ListQuery({ kind: Type.Optional(AccountKind) })

const Scopes = Type.Array(Type.Enum(['slots', 'feed', 'panel', 'import', 'events']), {
  minItems: 1,
  uniqueItems: true,
  description:
    'slots: technical slots. feed: product updates. panel: this API. import: past transactions. events: events that are known to be of the shop',
})

export const TokenCreate = Body({
  accountId: Type.Optional(Id("The account that it acts for; without it, the caller's")),
  name: Name('What it is for'),
  scopes: Scopes,
  expiresAt: Type.Optional(Nullable(Time('When it ends to work; null for never'))),
})
export const TokenPatch = Body({ name: Type.Optional(Name('What it is for')) })
export const TokenView = Type.Object({
  ...answered,
  accountId: Id('The account that it acts for'),
  name: Name('What it is for'),
  scopes: Scopes,
  expiresAt: Nullable(Time('When it ends to work; null for never')),
  createdBy: Type.Union([Type.Object({ id: Id('Of the user'), name: Name('Of the user') }), Type.Null()], {
    description: 'The user who made it: it ends with that user. Null: the bootstrap token made it, or it is unknown',
  }),
  createdAt: Nullable(Time('When it was made; null: unknown')),
  lastUsedAt: Nullable(Time('A moment within an hour of its last use; null: not used yet')),
  token: Type.Optional(Type.String({ description: 'The token itself: only in the answer that creates it' })),
})
export const TokenQuery = ListQuery({ accountId: Type.Optional(Id('Of this account')) })
