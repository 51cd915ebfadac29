import { expect, test } from 'vitest'
import { fingerprintOf } from '../../infra/counters/fingerprint.ts'
import type { Counters, ShardChange, TallyKey } from '../../infra/counters/port.ts'
import { type CountersSubject, changeOf, group, loadOf, SHARD } from './counters.fixtures.ts'

/** What every implementation of Counters promises about tallies: several counters of one id. */
export function talliesSuite(subject: CountersSubject, counters: () => Counters): void {
  const store = (change: Partial<ShardChange>) => counters().store(changeOf(change))
  const load = async (change: Parameters<typeof loadOf>[0]) => (await counters().load([loadOf(change)]))[0]!
  const loaded = async (...tallies: TallyKey[]) => [...(await load({ tallies })).tallies]
  const keysOf = (name: string, counts: number, ids: readonly string[]): TallyKey[] => {
    const { exact: _, ...ofGroup } = group(name, { spread: 2 })
    return ids.map((id) => ({ shard: SHARD, group: { ...ofGroup, counts }, fingerprint: fingerprintOf(id) }))
  }

  test('the counters of one id count apart, also when they are raised a thousand times by several', async () => {
    const both = [counters(), await subject.another(counters())]
    const keys = keysOf('several', 3, ['a', 'b', 'ż/1'])
    const sums = keys.flatMap(() => [0, 0, 0])
    for (let turn = 0; turn < 300; turn++) {
      const amounts = sums.map((_, i) => (turn % (i + 1) === 0 ? (turn * 7_919 * (i + 1)) % 65_536 : 0))
      const tally = keys.map((key, i) => ({ key, amounts: amounts.slice(3 * i, 3 * i + 3) }))
      await both[turn % 2]!.store(changeOf({ source: `ad-events/${turn % 2}`, after: (turn >> 1) - 1, tally }))
      for (const [i, amount] of amounts.entries()) sums[i]! += amount
      if (turn % 7 > 0) continue
      for (const client of both) {
        expect([...(await client.load([loadOf({ tallies: keys })]))[0]!.tallies]).toEqual(sums)
      }
    }
    expect(await loaded(...keys)).toEqual(sums)
    const elsewhere = keys.map((key) => ({ ...key, shard: 2 }))
    expect([...(await load({ shard: 2, tallies: elsewhere })).tallies]).toEqual(sums.map(() => 0))
    await both[1]!.close()
  })

  test('the counters of thousands of ids lie in few places', async () => {
    const ids = Array.from({ length: 1_500 }, (_, i) => `${i}`)
    const keys = keysOf('many', 2, ids)
    for (let turn = 0; turn < 6; turn++) {
      const raised = turn % 2 === 0 ? keys : keys.slice(0, 150)
      const tally = raised.map((key, i) => ({ key, amounts: [2 * i + turn, 2 * i + 1 + turn] }))
      await store({ after: turn - 1, tally })
    }
    const sums = keys.flatMap((_, i) => [2 * i, 2 * i + 1]).map((i) => (i < 300 ? 6 * i + 15 : 3 * i + 6))
    expect(await loaded(...keys)).toEqual(sums)
  })
}
