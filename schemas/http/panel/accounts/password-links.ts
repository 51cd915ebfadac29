import { Type } from 'typebox'
import { Body, Nullable, Time } from '../common.ts'
import { Email, NewPassword, PASSWORD_LINK_CHARS_MAX, UserView } from './users.ts'

const Token = Type.String({
  minLength: 1,
  maxLength: PASSWORD_LINK_CHARS_MAX,
  description: 'The part of the link after the #',
})

const LinkPurpose = Type.Enum(['INVITATION', 'RESET'], {
  description: 'INVITATION: the user has not accepted yet. RESET: the user sets a new password',
})

export const PasswordLinkToken = Body({ token: Token })

export const PasswordLinkUser = Type.Object({
  email: Type.String({ description: 'E-mail with which the user signs in' }),
  purpose: LinkPurpose,
  accountName: Nullable(
    Type.String({ description: 'Account that the user is invited to; null for operators without one' }),
  ),
})

/** The account in which an accepted invitation lets act. */
export const AcceptedInvitation = Type.Object({
  accountId: Type.String({
    description: 'The value of the header endcap-account of requests that act for the account',
  }),
})

export const PasswordByLink = Body({ token: Token, password: NewPassword })

export const ForgottenPassword = Body({ email: Email })

export const SignInOptions = Type.Object({
  forgottenPassword: Type.Boolean({
    description: 'Whether a user who has forgotten the password can request a link by e-mail',
  }),
})

export const PasswordLinkView = Type.Object({
  purpose: LinkPurpose,
  url: Nullable(
    Type.String({
      description:
        'Page on which the user sets a password, or accepts the invitation. It works once, and is only in this answer. Null for ' +
        'callers other than operators when it is sent by e-mail',
    }),
  ),
  expiresAt: Time('When the link expires'),
  isMailed: Type.Boolean({ description: 'Whether the link is also sent to the user by e-mail' }),
})

/** The answer to creating a user. It contains the invitation when no password was given. */
export const UserCreated = Type.Object({ ...UserView.properties, passwordLink: Type.Optional(PasswordLinkView) })
