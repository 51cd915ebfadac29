import { Type } from 'typebox'
import { Body, Time } from '../common.ts'
import { AccountView } from './accounts.ts'
import { Code } from './second-factor.ts'
import { Email, PASSWORD_CHARS_MAX, UserView } from './users.ts'

export const SignIn = Body({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX, description: 'As it was set' }),
  code: Type.Optional(Code),
})

/** Who is signed in. */
export const SessionView = Type.Object({
  user: UserView,
  account: Type.Union([AccountView, Type.Null()], { description: 'Null: an operator without an account' }),
  mustSetUpSecondFactor: Type.Boolean({
    description:
      'true: this installation wants a second factor of the role, and all else answers SECOND_FACTOR_MISSING',
  }),
  mayTurnOffSecondFactor: Type.Boolean({ description: 'false: this installation wants one of the role' }),
  expiresAt: Time('When the session ends, unless it is used before'),
})

/** The proof that a signed-in user gives again of being that user. */
export const Reauthentication = Body({
  password: Type.Optional(
    Type.String({ minLength: 1, maxLength: PASSWORD_CHARS_MAX, description: 'Of a user without a second factor' }),
  ),
  code: Type.Optional(Code),
})

export const SignOutQuery = Type.Object(
  {
    everywhere: Type.Optional(Type.Boolean({ description: "true ends all of the user's sessions, on every device" })),
    tokens: Type.Optional(Type.Boolean({ description: 'true revokes the tokens that the user has made, too' })),
  },
  { additionalProperties: false },
)
