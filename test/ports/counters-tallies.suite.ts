import { expect, test } from 'vitest'
import type { CounterKey, Counters, ShardChange } from '../../infra/counters/port.ts'
import { type CountersSubject, changeOf, group, loadOf, SHARD } from './counters.fixtures.ts'

/** Groups of which an id has several counters. */
export function talliesSuite(subject: CountersSubject, counters: () => Counters): void {
  const store = (change: Partial<ShardChange>) => counters().store(changeOf(change))
  const load = async (change: Parameters<typeof loadOf>[0]) => (await counters().load([loadOf(change)]))[0]!
  const values = async (...keys: CounterKey[]) => (await load({ keys })).values

  test('the counters of one id count apart, also when they are raised a thousand times by several', async () => {
    const both = [counters(), await subject.another(counters())]
    const several = group('several', { spread: 2, counts: 3 })
    const keys = ['a', 'b', 'ż/1'].flatMap((id) =>
      [0, 1, 2].map((count) => ({ shard: SHARD, group: several, id, count })),
    )
    const sums = keys.map(() => 0)
    for (let turn = 0; turn < 300; turn++) {
      const amounts = keys.map((_, i) => (turn % (i + 1) === 0 ? (turn * 7_919 * (i + 1)) % 65_536 : 0))
      const add = keys.map((key, i) => ({ key, amount: amounts[i]! }))
      await both[turn % 2]!.store(changeOf({ source: `ad-events/${turn % 2}`, after: (turn >> 1) - 1, add }))
      for (const [i, amount] of amounts.entries()) sums[i]! += amount
    }
    expect(await values(...keys)).toEqual(sums)
    const elsewhere = keys.map((key) => ({ ...key, shard: 2 }))
    expect((await load({ shard: 2, keys: elsewhere })).values).toEqual(keys.map(() => 0))
    await both[1]!.close()
  })

  test('the counters of thousands of ids lie in few places', async () => {
    const many = group('many', { spread: 2, counts: 2 })
    const keys = Array.from({ length: 3_000 }, (_, i) => ({
      shard: SHARD,
      group: many,
      id: `${i >> 1}`,
      count: i % 2,
    }))
    for (let turn = 0; turn < 6; turn++) {
      const raised = turn % 2 === 0 ? keys : keys.slice(0, 300)
      await store({ after: turn - 1, add: raised.map((key, i) => ({ key, amount: i + turn })) })
    }
    expect(await values(...keys)).toEqual(keys.map((_, i) => (i < 300 ? 6 * i + 15 : 3 * i + 6)))
  })
}
