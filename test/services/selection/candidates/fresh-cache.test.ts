import { beforeEach, describe, expect, it } from 'vitest'
import { FreshCache } from '../../../../services/selection/candidates/fresh-cache.ts'

let now: number
let made: number
let cache: FreshCache<number>
beforeEach(() => {
  now = 0
  made = 0
  cache = new FreshCache({ now: () => now, entriesMax: 3 })
})
const make = async () => ++made
const get = (key: string) => cache.get(key, make)

describe('FreshCache', () => {
  it('answers a second long what it has, without a promise', async () => {
    expect(await get('a')).toBe(1)
    now = 999
    expect(get('a')).toBe(1)
    expect(made).toBe(1)
  })

  it('answers once more with the old while it makes the new, up to two seconds', async () => {
    await get('a')
    now = 1999
    expect(get('a')).toBe(1)
    await Promise.resolve().then(() => {})
    await new Promise(setImmediate)
    expect(get('a')).toBe(2)
    now = 3999
    expect(await get('a')).toBe(3)
  })

  it('makes a value once for all who ask at one time', async () => {
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([1, 1, 2])
  })

  it('keeps no failure, and serves the old through one', async () => {
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await get('a')).toBe(1)
    now = 1500
    expect(cache.get('a', () => Promise.reject(new Error('down')))).toBe(1)
    await new Promise(setImmediate)
    expect(get('a')).toBe(1)
  })

  it('keeps a bounded number, the newest', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await get(key)
    expect(get('d')).toBe(4)
    expect(get('b')).toBe(2)
    expect(await get('a')).toBe(5)
  })
})
