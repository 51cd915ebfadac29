import { Secret, TOTP } from 'otpauth'
import { hashToken } from '../../../domain/identity/tokens.ts'

/** RFC 6238 with the parameters that every authenticator app supports. */
const PERIOD_SECONDS = 30
const DIGITS = 6
/** Codes of the steps before and after are accepted too, because clocks differ. */
const WINDOW_STEPS = 1
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
/** 80 bits each, so that a stolen hash cannot be reversed by trying codes. */
const RECOVERY_BYTES = 10

export function newSecret(randomBytes: (size: number) => Buffer): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32
}

/** The URI in the QR code that an app scans. */
export function enrolmentUri(secret: string, email: string): string {
  return totp(secret, email).toString()
}

/** The time step that the code belongs to; null when it belongs to none within the window. */
export function stepOf(code: string, secret: string, now: number): number | null {
  const delta = totp(secret).validate({ token: code, timestamp: now, window: WINDOW_STEPS })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}

function totp(secret: string, label = ''): TOTP {
  const given = { algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) }
  return new TOTP({ issuer: 'Endcap', label, ...given })
}

/** One-time codes for when the app is lost: abcd-efgh-ijkl-mnop. */
export function newRecoveryCodes(randomBytes: (size: number) => Buffer): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32.toLowerCase()
    return text.match(/.{4}/g)!.join('-')
  })
}

/** Hashes a recovery code. Spaces, dashes and case do not matter. */
export function recoveryHash(code: string): string {
  return hashToken(code.toLowerCase().replaceAll(/[\s-]/g, ''))
}
