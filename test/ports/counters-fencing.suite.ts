import { expect, test } from 'vitest'
import { type Counters, CountersBehind, CountersMoved, type ShardChange } from '../../infra/counters/port.ts'
import {
  type CountersSubject,
  changeOf,
  loadOf,
  SHARD,
  SHARDS,
  SOURCE,
  seenOf,
  spendOf,
  viewsOf,
} from './counters.fixtures.ts'

type LoadedOne = Awaited<ReturnType<Counters['load']>>[number]

/** Who may advance a source, in every implementation of Counters. `counters` are empty, and used only by this test. */
export function fencingSuite(subject: CountersSubject, counters: () => Counters): void {
  const store = (change: Partial<ShardChange>) => counters().store(changeOf(change))
  const load = async (change: Parameters<typeof loadOf>[0]) => (await counters().load([loadOf(change)]))[0]!

  test('a source is moved on in many shards at once, and stays where it stands elsewhere', async () => {
    await store({ upTo: 4, note: 'kept', add: [{ key: viewsOf('a'), amount: 3 }] })
    await store({ shard: 2, upTo: 7 })
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
    const after = [-1, 4, 6, -1]
    const moved = await Promise.allSettled(shards.map((shard) => store({ shard, after: after[shard]!, upTo: 9 })))
    expect(moved.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect((moved[2] as PromiseRejectedResult).reason).toBeInstanceOf(CountersMoved)
    const standing = [9, 9, 7, 9]
    expect(await counters().positions(shards.map((shard) => ({ shard, source: SOURCE })))).toEqual(standing)
    // Loads without any keys still return the position and the note.
    const loaded = await counters().load(shards.map((shard) => loadOf({ shard, after: standing[shard]! })))
    expect(loaded.map(({ position, note }) => ({ position, note }))).toEqual(
      shards.map((shard) => ({ position: standing[shard]!, note: shard === SHARD ? 'kept' : null })),
    )
    expect(await load({ after: 9, keys: [viewsOf('a')] })).toMatchObject({ position: 9, note: 'kept', values: [3] })
    await expect(counters().load(shards.map((shard) => loadOf({ shard, after: 9 })))).rejects.toThrow(CountersBehind)
  })

  test('what is stored a second time, because its answer was lost, is refused and counts once', async () => {
    const change = { upTo: 5, note: 'first', add: [{ key: spendOf('a'), amount: 3 }], seen: [seenOf('x')] }
    await store(change)
    await expect(store({ ...change, note: 'second' })).rejects.toBeInstanceOf(CountersMoved)
    expect(await load({ keys: [spendOf('a')] })).toMatchObject({ position: 5, note: 'first', values: [3] })
  })

  test('a refused change leaves nothing of itself', async () => {
    const limits = [{ key: 'k', counted: null, max: 10 }]
    const hold = { shard: SHARD, retained: 0, minimum: 1, limits, expiresAt: 60_000, now: 1 }
    expect(await counters().reserve([{ ...hold, holder: 'a', requested: 10 }])).toEqual([10])
    const refused = store({
      after: 0,
      upTo: 9,
      note: 'n',
      add: [viewsOf('a'), spendOf('a')].map((key) => ({ key, amount: 1 })),
      lower: [{ key: viewsOf('l'), value: 1 }],
      seen: [seenOf('x')],
      released: [{ key: 'k', holder: 'a' }],
    })
    await expect(refused).rejects.toBeInstanceOf(CountersMoved)
    expect(await load({ keys: [viewsOf('a'), spendOf('a'), viewsOf('l')], seen: [seenOf('x')] })).toEqual({
      position: -1,
      note: null,
      values: [0, 0, 0],
      tallies: new Float64Array(),
      seen: [false],
      complete: false,
    })
    expect(await counters().reserve([{ ...hold, holder: 'b', requested: 1 }])).toEqual([0])
  })

  test('who was replaced and did not notice is refused, and goes on from what the owner has stored', async () => {
    const owner = await subject.another(counters())
    await store({ add: [{ key: spendOf('a'), amount: 1 }], seen: [seenOf('1')] })
    await owner.load([loadOf({ seen: [seenOf('1')] })])
    await owner.store(changeOf({ after: 0, upTo: 4, add: [{ key: spendOf('a'), amount: 10 }], seen: [seenOf('2')] }))
    const late = store({ after: 0, upTo: 3, add: [{ key: spendOf('a'), amount: 100 }], seen: [seenOf('3')] })
    await expect(late).rejects.toBeInstanceOf(CountersMoved)
    const seen = ['1', '2', '3'].map((id) => seenOf(id))
    const now = {
      position: 4,
      note: null,
      values: [11],
      tallies: new Float64Array(),
      seen: [true, true, false],
      complete: false,
    }
    expect(await load({ after: 0, keys: [spendOf('a')], seen })).toEqual(now)
    await store({ after: 4, add: [{ key: spendOf('a'), amount: 100 }] })
    expect((await owner.load([loadOf({ keys: [spendOf('a')] })]))[0]!.values).toEqual([111])
    await owner.close()
  })

  test('two who both want to be the owner count each position once between them', async () => {
    const rival = await subject.another(counters())
    const turns = async (each: Counters, wins: number) => {
      let won = 0
      while (won < wins) {
        const [{ position, values: found }] = (await each.load([loadOf({ keys: [spendOf('a')] })])) as [LoadedOne]
        expect(found[0]).toBeGreaterThanOrEqual(position + 1)
        try {
          await each.store(
            changeOf({ after: position, add: [{ key: spendOf('a'), amount: 1 }], seen: [seenOf(`${position}`)] }),
          )
          won++
        } catch (error) {
          expect(error).toBeInstanceOf(CountersMoved)
        }
      }
    }
    await Promise.all([turns(counters(), 40), turns(rival, 40)])
    expect(await load({ keys: [spendOf('a')] })).toMatchObject({ position: 79, values: [80] })
    await rival.close()
  })
}
