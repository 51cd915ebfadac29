/** 64 bits of hash, as two signed 32-bit integers. */
export interface IdFingerprint {
  low: number
  high: number
}

const TWO_TO_32 = 2 ** 32
const HIGH_BITS = 0x1fffff
const NOTHING_HASHED: IdFingerprint = { low: 0xdeadbeef, high: 0x41c6ce57 }

/**
 * Hashes a string by cyrb53 of github.com/bryc (public domain), which is two lanes of 32 bits: some hundred nanoseconds for
 * a key, where a cryptographic hash takes microseconds. Somebody who chooses ids can make two collide, but gains nothing by it.
 * @param begun what `hashBegin` has returned for the text before this one.
 */
export function fingerprintOf(text: string, begun?: IdFingerprint): IdFingerprint {
  let { low, high } = hashBegin(text, begun)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b)
  low ^= Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b)
  high ^= Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return { low, high }
}

/** Hashes a beginning that many ids share only once, or hashes a text piece by piece, without concatenating it. */
export function hashBegin(text: string, begun = NOTHING_HASHED): IdFingerprint {
  let { low, high } = begun
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  return { low, high }
}

/** The fingerprint of the parts joined by slashes. */
export function pathFingerprint(parts: readonly string[]): IdFingerprint {
  let begun = NOTHING_HASHED
  for (let i = 0; i < parts.length - 1; i++) begun = hashBegin('/', hashBegin(parts[i]!, begun))
  return fingerprintOf(parts.at(-1)!, begun)
}

/** The fingerprint of a key, which keeps it, because it is needed several times. */
export function fingerprintIn(key: { id: string; fingerprint?: IdFingerprint }): IdFingerprint {
  key.fingerprint ??= fingerprintOf(key.id)
  return key.fingerprint
}

/** The 53 bits of a fingerprint that a number holds exactly. */
export function numberOf({ low, high }: IdFingerprint): number {
  return TWO_TO_32 * (high & HIGH_BITS) + (low >>> 0)
}
