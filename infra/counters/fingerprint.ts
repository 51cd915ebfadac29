import { randomInt } from 'node:crypto'

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
export function fingerprintOf(text: string, begun = NOTHING_HASHED): IdFingerprint {
  let { low, high } = begun
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  return finished(low, high)
}

function finished(begunLow: number, begunHigh: number): IdFingerprint {
  let low = Math.imul(begunLow ^ (begunLow >>> 16), 0x85ebca6b)
  low ^= Math.imul(begunHigh ^ (begunHigh >>> 13), 0xc2b2ae35)
  let high = Math.imul(begunHigh ^ (begunHigh >>> 16), 0x85ebca6b)
  high ^= Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return { low, high }
}

/** That of a key, which keeps it: a key is asked for it several times. */
export function fingerprintIn(key: { id: string; fingerprint?: IdFingerprint }): IdFingerprint {
  key.fingerprint ??= fingerprintOf(key.id)
  return key.fingerprint
}

/** Hashes what many ids begin with, once. */
export function hashBegin(text: string): IdFingerprint {
  let { low, high } = NOTHING_HASHED
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  return { low, high }
}

const SLASH = '/'.charCodeAt(0)

/** That of the parts with slashes between them, without a text that is put together. */
export function pathFingerprint(parts: readonly string[]): IdFingerprint {
  let { low, high } = NOTHING_HASHED
  for (let p = 0; p < parts.length; p++) {
    const part = parts[p]!
    const units = p < parts.length - 1 ? part.length + 1 : part.length
    for (let i = 0; i < units; i++) {
      const unit = i < part.length ? part.charCodeAt(i) : SLASH
      low = Math.imul(low ^ unit, 0x9e3779b1)
      high = Math.imul(high ^ unit, 0x5f356495)
    }
  }
  return finished(low, high)
}

const SALT_OF_LOW = randomInt(TWO_TO_32)
const SALT_OF_HIGH = randomInt(TWO_TO_32)

/**
 * Where tables in memory look for a fingerprint first, 32 bits of which the highest are best. Shoppers choose their ids, and with
 * enough patience find many whose fingerprints share some bits; they do not know the salt of this process.
 */
export function slotHash(low: number, high: number): number {
  return Math.imul(low ^ SALT_OF_LOW, 0x9e3779b1) ^ Math.imul(high ^ SALT_OF_HIGH, 0x85ebca6b)
}

/** The 53 bits of a fingerprint that a number holds exactly. */
export function numberOf({ low, high }: IdFingerprint): number {
  return TWO_TO_32 * (high & HIGH_BITS) + (low >>> 0)
}
