import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Principal } from '../rights/auth.ts'

/**
 * Pseudonyms under which advertisers see people and orders. They stay the same for one advertiser, so that it can count and
 * compare, and differ between advertisers, so that two cannot match what they know. They are keyed hashes. The pseudonym of an
 * order begins with the time of the order, by which the order is found again.
 */
export interface Pseudonyms {
  person(accountId: string, shopId: string, id: string): string
  order(accountId: string, order: OrderName): string
  /** Encrypts a text that callers may keep but not read. `open` returns null for a text that `seal` did not make. */
  seal(text: string): string
  open(sealed: string): string | null
}

export interface OrderName {
  shopId: string
  eventId: string
  /** UTC epoch milliseconds. */
  occurredAt: number
}

const HASH_BYTES = 16
const TIME_RADIX = 36
const ORDER_PATTERN = /^([0-9a-z]{1,11})-[\w-]{22}$/
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** @param key any secret of the installation. Another key changes all pseudonyms. */
export function createPseudonyms(key: Buffer): Pseudonyms {
  const derived = (purpose: string) => createHmac('sha256', key).update(purpose).digest()
  const names = derived('pseudonyms')
  const seals = derived('cursors')
  const hashed = (...parts: string[]) =>
    createHmac('sha256', names).update(JSON.stringify(parts)).digest().subarray(0, HASH_BYTES).toString('base64url')

  return {
    person: (accountId, shopId, id) => hashed('person', accountId, shopId, id),
    order: (accountId, { shopId, eventId, occurredAt }) =>
      `${occurredAt.toString(TIME_RADIX)}-${hashed('order', accountId, shopId, eventId)}`,
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, seals, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
      const decipher = createDecipheriv(CIPHER, seals, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString()
      } catch {
        return null
      }
    },
  }
}

/** The time of an order, from its pseudonym; null when the text is not a pseudonym of an order. */
export function timeOfOrder(pseudonym: string): number | null {
  const [, time] = ORDER_PATTERN.exec(pseudonym) ?? []
  return time === undefined ? null : Number.parseInt(time, TIME_RADIX)
}

/** The names under which a caller sees people and orders. A person whose identifiers have ended has an empty name for everybody. */
export interface DisplayNames {
  person<T extends string | null>(shopId: string, id: T): T
  order(order: OrderName): string
}

export function namesFor({ role, accountId }: Principal, pseudonyms: Pseudonyms): DisplayNames {
  if (role !== 'ADVERTISER') return { person: (_shopId, id) => id, order: ({ eventId }) => eventId }
  return {
    person: <T extends string | null>(shopId: string, id: T) =>
      (id ? pseudonyms.person(accountId, shopId, id) : id) as T,
    order: (order) => pseudonyms.order(accountId, order),
  }
}
