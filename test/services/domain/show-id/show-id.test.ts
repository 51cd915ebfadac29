import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OFFER_LIMITS } from '../../../../services/domain/catalogue/offer.ts'
import { createShowIds, PERSON_ID_MAX_BYTES, SHOW_ID_MAX_CHARS } from '../../../../services/domain/show-id/show-id.ts'
import { tries } from '../../../effort.ts'
import { claims } from '../../../schemas/wire/show-id-claims.arbitrary.ts'

const key = (id: number) => ({ id, secret: Buffer.alloc(32, id + 1) })
const showIds = createShowIds({ keys: [key(7)] })

const example = fc.sample(claims, { numRuns: 1, seed: 1 })[0]!

describe('showId', () => {
  it('opens to the claims that were sealed', () => {
    fc.assert(
      fc.property(claims, (claims) => {
        const showId = showIds.seal(claims)
        expect(showId).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(showIds.open(showId)).toEqual(claims)
      }),
    )
  })

  it('never seals the same claims to the same string', () => {
    const sealed = Array.from({ length: 2000 }, () => showIds.seal(example))
    expect(new Set(sealed).size).toBe(sealed.length)
  })

  it('hides the claims', () => {
    const bytes = Buffer.from(showIds.seal({ ...example, cid: 'a-person', currency: 'PLN' }), 'base64url')
    expect(bytes.includes('a-person')).toBe(false)
    expect(bytes.includes('PLN')).toBe(false)
  })

  it('refuses every single flipped bit', () => {
    const bytes = Buffer.from(showIds.seal(example), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(showIds.open(flipped.toString('base64url'))).toBeNull()
    }
  })

  it('refuses every single changed character, also one that carries spare bits', () => {
    const showId = showIds.seal(example)
    for (let at = 0; at < showId.length; at++) {
      for (const other of ['A', 'Q', 'g', 'w', '_', '=', ' ', '+']) {
        if (other === showId[at]) continue
        expect(showIds.open(showId.slice(0, at) + other + showId.slice(at + 1))).toBeNull()
      }
    }
  })

  it('refuses every truncation and every extension', () => {
    const showId = showIds.seal(example)
    for (let length = 0; length < showId.length; length++) expect(showIds.open(showId.slice(0, length))).toBeNull()
    for (const tail of ['A', 'AA', 'AAAA', '=', '==', '\n', '-']) expect(showIds.open(showId + tail)).toBeNull()
  })

  it('takes one writing of a showId only, though a decoder would read others as the same bytes', () => {
    const change = fc.record({
      id: fc.integer({ min: 0, max: 2 }),
      at: fc.nat(),
      // Characters that decoders skip, that are of the other alphabet, or whose lower byte of two is a letter.
      put: fc.constantFrom(' ', '\n', '=', '+', '/', '.', 'A', '-', '_', '\u0141', '\u2041'),
      replaces: fc.integer({ min: 0, max: 1 }),
    })
    const ids = ['a', 'ab', 'abc'].map((cid) => showIds.seal({ ...example, cid }))
    fc.assert(
      fc.property(change, ({ id, at, put, replaces }) => {
        const showId = ids[id]!
        const start = at % (showId.length + 1 - replaces)
        const written = showId.slice(0, start) + put + showId.slice(start + replaces)
        fc.pre(written !== showId)
        expect(showIds.open(written)).toBeNull()
      }),
      { numRuns: tries(2_000, 20_000) },
    )
  })

  it('refuses garbage of any length without throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (garbage) => showIds.open(garbage) === null))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 200 }), (bytes) => {
        const body = Buffer.concat([Buffer.from([1, 7]), bytes])
        expect(showIds.open(body.toString('base64url'))).toBeNull()
      }),
    )
    expect(showIds.open('A'.repeat(SHOW_ID_MAX_CHARS + 1))).toBeNull()
    expect(showIds.open('A'.repeat(SHOW_ID_MAX_CHARS))).toBeNull()
  })

  it('still opens a good showId after a bad one', () => {
    const showId = showIds.seal(example)
    showIds.open('A'.repeat(SHOW_ID_MAX_CHARS))
    expect(showIds.open(showId)).toEqual(example)
  })

  it('throws on claims too long for a showId, rather than sealing what could not be opened', () => {
    expect(() => showIds.seal({ ...example, cid: 'c'.repeat(2000) })).toThrow(RangeError)
  })

  it('holds the longest cid, uid and ids that are taken', () => {
    const person = 'c'.repeat(PERSON_ID_MAX_BYTES)
    const offer = '€'.repeat(OFFER_LIMITS.idChars)
    const long = { ...example, cid: person, uid: person, adId: offer, itemGroupId: offer }
    expect(showIds.open(showIds.seal(long))).toEqual(long)
  })
})

describe('showId key rotation', () => {
  const before = createShowIds({ keys: [key(1)] })
  const during = createShowIds({ keys: [key(2), key(1)] })
  const after = createShowIds({ keys: [key(2)] })

  it('opens what an older key sealed and seals with the newest', () => {
    expect(during.open(before.seal(example))).toEqual(example)
    expect(after.open(during.seal(example))).toEqual(example)
    expect(before.open(during.seal(example))).toBeNull()
  })

  it('refuses what a removed key sealed', () => {
    expect(after.open(before.seal(example))).toBeNull()
  })

  it('refuses a showId of another secret under the same key id', () => {
    const other = createShowIds({ keys: [{ id: 1, secret: Buffer.alloc(32, 99) }] })
    expect(other.open(before.seal(example))).toBeNull()
  })

  it('needs keys with ids of their own', () => {
    expect(() => createShowIds({ keys: [] })).toThrow()
    expect(() => createShowIds({ keys: [key(1), key(1)] })).toThrow()
  })
})
