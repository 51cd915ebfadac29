import { Type } from 'typebox'
import { Body, Name } from '../common.ts'

/** A recovery code with its dashes, and some spaces. */
const CODE_CHARS_MAX = 40
/** Sealed secret of an app. */
const ENROLMENT_CHARS_MAX = 200

export const Code = Type.String({
  minLength: 6,
  maxLength: CODE_CHARS_MAX,
  description: 'Six digits of the authenticator app, or a recovery code. Each code works once',
})

export const Enrolment = Type.Object({
  secret: Type.String({ description: 'Secret to type into the app if it cannot read the QR code. Base32' }),
  uri: Type.String({ description: 'otpauth:// address to show as a QR code' }),
  enrolment: Type.String({ description: 'Send it back unchanged, with a code of the app' }),
})

export const EnrolmentProof = Body({
  enrolment: Type.String({
    minLength: 1,
    maxLength: ENROLMENT_CHARS_MAX,
    description: '`enrolment` of the answer, unchanged',
  }),
  code: Type.String({ pattern: '^[0-9]{6}$', description: 'The code that the app shows now' }),
})

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Name('Works once in place of a code of the app'), {
    description: 'The codes. They are only in this answer',
  }),
})
