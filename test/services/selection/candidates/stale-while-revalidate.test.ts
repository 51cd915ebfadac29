import { beforeEach, expect, it } from 'vitest'
import {
  type Basis,
  createStaleWhileRevalidateCache,
  type StaleWhileRevalidateCache,
} from '../../../../services/selection/candidates/stale-while-revalidate.ts'

const START = 1_000_000
let now: number
let loads: number
let cache: StaleWhileRevalidateCache<{ load: number }>
beforeEach(() => {
  now = START
  loads = 0
  cache = createStaleWhileRevalidateCache({ now: () => now, bytesMax: 3, bytesOf: () => 1 })
})
const load = async () => ({ load: ++loads })
const down = () => Promise.reject(new Error('down'))
const get = (key: string, basis: Basis | null = null) => cache.get(key, basis, load)

it('a stale-while-revalidate cache serves a value for a second, without a promise', async () => {
  expect(await get('a')).toEqual({ load: 1 })
  now = START + 999
  expect(get('a')).toEqual({ load: 1 })
  expect(loads).toBe(1)
})

it('a stale-while-revalidate cache serves a value up to two seconds old while it loads a new one', async () => {
  await get('a')
  now = START + 1999
  expect(await get('a')).toEqual({ load: 1 })
  await new Promise(setImmediate)
  expect(get('a')).toEqual({ load: 2 })
  now = START + 3999
  expect(await get('a')).toEqual({ load: 3 })
})

it('a stale-while-revalidate cache serves a value for half a minute while its basis is the same', async () => {
  const lifts = new Map()
  await get('a', [1, lifts])
  now = START + 29_999
  expect(get('a', [1, lifts])).toEqual({ load: 1 })
  expect(loads).toBe(1)
  now = START + 30_001
  expect(await get('a', [1, lifts])).toEqual({ load: 2 })
})

it.each([
  ['another number', [2, 'x']],
  ['another part', [1, 'y']],
  ['an unknown basis', null],
])('a stale-while-revalidate cache loads a value again after two seconds with %s', async (_, basis) => {
  await get('a', [1, 'x'])
  now = START + 1_000
  expect(get('a', basis)).toEqual({ load: 1 })
  now = START + 2_001
  expect(await get('a', basis)).toEqual({ load: 2 })
  expect(get('a', basis)).toEqual({ load: 2 })
})

it('a stale-while-revalidate cache does not take a value for one of the basis that came while it was loaded', async () => {
  let release = () => {}
  const loading = cache.get('a', [1], () => new Promise((resolve) => (release = () => resolve({ load: 0 }))))
  const sharing = get('a', [2])
  release()
  expect(await Promise.all([loading, sharing])).toEqual([{ load: 0 }, { load: 0 }])
  now = START + 2_001
  expect(await get('a', [2])).toEqual({ load: 1 })
})

it('a stale-while-revalidate cache loads a value again once the clock has been set back', async () => {
  await get('a')
  now = START - 3_600_000
  expect(await get('a')).toEqual({ load: 2 })
})

it('a stale-while-revalidate cache loads a value once for concurrent calls', async () => {
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([{ load: 1 }, { load: 1 }, { load: 2 }])
})

it('a stale-while-revalidate cache stores no failure, and serves the old value during one', async () => {
  await expect(cache.get('a', null, down)).rejects.toThrow('down')
  expect(await get('a')).toEqual({ load: 1 })
  now = START + 1500
  expect(await cache.get('a', null, down)).toEqual({ load: 1 })
  await new Promise(setImmediate)
  expect(await get('a')).toEqual({ load: 1 })
  await new Promise(setImmediate)
  now = START + 4000
  await expect(cache.get('a', null, down)).rejects.toThrow('down')
})

it('a stale-while-revalidate cache keeps a bounded number of values, the most recently used', async () => {
  for (const key of ['a', 'b', 'c', 'd']) await get(key)
  expect(get('d')).toEqual({ load: 4 })
  expect(get('b')).toEqual({ load: 2 })
  expect(await get('a')).toEqual({ load: 5 })
})

it('a stale-while-revalidate cache gives a value to its callers even when it was evicted while loading', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e']
  expect(await Promise.all(keys.map((key) => get(key)))).toEqual(keys.map((_, i) => ({ load: i + 1 })))
})
