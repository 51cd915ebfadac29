import { createTransport } from 'nodemailer'
import type { SendMail } from '../services/domain/mail.ts'

export interface MailConfig {
  /** smtp:// or smtps://, with user and password. */
  url: string
  /** The sender: an address, or a name with one in angle brackets. */
  from: string
}

/** Long, because no request waits for the message to be sent. */
const TIMEOUT_MS = 20_000

/** Sends by SMTP, with TLS where the server offers it. */
export function smtpMailer({ url, from }: MailConfig): SendMail {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  return async (mail) => {
    const to = { name: '', address: mail.to }
    await transport.sendMail({ ...mail, to, from, disableFileAccess: true, disableUrlAccess: true })
  }
}
