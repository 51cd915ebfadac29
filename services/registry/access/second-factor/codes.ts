import { Secret, TOTP } from 'otpauth'
import { hashToken } from '../../../domain/identity/tokens.ts'

/** RFC 6238 as every authenticator app has it. */
const PERIOD_SECONDS = 30
const DIGITS = 6
/** Codes of the step before and after are taken as well: clocks differ. */
const WINDOW_STEPS = 1
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
/** 80 bits each: a stolen hash of one cannot be tried out. */
const RECOVERY_BYTES = 10

export function newSecret(randomBytes: (size: number) => Buffer): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32
}

/** What a QR code shows to an app. */
export function enrolmentUri(secret: string, email: string): string {
  return totp(secret, email).toString()
}

/** The time step whose code it is; null: of none that is near. */
export function stepOf(code: string, secret: string, now: number): number | null {
  const delta = totp(secret).validate({ token: code, timestamp: now, window: WINDOW_STEPS })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}

function totp(secret: string, label = ''): TOTP {
  const given = { algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) }
  return new TOTP({ issuer: 'Endcap', label, ...given })
}

/** Codes for when the app is lost, each for once: abcd-efgh-ijkl-mnop. */
export function newRecoveryCodes(randomBytes: (size: number) => Buffer): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32.toLowerCase()
    return text.match(/.{4}/g)!.join('-')
  })
}

/** Spaces, dashes and capitals do not count. */
export function recoveryHash(code: string): string {
  return hashToken(code.toLowerCase().replaceAll(/[\s-]/g, ''))
}
