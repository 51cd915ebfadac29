import { createHmac, type Hmac } from 'node:crypto'
import { equalHashes } from './tokens.ts'

/**
 * The signature of a request of events, for pages that cannot hold a token: made by the shop's server, sent by the page.
 * Header: `key=<id of the signing key>,t=<unix seconds>,v1=<hex>`. Signed are the lines `t`, `cid` and `uid` (the headers as
 * sent, empty when missing), each ended by a line feed, and then the bytes of the body: HMAC-SHA-256. A header cannot hold a
 * line feed, so nothing can be moved from one line to the next.
 */
export const SIGNATURE_HEADER = 'endcap-signature'
/** A page may be kept open or restored; what is sent twice counts once by its event id. */
export const SIGNATURE_AGE_MAX_SECONDS = 86_400
/** The clock of the shop's server may be ahead of ours by this much. */
export const SIGNATURE_AHEAD_MAX_SECONDS = 300

const PREFIX = 'endcap_sign_'
const SECRET_BYTES = 32
const HEADER_PATTERN = /^key=([\w-]{1,64}),t=(\d{1,12}),v1=([\da-f]{64})$/

export interface EventSignature {
  keyId: string
  /** Unix seconds, as sent. */
  time: string
  /** Lower-case hex. */
  digest: string
}

/** What a request's headers say of the person. */
export interface SignedPerson {
  cid: string
  uid: string
}

/** A new key: 256 random bits. Its text is the HMAC key. */
export function newSigningSecret(randomBytes: (size: number) => Buffer): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Null: it is not a signature. */
export function readSignature(header: string): EventSignature | null {
  const [, keyId, time, digest] = HEADER_PATTERN.exec(header) ?? []
  return keyId === undefined ? null : { keyId, time: time!, digest: digest! }
}

/** Whether a signature may still, and already, be used at a moment (UTC epoch ms). */
export function isTimely({ time }: EventSignature, now: number): boolean {
  const ageSeconds = now / 1_000 - Number(time)
  return ageSeconds <= SIGNATURE_AGE_MAX_SECONDS && ageSeconds >= -SIGNATURE_AHEAD_MAX_SECONDS
}

/** Takes the body in parts; what a signature must then be is `digest('hex')`. */
export function startDigest(secret: string, time: string, { cid, uid }: SignedPerson): Hmac {
  // Node.js reads a header's bytes as Latin-1: so they are written back as they came.
  return createHmac('sha256', secret).update(`${time}\n${cid}\n${uid}\n`, 'latin1')
}

/** Compares in a time that tells nothing of where they differ. */
export function fits({ digest }: EventSignature, computed: Hmac): boolean {
  return equalHashes(digest, computed.digest('hex'))
}
