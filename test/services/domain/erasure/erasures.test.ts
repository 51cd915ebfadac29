import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Erasure } from '../../../../schemas/records/records.ts'
import { digestOf, Erasures, PSEUDONYM_PREFIX } from '../../../../services/domain/erasure/erasures.ts'

const erasureOf = (value: string, requestedAt: number): Erasure => ({
  ...{ id: value, shopId: 'shop', identifier: 'CID', pseudonym: `${PSEUDONYM_PREFIX}${value}`, requestedAt },
  ...{ requestedBy: 'account', digest: digestOf(value, randomBytes(16)), erasedAt: null, logFreeAt: null },
})

describe('all erasures', () => {
  it('cover what an identifier did until then, as long as they know it', () => {
    const erasures = new Erasures()
    const pseudonymOf = (value: string, at: number) => erasures.pseudonymOf('shop', { kind: 'CID', value }, at)
    expect(erasures.coveredUntil).toBe(Number.NEGATIVE_INFINITY)
    const [second, first] = [erasureOf('b', 2_000), erasureOf('a', 1_000)]
    erasures.put(second)
    erasures.put(first)
    expect(erasures.active().map(({ id }) => id)).toEqual(['a', 'b'])
    expect(erasures.coveredUntil).toBe(2_000)
    expect([pseudonymOf('b', 2_000), pseudonymOf('b', 2_001)]).toEqual([second.pseudonym, null])
    erasures.put({ ...second, digest: null })
    expect(erasures.coveredUntil).toBe(1_000)
    expect([pseudonymOf('b', 2_000), pseudonymOf('a', 1_000)]).toEqual([null, first.pseudonym])
    expect([erasures.mayBe(Buffer.from('b')), erasures.mayBe(Buffer.from('a'))]).toEqual([false, true])
  })

  it('are looked at a few times each, however many are read', () => {
    const erasures = new Erasures()
    const count = 2_000
    let looks = 0
    for (let i = 0; i < count; i++) {
      const { digest, ...erasure } = erasureOf(String(i), i)
      const counting = Object.defineProperty({ ...erasure }, 'digest', {
        get() {
          looks += 1
          return digest
        },
      })
      erasures.put(counting as Erasure)
    }
    expect(erasures.coveredUntil).toBe(count - 1)
    expect(looks).toBeLessThan(10 * count)
  })
})
