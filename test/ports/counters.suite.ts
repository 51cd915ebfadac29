import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type CounterKey,
  type Counters,
  CountersBehind,
  CountersUnavailable,
  type ShardChange,
} from '../../infra/counters/port.ts'
import { waitFor } from '../wait-for.ts'
import {
  type CountersSubject,
  changeOf,
  group,
  loadOf,
  SHARD,
  SHARDS,
  SOURCE,
  seenOf,
  spendOf,
  viewsOf,
} from './counters.fixtures.ts'
import { fencingSuite } from './counters-fencing.suite.ts'
import { historySuite } from './counters-history.suite.ts'
import { reservationsSuite } from './counters-reservations.suite.ts'
import { seenSuite } from './counters-seen.suite.ts'
import { talliesSuite } from './counters-tallies.suite.ts'

const SECRETS_EXPIRING = 2_000
const NOTE_MAX = 64 * 1024

/** What every implementation of Counters promises. */
export function countersSuite(subject: CountersSubject): void {
  let counters: Counters
  beforeEach(async () => {
    counters = await subject.open()
  })
  afterEach(() => subject.dispose(counters))
  const store = (change: Partial<ShardChange>) => counters.store(changeOf(change))
  const load = async (change: Parameters<typeof loadOf>[0]) => (await counters.load([loadOf(change)]))[0]!
  const values = async (...keys: CounterKey[]) => (await load({ keys })).values

  describe('values', () => {
    test('nothing is asked and nothing is answered, and a key never written is 0', async () => {
      expect(await counters.load([])).toEqual([])
      expect(await counters.read([])).toEqual([])
      expect(await counters.positions([])).toEqual([])
      expect(await load({ keys: [viewsOf('a'), spendOf('a')], seen: [seenOf('a')] })).toEqual({
        position: -1,
        note: null,
        values: [0, 0],
        tallies: new Float64Array(),
        seen: [false],
        complete: false,
      })
    })

    test('amounts are added to what is there, and given in the order asked', async () => {
      const add = [viewsOf('a'), spendOf('a'), viewsOf('b')].map((key, i) => ({ key, amount: i + 2 }))
      await store({ add })
      await store({ after: 0, add: add.slice(0, 2) })
      expect(await values(viewsOf('b'), spendOf('a'), viewsOf('b'), viewsOf('c'))).toEqual([4, 6, 4, 0])
    })

    test('the same id counts apart in another group, and in another shard', async () => {
      const keys = [viewsOf('a'), viewsOf('a', 2), spendOf('a'), { ...viewsOf('a'), group: group('views/2') }]
      await store({ add: [{ key: keys[0]!, amount: 1 }] })
      await store({ shard: 2, add: [{ key: keys[1]!, amount: 2 }] })
      await store({ after: 0, add: [{ key: keys[2]!, amount: 3 }] })
      expect(await values(keys[0]!, keys[2]!, keys[3]!)).toEqual([1, 3, 0])
      expect((await load({ shard: 2, keys: [keys[1]!] })).values).toEqual([2])
    })

    test('what is taken away leaves 0 at least', async () => {
      await store({ add: [5, -9].map((amount, i) => ({ key: spendOf('ab'[i]!), amount })) })
      expect(await values(spendOf('a'), spendOf('b'))).toEqual([5, 0])
      await store({ after: 0, add: ['a', 'b'].map((id) => ({ key: spendOf(id), amount: -7 })) })
      expect(await values(spendOf('a'), spendOf('b'))).toEqual([0, 0])
    })

    test('a counter is lowered, or set when it is 0, and never raised by that', async () => {
      const lower = (value: number) => [{ key: viewsOf('first'), value }]
      await store({ lower: lower(1_700_000_000_000) })
      await store({ after: 0, lower: lower(1_700_000_000_001) })
      expect(await values(viewsOf('first'))).toEqual([1_700_000_000_000])
      await store({ after: 1, lower: lower(1_600_000_000_000) })
      expect(await values(viewsOf('first'))).toEqual([1_600_000_000_000])
    })

    test('amounts of money stay exact up to 2^53', async () => {
      await store({ add: [{ key: spendOf('a'), amount: 2 ** 53 - 11 }] })
      await store({
        after: 0,
        add: [{ key: spendOf('a'), amount: 7 }, ...['b', 'c'].map((id) => ({ key: spendOf(id), amount: 1 }))],
      })
      expect(await values(spendOf('a'))).toEqual([2 ** 53 - 4])
    })

    test('thousands of counters are stored and loaded whole, whatever their groups spread over', async () => {
      const keys = [1, 64, 1 << 17].flatMap((spread) =>
        Array.from({ length: 3_000 }, (_, i) => ({ shard: SHARD, group: group(`g${spread}`, { spread }), id: `${i}` })),
      )
      await store({ add: keys.map((key, i) => ({ key, amount: i })) })
      expect(await values(...keys)).toEqual(keys.map((_, i) => i))
    })

    test('a group is forgotten when its time is over, and only it', async () => {
      const brief = { ...viewsOf('a'), group: group('brief', { keptUntil: Date.now() + 300 }) }
      const seen = { ...seenOf('s'), group: { name: 'brief', keptUntil: Date.now() + 300 } }
      const lowered = { ...viewsOf('b'), group: group('brief/2', { keptUntil: Date.now() + 300 }) }
      await store({
        add: [brief, viewsOf('a'), spendOf('a')].map((key) => ({ key, amount: 1 })),
        lower: [{ key: lowered, value: 5 }],
        seen: [seen],
      })
      let after = 0
      await waitFor(async () => {
        await store({ after: after++ })
        counters = await subject.reopen(counters)
        const { values: found, seen: known } = await load({ keys: [brief, lowered], seen: [seen] })
        return found.join() === '0,0' && !known[0]
      })
      expect(await values(viewsOf('a'), spendOf('a'))).toEqual([1, 1])
    })
  })

  describe('positions and notes', () => {
    test('a source stands where each of its stores has left it, shard by shard', async () => {
      await store({ upTo: 7 })
      await store({ shard: 3, upTo: 4 })
      await store({ source: 'corrections/1', upTo: 0 })
      const sources = [
        { shard: 3, source: SOURCE },
        { shard: SHARD, source: 'corrections/1' },
        { shard: SHARD, source: SOURCE },
        { shard: 0, source: SOURCE },
      ]
      expect(await counters.positions(sources)).toEqual([4, 0, 7, -1])
      const loads = sources.map((source) => loadOf(source))
      expect((await counters.load(loads)).map(({ position }) => position)).toEqual([4, 0, 7, -1])
    })

    test('the last note of a source is kept, however long', async () => {
      const note = 'ab'.repeat(NOTE_MAX / 2)
      await store({ note })
      await store({ after: 0 })
      expect((await load({})).note).toBe(note)
      await store({ after: 1, note: 'c' })
      counters = await subject.reopen(counters)
      expect((await load({})).note).toBe('c')
      expect((await load({ source: 'corrections/1' })).note).toBeNull()
    })

    test('a source is not loaded past what the counters have lost', async () => {
      await expect(load({ after: 3 })).rejects.toBeInstanceOf(CountersBehind)
      await store({ upTo: 2 })
      await expect(load({ after: 3 })).rejects.toBeInstanceOf(CountersBehind)
      expect((await load({ after: 2 })).position).toBe(2)
      expect((await load({ after: 1 })).position).toBe(2)
    })
  })

  describe('completeness and the watermark', () => {
    test('values are read once every shard that they lie in is complete', async () => {
      await store({ add: [{ key: viewsOf('a'), amount: 2 }] })
      expect(await counters.complete()).toEqual(Array(SHARDS).fill(false))
      await counters.markComplete(SHARD)
      await counters.markComplete(SHARD)
      expect(await counters.complete()).toEqual([false, true, false, false])
      expect((await load({})).complete).toBe(true)
      expect(await counters.read([viewsOf('b'), viewsOf('a')])).toEqual([0, 2])
      await expect(counters.read([viewsOf('a'), viewsOf('a', 2)])).rejects.toBeInstanceOf(CountersUnavailable)
      await counters.markComplete(2)
      counters = await subject.reopen(counters)
      expect(await counters.read([viewsOf('a', 2), viewsOf('a')])).toEqual([0, 2])
    })

    test('the watermark only rises', async () => {
      expect(await counters.watermark()).toBe(-1)
      for (const at of [5_000, 1_700_000_000_000, 6_000]) await counters.raiseWatermark(at)
      expect(await counters.watermark()).toBe(1_700_000_000_000)
    })

    test('clear forgets values, seen keys, positions, notes, completeness and the watermark', async () => {
      await store({ upTo: 5, note: 'n', add: [{ key: viewsOf('a'), amount: 2 }], seen: [seenOf('x')] })
      await counters.markComplete(SHARD)
      await counters.raiseWatermark(5)
      await counters.clear()
      expect(await load({ keys: [viewsOf('a')], seen: [seenOf('x')] })).toEqual({
        position: -1,
        note: null,
        values: [0],
        tallies: new Float64Array(),
        seen: [false],
        complete: false,
      })
      expect(await counters.complete()).toEqual(Array(SHARDS).fill(false))
      expect(await counters.watermark()).toBe(-1)
      await store({ seen: [seenOf('x')] })
      expect((await load({ seen: [seenOf('x')] })).seen).toEqual([true])
    })
  })

  describe('secrets', () => {
    test('all who propose a secret under one name get the first, and another name is another secret', async () => {
      const agreed = await Promise.all(['a', 'b', 'c'].map((each) => counters.agree('monday', each, 60_000)))
      expect(new Set(agreed).size).toBe(1)
      expect(await counters.agree('monday', 'd', 60_000)).toBe(agreed[0])
      expect(await counters.agree('tuesday', 'd', 60_000)).toBe('d')
    })

    test('a secret is forgotten in time, and not with the counters', async () => {
      await counters.agree('monday', 'a', 1)
      await waitFor(async () => (await counters.agree('monday', 'b', 60_000)) === 'b')
      await counters.clear()
      expect(await counters.agree('monday', 'c', 60_000)).toBe('b')
    })

    test('a secret that is answered while the one before expires is the one that is kept', async () => {
      for (let i = 0; i < SECRETS_EXPIRING; i++) {
        const name = `day ${i}`
        await counters.agree(name, 'a', 1)
        const answered = await counters.agree(name, 'b', 60_000)
        if (answered === 'b') expect(await counters.agree(name, 'c', 60_000)).toBe('b')
      }
    })
  })

  describe('tallies', () => talliesSuite(subject, () => counters))
  describe('whoever may move a source on', () => fencingSuite(subject, () => counters))
  describe('seen keys', () => seenSuite(subject, () => counters))
  describe('reservations', () => reservationsSuite(() => counters))
  describe('any history', () => historySuite(subject, () => counters))
}
