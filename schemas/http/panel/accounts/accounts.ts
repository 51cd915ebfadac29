import { Type } from 'typebox'
import { TEXT_PATTERN } from '../../text.ts'
import { answered, Body, Id, ListQuery, Name, Note, Nullable, PatchBody, Time } from '../common.ts'

const SELLER_IDS_MAX = 1_000
const SELLER_ID_CHARS_MAX = 100

const AccountKind = Type.Enum(['PUBLISHER', 'ADVERTISER', 'OPERATOR'], {
  description: 'Decides what users and tokens of the account may do',
})

const profile = {
  name: Name('Name in the panel and in emission info (advertiserName)'),
  companyName: Note('Registered name, shown in emission info'),
  taxNumber: Note('Tax number, shown in emission info'),
}
/** Fields that the operator sets, because they decide what the account may promote. */
const granted = {
  sellerIds: Type.Array(Type.String({ minLength: 1, maxLength: SELLER_ID_CHARS_MAX, pattern: TEXT_PATTERN }), {
    maxItems: SELLER_IDS_MAX,
    uniqueItems: true,
    description: 'Sellers whose products the account may promote: values of externalSellerId in the feeds',
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
    'What the token may do. slots: manage technical ad units. feed: send product updates. panel: use this API. import: ' +
    'import past transactions and returns. events: send events as a server of the shop',
})

export const TokenCreate = Body({
  accountId: Type.Optional(Id("Account that the token acts for. Default: the caller's account")),
  name: Name('What the token is for'),
  scopes: Scopes,
  expiresAt: Type.Optional(Nullable(Time('When the token expires; null for never'))),
})
export const TokenPatch = Body({ name: Type.Optional(Name('What the token is for')) })
export const TokenView = Type.Object({
  ...answered,
  accountId: Id('Account that the token acts for'),
  name: Name('What the token is for'),
  scopes: Scopes,
  expiresAt: Nullable(Time('When the token expires; null for never')),
  createdBy: Type.Union([Type.Object({ id: Id('Id of the user'), name: Name('Name of the user') }), Type.Null()], {
    description:
      'User who created the token. It stops working when that user is deleted or disabled. null: it was created with the ' +
      'bootstrap token, or its creator is unknown',
  }),
  createdAt: Nullable(Time('When the token was created; null if unknown')),
  lastUsedAt: Nullable(Time('When the token was last used, to within an hour; null if it has not been used')),
  token: Type.Optional(Type.String({ description: 'The token itself. It is only in the answer to its creation' })),
})
export const TokenQuery = ListQuery({ accountId: Type.Optional(Id('Only tokens of this account')) })
