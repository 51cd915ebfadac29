import { setImmediate } from 'node:timers/promises'
import sodium from 'sodium-native'
import { describe, expect, it } from 'vitest'
import { createPasswords } from '../../../../../services/registry/access/users/passwords.ts'

const PASSWORD = 'größer als 10 Zeichen'

type Verify = (hash: Buffer, password: Buffer) => Promise<boolean>

/** Puts a verification in the place of libsodium's while something is done. */
async function verifiedBy<T>(replace: (verify: Verify) => Verify, work: () => Promise<T>): Promise<T> {
  const { crypto_pwhash_str_verify_async: verify } = sodium
  sodium.crypto_pwhash_str_verify_async = replace(verify)
  try {
    return await work()
  } finally {
    sodium.crypto_pwhash_str_verify_async = verify
  }
}

describe('passwords', () => {
  const passwords = createPasswords()

  it('are kept as Argon2id with the limits for interactive use, salted', async () => {
    const [one, other] = await Promise.all([passwords.hash(PASSWORD), passwords.hash(PASSWORD)])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=2,p=1\$[\w+/]+\$[\w+/]+$/)
    expect(other).not.toBe(one)
    expect(await passwords.matches(PASSWORD, one)).toBe(true)
    expect(await passwords.matches(`${PASSWORD} `, one)).toBe(false)
  })

  it('are the same however the keyboard composes their letters', async () => {
    const hash = await passwords.hash(PASSWORD.normalize('NFD'))
    expect(await passwords.matches(PASSWORD.normalize('NFC'), hash)).toBe(true)
  })

  it('of nobody are checked with as much work as any', async () => {
    const checked: string[] = []
    const noting = (verify: Verify) => (hash: Buffer, password: Buffer) => {
      checked.push(Buffer.from(hash).toString('latin1').split('$').slice(0, 4).join('$'))
      return verify(hash, password)
    }
    expect(await verifiedBy(noting, () => passwords.matches(PASSWORD, null))).toBe(false)
    expect(checked).toEqual(['$argon2id$v=19$m=65536,t=2,p=1'])
  })

  it('are refused, to be tried later, when too many wait', async () => {
    const results = await Promise.allSettled(Array.from({ length: 33 }, () => passwords.matches('x', 'no hash')))
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(refused.map(({ reason }) => [reason.code, reason.retryAfterSeconds])).toEqual([['UNAVAILABLE', 2]])
  })

  it('are checked for people who are known before those of strangers, however many wait', async () => {
    let checked = 0
    const quickly = () => () => setImmediate(false)
    await verifiedBy(quickly, async () => {
      const strangers = Array.from({ length: 33 }, async () => {
        await passwords.matches('x', null)
        checked += 1
      })
      const settled = Promise.allSettled(strangers)
      expect(await passwords.matches(PASSWORD, null, { isKnown: true })).toBe(false)
      expect(checked).toBeLessThan(10)
      await settled
      expect(checked).toBe(32)
    })
  })

  it('are checked while too many others are set', async () => {
    const set = Array.from({ length: 10 }, () => passwords.hash(PASSWORD))
    const settled = Promise.allSettled(set)
    expect(await passwords.matches('x', null)).toBe(false)
    const refused = (await settled).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(refused.map(({ reason }) => reason.code)).toEqual(['UNAVAILABLE'])
  })
})
