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
 * a key, where a cryptographic hash takes microseconds. Whoever chooses an id can make two of them meet, and gains nothing by it.
 * @param begun what `hashBegin` has made of the text before it.
 */
export function fingerprintOf(text: string, begun?: IdFingerprint): IdFingerprint {
  let { low, high } = hashBegin(text, begun)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b)
  low ^= Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b)
  high ^= Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return { low, high }
}

/** Hashes what many ids begin with, once, or what comes next in a text that is not put together. */
export function hashBegin(text: string, begun = NOTHING_HASHED): IdFingerprint {
  let { low, high } = begun
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  return { low, high }
}

/** That of the parts with slashes between them. */
export function pathFingerprint(parts: readonly string[]): IdFingerprint {
  let begun = NOTHING_HASHED
  for (let i = 0; i < parts.length - 1; i++) begun = hashBegin('/', hashBegin(parts[i]!, begun))
  return fingerprintOf(parts.at(-1)!, begun)
}

/** That of a key, which keeps it: a key is asked for it several times. */
export function fingerprintIn(key: { id: string; fingerprint?: IdFingerprint }): IdFingerprint {
  key.fingerprint ??= fingerprintOf(key.id)
  return key.fingerprint
}

/** The 53 bits of a fingerprint that a number holds exactly. */
export function numberOf({ low, high }: IdFingerprint): number {
  return TWO_TO_32 * (high & HIGH_BITS) + (low >>> 0)
}
