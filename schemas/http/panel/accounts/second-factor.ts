import { Type } from 'typebox'
import { Body, Name } from '../common.ts'

/** A recovery code with its dashes, and some spaces. */
const CODE_CHARS_MAX = 40
/** Sealed secret of an app. */
const ENROLMENT_CHARS_MAX = 200

export const Code = Type.String({
  minLength: 6,
  maxLength: CODE_CHARS_MAX,
  description: 'Six digits of the authenticator app, or a recovery code. Each counts once',
})

export const Enrolment = Type.Object({
  secret: Type.String({ description: 'For the app, where it cannot read the QR code. Base32' }),
  uri: Type.String({ description: 'otpauth://… for a QR code' }),
  enrolment: Type.String({ description: 'To be sent back with a code of the app' }),
})

export const EnrolmentProof = Body({
  enrolment: Type.String({ minLength: 1, maxLength: ENROLMENT_CHARS_MAX, description: 'As it came' }),
  code: Type.String({ pattern: '^[0-9]{6}$', description: 'Of the app, now' }),
})

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Name('Takes the place of a code of the app, once'), {
    description: 'They are in this answer only',
  }),
})
