import { expect, it } from 'vitest'
import { jointlyLimited, lruCache } from '../../../services/domain/caches.ts'

it('keeps as many entries as it may, and evicts those that were used least recently', () => {
  const cache = lruCache<number>(3)
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value)
  cache.get('a')
  cache.set('d', 3)
  cache.set('c', 4)
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 4, 3])
  expect(cache.size).toBe(3)
})

it('forgets entries after their time', () => {
  let now = 1_000
  const cache = lruCache<number>(3, { ttl: 100, ttlResolution: 0, perf: { now: () => now } })
  cache.set('a', 1)
  now += 100
  expect(cache.get('a')).toBe(1)
  now += 1
  expect(cache.get('a')).toBe(undefined)
})

it('empties caches with a limit in common together, once they are full', () => {
  const { create, add } = jointlyLimited(3)
  const [one, other] = [create<number>(), create<number>()]
  add(one, 'a', 1)
  add(other, 'a', 2)
  add(other, 'b', 3)
  expect([[...one], [...other]]).toEqual([
    [['a', 1]],
    [
      ['a', 2],
      ['b', 3],
    ],
  ])
  add(one, 'c', 4)
  expect([[...one], [...other]]).toEqual([[['c', 4]], []])
})
