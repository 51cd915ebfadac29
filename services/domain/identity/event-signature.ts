import { createHmac, type Hmac } from 'node:crypto'
import { equalHashes } from './tokens.ts'

/**
 * The signature of a request with events, for pages that cannot hold a token: the shop's server makes it, the page sends it.
 * Header: `key=<id of the signing key>,t=<unix seconds>,v1=<hex>`. `v1` is the HMAC-SHA-256 of three lines, each ended by a
 * line feed, and then the bytes of the body. The lines are `t` and the headers `cid` and `uid` as sent, empty when missing.
 * A header cannot contain a line feed, so nothing can be moved from one line to the next.
 */
export const SIGNATURE_HEADER = 'endcap-signature'
/** Long, because a page may be kept open or restored. An event that is sent twice counts once, by its event id. */
const SIGNATURE_AGE_MAX_SECONDS = 86_400
/** The clock of the shop's server may be ahead of ours by this much. */
const SIGNATURE_AHEAD_MAX_SECONDS = 300

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

/** The person that the headers of a request name. */
export interface SignedPerson {
  cid: string
  uid: string
}

/** A new key: 256 random bits. Its text is the HMAC key. */
export function newSigningSecret(randomBytes: (size: number) => Buffer): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** The parts of the header; null when it is not a signature. */
export function readSignature(header: string): EventSignature | null {
  const [, keyId, time, digest] = HEADER_PATTERN.exec(header) ?? []
  return keyId === undefined ? null : { keyId, time: time!, digest: digest! }
}

/** Why the time of a signature does not hold at a moment (UTC epoch ms), for the developer of the shop; null when it holds. */
export function timeFault({ time }: EventSignature, now: number): string | null {
  const ageSeconds = now / 1_000 - Number(time)
  if (ageSeconds > SIGNATURE_AGE_MAX_SECONDS) return 'is more than 24 hours old: sign the request anew'
  if (ageSeconds < -SIGNATURE_AHEAD_MAX_SECONDS) {
    return 'has a time more than 5 minutes ahead: set the clock of the server that signs'
  }
  return null
}

/** Starts an HMAC, to which the caller adds the body in parts. Its `digest('hex')` is then what the signature must be. */
export function startDigest(secret: string, time: string, { cid, uid }: SignedPerson): Hmac {
  // Node.js reads the bytes of a header as Latin-1. Writing them as Latin-1 gives back the bytes that were sent.
  return createHmac('sha256', secret).update(`${time}\n${cid}\n${uid}\n`, 'latin1')
}

/** Compares in constant time, so that the time does not reveal where the two differ. */
export function fits({ digest }: EventSignature, computed: Hmac): boolean {
  return equalHashes(digest, computed.digest('hex'))
}
