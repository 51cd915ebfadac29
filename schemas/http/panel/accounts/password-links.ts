import { Type } from 'typebox'
import { Body, Time } from '../common.ts'
import { Email, NewPassword, PASSWORD_LINK_CHARS_MAX, UserView } from './users.ts'

export const PasswordByLink = Body({
  token: Type.String({
    minLength: 1,
    maxLength: PASSWORD_LINK_CHARS_MAX,
    description: 'What stands behind the # of the link',
  }),
  password: NewPassword,
})

export const ForgottenPassword = Body({ email: Email })

export const SignInOptions = Type.Object({
  forgottenPassword: Type.Boolean({
    description: 'Whether a link for a forgotten password can be asked for by e-mail',
  }),
})

export const PasswordLinkView = Type.Object({
  purpose: Type.Enum(['INVITATION', 'RESET'], { description: 'INVITATION: there is no password yet' }),
  url: Type.String({ description: 'Sets a password, once. It is in this answer only' }),
  expiresAt: Time('From then on it does nothing'),
  isMailed: Type.Boolean({ description: 'Whether it is sent to the user by e-mail, too' }),
})

/** The answer to creating a user. It contains the invitation when no password was given. */
export const UserCreated = Type.Object({ ...UserView.properties, passwordLink: Type.Optional(PasswordLinkView) })
