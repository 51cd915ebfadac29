import { Type } from 'typebox'
import { Body, Time } from '../common.ts'
import { Email, NewPassword, PASSWORD_LINK_CHARS_MAX, UserView } from './users.ts'

const Token = Type.String({
  minLength: 1,
  maxLength: PASSWORD_LINK_CHARS_MAX,
  description: 'The part of the link after the #',
})

export const PasswordLinkToken = Body({ token: Token })

export const PasswordLinkUser = Type.Object({
  email: Type.String({ description: 'E-mail with which the user signs in' }),
})

export const PasswordByLink = Body({ token: Token, password: NewPassword })

export const ForgottenPassword = Body({ email: Email })

export const SignInOptions = Type.Object({
  forgottenPassword: Type.Boolean({
    description: 'Whether a user who has forgotten the password can request a link by e-mail',
  }),
})

export const PasswordLinkView = Type.Object({
  purpose: Type.Enum(['INVITATION', 'RESET'], {
    description: 'INVITATION: the user has no password yet. RESET: the user sets a new password',
  }),
  url: Type.String({
    description: 'Page on which the user sets a password. It works once, and is only in this answer',
  }),
  expiresAt: Time('When the link expires'),
  isMailed: Type.Boolean({ description: 'Whether the link is also sent to the user by e-mail' }),
})

/** The answer to creating a user. It contains the invitation when no password was given. */
export const UserCreated = Type.Object({ ...UserView.properties, passwordLink: Type.Optional(PasswordLinkView) })
