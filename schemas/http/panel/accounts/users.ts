import { Type } from 'typebox'
import { answered, Body, Id, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'

/** RFC 5321 allows no longer address. */
const EMAIL_CHARS_MAX = 254
export const PASSWORD_CHARS_MIN = 10
/** Far beyond any password. It is limited because a longer one takes longer to hash. */
export const PASSWORD_CHARS_MAX = 256

export const Email = Type.String({ format: 'email', maxLength: EMAIL_CHARS_MAX, description: 'In any case' })
export const UserRole = Type.Enum(['OPERATOR', 'PUBLISHER', 'ADVERTISER'], { description: 'That of the account' })

/** Limit of the text behind the # of a link: an id and a secret. */
export const PASSWORD_LINK_CHARS_MAX = 200

export const NewPassword = Type.String({
  minLength: PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_CHARS_MAX,
  description: 'Never answered. One that is easy to guess is refused. To set it ends all sessions of the user',
})

export const UserCreate = Body({
  email: Email,
  name: Name('Shown in the panel'),
  password: Type.Optional(NewPassword),
  role: UserRole,
  accountId: Type.Optional(
    Nullable(Id("The account that the user acts for; without it, the caller's. Operators need none")),
  ),
})
export const UserPatch = PatchBody({
  name: Name('Shown in the panel'),
  password: NewPassword,
  disabled: Type.Boolean({ description: 'true ends all sessions of the user and keeps the user from signing in' }),
})
export const UserView = Type.Object({
  ...answered,
  email: Type.String({ description: 'Signs in with it; in lower case' }),
  name: Name('Shown in the panel'),
  role: UserRole,
  accountId: Nullable(Id('The account that the user acts for; null: an operator without one')),
  hasPassword: Type.Boolean({ description: 'false: invited, and has not chosen a password yet' }),
  hasSecondFactor: Type.Boolean({ description: 'Whether signing in asks for a code of an authenticator app' }),
  disabledAt: Nullable(Time('Since when the user cannot sign in; null: can')),
})
export const UserQuery = ListQuery({
  accountId: Type.Optional(Id('Of this account')),
  role: Type.Optional(UserRole),
})
