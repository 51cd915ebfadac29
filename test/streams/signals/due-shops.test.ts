import { expect, test } from 'vitest'
import { createDueShops } from '../../../streams/signals/due-shops.ts'

const INTERVAL_MS = 300_000

test('a shop is due when anything is new, an interval after the last time', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  expect(due.list(0, false)).toEqual([])
  due.note('shop', 100)
  expect(due.list(0, false)).toEqual(['shop'])
  due.computed('shop', { at: 0, ...due.taken('shop') })
  expect(due.list(INTERVAL_MS, false)).toEqual([])
  due.note('shop', 1)
  expect(due.list(INTERVAL_MS - 1, false)).toEqual([])
  expect(due.list(INTERVAL_MS, false)).toEqual(['shop'])
})

test('a shop is due an interval after the last time also when the clock was set back meanwhile', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  const AHEAD_MS = 86_400_000
  due.note('shop', 100)
  expect(due.list(AHEAD_MS, false)).toEqual(['shop'])
  due.computed('shop', { at: AHEAD_MS, ...due.taken('shop') })
  due.note('shop', 1)
  expect(due.list(0, false)).toEqual(['shop'])
})

test('a shop whose purchases grow at once is due before', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  due.note('shop', 100)
  due.computed('shop', { at: 0, ...due.taken('shop') })
  due.note('shop', 10)
  expect(due.list(1, false)).toEqual([])
  due.note('shop', 1)
  expect(due.list(1, false)).toEqual(['shop'])
})

test('a day that begins makes every shop that was seen due', () => {
  const due = createDueShops({ intervalMs: 0 })
  due.note('a', 0)
  due.note('b', 0)
  for (const shop of ['a', 'b']) due.computed(shop, { at: 0, ...due.taken(shop) })
  expect(due.list(0, false)).toEqual([])
  due.noteAll()
  expect(due.list(0, false)).toEqual(['a', 'b'])
})

test('a shop waits while its purchases are coming in at once, and is due when no more come', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  due.note('shop', 20_000)
  expect([due.list(0, false), due.areArriving()]).toEqual([[], true])
  due.note('shop', 25_000)
  expect([due.list(2_000, false), due.areArriving()]).toEqual([[], true])
  due.note('shop', 300)
  expect([due.list(4_000, false), due.areArriving()]).toEqual([['shop'], false])
  due.computed('shop', { at: 4_000, ...due.taken('shop') })
  // So few orders are not an import, whatever share of a small shop they are.
  due.note('small', 100)
  expect([due.list(6_000, false), due.areArriving()]).toEqual([['small'], false])
})

test('an import that was coming in has not ended while the sink is behind, but no other shop waits for the sink', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  due.note('shop', 20_000)
  due.note('other', 1)
  expect(due.list(0, true)).toEqual(['other'])
  due.computed('other', { at: 0, ...due.taken('other') })
  expect([due.list(2_000, true), due.areArriving()]).toEqual([[], true])
  expect([due.list(4_000, false), due.areArriving()]).toEqual([['shop'], false])
})

test('a shop waits for a sink that stays behind for an interval', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  due.note('shop', 20_000)
  expect(due.list(0, true)).toEqual([])
  expect(due.list(INTERVAL_MS - 1, true)).toEqual([])
  expect(due.list(INTERVAL_MS, true)).toEqual(['shop'])
})

test('a shop whose purchases never cease to come in waits for an interval', () => {
  const due = createDueShops({ intervalMs: INTERVAL_MS })
  const lookAt = (at: number) => {
    due.note('shop', 1_000_000)
    return due.list(at, false)
  }
  expect(lookAt(0)).toEqual([])
  expect(lookAt(INTERVAL_MS - 1)).toEqual([])
  expect(lookAt(INTERVAL_MS)).toEqual(['shop'])
  due.computed('shop', { at: INTERVAL_MS, ...due.taken('shop') })
  expect(due.areArriving()).toBe(false)
  expect([lookAt(INTERVAL_MS + 1), due.areArriving()]).toEqual([[], true])
})
