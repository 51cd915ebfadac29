import { expect, test } from 'vitest'
import type { Counters } from '../../infra/counters/port.ts'
import { type CountersSubject, changeOf, loadOf, seenOf } from './counters.fixtures.ts'

const BATCH = 700
const idsOf = (from: number, count = BATCH) => Array.from({ length: count }, (_, i) => `event ${from + i}`)

/** What every implementation of Counters promises about seen ids. `counters` are empty, and used only by this test. */
export function seenSuite(subject: CountersSubject, counters: () => Counters): void {
  const seenBy = async (each: Counters, ids: readonly string[], name?: string) =>
    (await each.load([loadOf({ seen: ids.map((id) => seenOf(id, name)) })]))[0]!.seen
  const see = (each: Counters, after: number, ids: readonly string[], source?: string) =>
    each.store(changeOf({ after, seen: ids.map((id) => seenOf(id)), ...(source ? { source } : {}) }))

  test('a key is seen from the store that names it on, in its own group', async () => {
    expect(await seenBy(counters(), ['a', 'b'])).toEqual([false, false])
    await see(counters(), -1, ['b', 'b'])
    expect(await seenBy(counters(), ['b', 'a', 'b'])).toEqual([true, false, true])
    expect(await seenBy(counters(), ['b'], 'another minute')).toEqual([false])
    await see(counters(), 0, ['a', 'b'])
    expect(await seenBy(counters(), ['b', 'a'])).toEqual([true, true])
  })

  test('many thousands in one group are all found again, by who stored them and by others, and no others are', async () => {
    const BATCHES = 30
    for (let i = 0; i < BATCHES; i++) {
      const ids = idsOf(i * BATCH)
      expect(await seenBy(counters(), ids)).not.toContain(true)
      // Some ids come again, as from a page that sends an event twice.
      await see(counters(), i - 1, [...ids, ...idsOf(Math.max(0, i - 3) * BATCH, 100)])
    }
    const all = idsOf(0, BATCHES * BATCH)
    expect(await seenBy(counters(), all)).not.toContain(false)
    const another = await subject.another(counters())
    expect(await seenBy(another, all)).not.toContain(false)
    expect(await seenBy(another, idsOf(BATCHES * BATCH, 20_000))).not.toContain(true)
    await another.close()
  })

  test('who stores without having looked finds the place of each key all the same', async () => {
    for (let i = 0; i < 4; i++) {
      const blind = await subject.another(counters())
      await see(blind, i - 1, idsOf(i * BATCH))
      await blind.close()
    }
    expect(await seenBy(counters(), idsOf(0, 4 * BATCH))).not.toContain(false)
  })

  test('two sources that change the same group at once lose nothing of each other', async () => {
    const rival = await subject.another(counters())
    const turns = async (each: Counters, source: string, from: number) => {
      for (let i = 0; i < 12; i++) await see(each, i - 1, idsOf(from + i * 100, 100), source)
    }
    await Promise.all([turns(counters(), 'ad-events/1', 0), turns(rival, 'corrections/1', 10_000)])
    for (const each of [counters(), rival]) {
      expect(await seenBy(each, [...idsOf(0, 1_200), ...idsOf(10_000, 1_200)])).not.toContain(false)
      expect(await seenBy(each, idsOf(2_000, 1_000))).not.toContain(true)
    }
    await rival.close()
  })

  test('what another client has cleared and stored anew is not mistaken for what was known', async () => {
    await see(counters(), -1, idsOf(0, 2_000))
    expect(await seenBy(counters(), idsOf(0, 1))).toEqual([true])
    const another = await subject.another(counters())
    await another.clear()
    await see(another, -1, idsOf(5_000, 10))
    expect(await seenBy(counters(), [...idsOf(5_000, 1), ...idsOf(0, 1)])).toEqual([true, false])
    await another.clear()
    await see(counters(), -1, idsOf(0, 10))
    expect(await seenBy(another, [...idsOf(0, 1), ...idsOf(5_000, 1)])).toEqual([true, false])
    await another.close()
  })
}
