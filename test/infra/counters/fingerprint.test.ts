import { expect, test } from 'vitest'
import { fingerprintOf, hashBegin, numberOf, pathFingerprint } from '../../../infra/counters/fingerprint.ts'

test('a fingerprint is that of cyrb53, by the values that its author gives', () => {
  const numbers = ['a', 'b', 'revenge', 'revenue'].map((text) => numberOf(fingerprintOf(text)))
  expect(numbers).toEqual([7929297801672961, 8684336938537663, 4051478007546757, 8309097637345594])
})

test('a hundred thousand similar ids have as many numbers, and use all of the bits of both halves', () => {
  const fingerprints = Array.from({ length: 100_000 }, (_, i) => fingerprintOf(`views/cid/2026-11-22/campaign-${i}`))
  expect(new Set(fingerprints.map(numberOf)).size).toBe(fingerprints.length)
  for (const half of ['low', 'high'] as const) {
    for (let bit = 0; bit < 32; bit++) {
      const ones = fingerprints.filter((each) => (each[half] >>> bit) & 1).length
      expect(Math.abs(ones / fingerprints.length - 0.5)).toBeLessThan(0.02)
    }
  }
})

test('what an id begins with may be hashed before the rest of it', () => {
  for (const text of ['', 'a', 'address/shop/ż']) {
    expect(fingerprintOf('name', hashBegin(text))).toEqual(fingerprintOf(`${text}name`))
  }
})

test('a path has the fingerprint of its text', () => {
  for (const parts of [['a'], ['request', 'campaign', 'żółw/1'], ['', 'b', '']]) {
    expect(pathFingerprint(parts)).toEqual(fingerprintOf(parts.join('/')))
  }
})
