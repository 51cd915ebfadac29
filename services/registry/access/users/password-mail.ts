import type { Mail, SendMail } from '../../../domain/mail.ts'
import type { Entity } from '../../../domain/snapshot.ts'
import { createLimiter } from '../../resources/limiter.ts'
import type { NewLink } from './links.ts'

const SENDING = { running: 2, waiting: 100 }

/** Mails password links to the users that they are for. */
export interface PasswordMail {
  /** Whether there is a mail server. */
  readonly isSet: boolean
  /** Sends a link without making the caller wait. @returns whether there is a mail server to try. */
  send(user: Entity<'User'>, link: NewLink): boolean
}

/** @param deps.sendMail null when there is no mail server. Whoever makes a link then hands it over. */
export function createPasswordMail(deps: {
  sendMail: SendMail | null
  publicUrl: string
  logger: { warn(details: object, message: string): void }
}): PasswordMail {
  const { sendMail, publicUrl, logger } = deps
  const limited = createLimiter(SENDING)
  return {
    isSet: sendMail !== null,
    send(user, link) {
      if (!sendMail) return false
      void limited(() => sendMail(mailOf(user, link, publicUrl))).catch((error) => {
        // The error's message may contain the address.
        logger.warn({ code: error.code, responseCode: error.responseCode }, 'a mail was not sent')
      })
      return true
    },
  }
}

function mailOf({ body }: Entity<'User'>, { link, url }: NewLink, publicUrl: string): Mail {
  const until = new Date(link.expiresAt).toUTCString()
  const isInvitation = link.purpose === 'INVITATION'
  const why = isInvitation
    ? `You have been invited to Endcap at ${publicUrl}/panel/. Accept the invitation here:`
    : `A password reset was requested for you in Endcap at ${publicUrl}/panel/. Choose a new password here:`
  const otherwise = isInvitation
    ? 'If you were not expecting this, you can ignore this e-mail.'
    : 'If you did not expect this, ignore this e-mail: your password stays the same.'
  return {
    to: body.email,
    subject: isInvitation ? 'Your invitation to Endcap' : 'Reset your Endcap password',
    text: `Hello ${body.name},\n\n${why}\n\n${url}\n\nThe link works once and expires on ${until}.\n\n${otherwise}\n`,
  }
}
