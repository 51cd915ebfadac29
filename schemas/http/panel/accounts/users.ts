import { Type } from 'typebox'
import { answered, Body, Id, ListQuery, Name, Nullable, PatchBody, Time } from '../common.ts'
import { PASSWORD_CHARS_MIN } from '../limits.ts'

/** RFC 5321 allows no longer address. */
const EMAIL_CHARS_MAX = 254
/** Far beyond any password. It is limited because a longer one takes longer to hash. */
export const PASSWORD_CHARS_MAX = 256

export const Email = Type.String({
  format: 'email',
  maxLength: EMAIL_CHARS_MAX,
  description: 'E-mail address. Case does not matter',
})
export const UserRole = Type.Enum(['OPERATOR', 'PUBLISHER', 'ADVERTISER'], {
  description: 'Role of the user. It is the kind of the account',
})

/** Limit of the text behind the # of a link: an id and a secret. */
export const PASSWORD_LINK_CHARS_MAX = 200

export const NewPassword = Type.String({
  minLength: PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_CHARS_MAX,
  description:
    'Never part of an answer. A password that is easy to guess is refused. Setting it ends all sessions of the user. Only operators ' +
    'and the user set it',
})

export const UserCreate = Body({
  email: Email,
  name: Name('Name in the panel'),
  password: Type.Optional(NewPassword),
  role: UserRole,
  accountId: Type.Optional(
    Nullable(Id("Account that the user acts for. Default: the caller's account. Operators need none")),
  ),
})
export const UserPatch = PatchBody({
  name: Name('Name in the panel'),
  password: NewPassword,
  disabled: Type.Boolean({
    description: 'If true, the user loses the account at once, and cannot sign in without another one',
  }),
})
export const UserView = Type.Object({
  ...answered,
  email: Type.String({ description: 'E-mail address that the user signs in with, in lower case' }),
  name: Name('Name in the panel'),
  role: UserRole,
  accountId: Nullable(Id('Account that the user acts for; null for an operator without an account')),
  hasPassword: Type.Boolean({ description: 'false if the user was invited and has not chosen a password yet' }),
  hasSecondFactor: Type.Boolean({ description: 'Whether signing in asks for a code of an authenticator app' }),
  disabledAt: Nullable(Time('When the user was disabled; null if the user can sign in for the account')),
})
export const UserQuery = ListQuery({
  accountId: Type.Optional(Id('Only users of this account')),
  role: Type.Optional(UserRole),
})
