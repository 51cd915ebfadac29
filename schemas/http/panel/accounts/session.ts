import { Type } from 'typebox'
import { Body, Nullable, Time } from '../common.ts'
import { AccountView } from './accounts.ts'
import { Code } from './second-factor.ts'
import { Email, PASSWORD_CHARS_MAX, UserRole, UserView } from './users.ts'

export const SignIn = Body({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX, description: 'Password of the user' }),
  code: Type.Optional(Code),
})

/** Who is signed in. */
export const SessionView = Type.Object({
  user: UserView,
  account: Type.Union([AccountView, Type.Null()], {
    description: 'Account of the user; null for an operator without an account',
  }),
  accounts: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The value of the header endcap-account of requests that act for the account' }),
      name: Nullable(Type.String({ description: 'Name of the account; null for operators without an account' })),
      kind: UserRole,
    }),
    {
      description:
        'The accounts that the login lets into. With more than one, each request must name its account in the header ' +
        'endcap-account (ACCOUNT_REQUIRED)',
    },
  ),
  mustSetUpSecondFactor: Type.Boolean({
    description:
      'If true, this installation requires a second factor for the role of the user. Until it is set up, all other requests ' +
      'are answered with SECOND_FACTOR_MISSING',
  }),
  mayTurnOffSecondFactor: Type.Boolean({
    description: 'If false, this installation requires a second factor for the role of the user',
  }),
  expiresAt: Time('When the session ends if it is not used until then'),
})

/** The proof that a signed-in user gives again of being that user. */
export const Reauthentication = Body({
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_CHARS_MAX,
      description: 'Required for a user without a second factor',
    }),
  ),
  code: Type.Optional(Code),
})

export const SignOutQuery = Type.Object(
  {
    everywhere: Type.Optional(
      Type.Boolean({ description: "If true, all of the user's sessions end, on every device" }),
    ),
    tokens: Type.Optional(
      Type.Boolean({ description: 'If true, the tokens that the user has created are revoked as well' }),
    ),
  },
  { additionalProperties: false },
)
