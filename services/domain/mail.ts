/** A message to one person. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** Hands a message to the mail server. Rejects when the server does not accept it. */
export type SendMail = (mail: Mail) => Promise<void>
