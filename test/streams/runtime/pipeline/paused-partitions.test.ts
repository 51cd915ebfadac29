import { expect, it } from 'vitest'
import { countsIn } from '../../../../infra/analytics/audit/counts.ts'
import type { NewRecord } from '../../../../infra/event-log/port.ts'
import { encode, UnknownSchema } from '../../../../schemas/wire/codec.ts'
import { requireCompleteRegistry } from '../../../../streams/runtime/pipeline/pipeline.ts'
import { withChangedConsumers } from '../../../changed-consumers.ts'
import { samples } from '../../../schemas/samples.ts'
import { copiersWorld, copy, ids, messages, NOW, silent, view } from '../copier.ts'

const { world, start, readOnceThere } = copiersWorld()

/** A page view as written by a version that has one more schema. */
const viewOfLaterVersion = (id: string, key: string): NewRecord => {
  const value = encode('PageView', { ...samples.PageView, id })
  value.writeBigUInt64LE(0x0123456789abcdefn, 2)
  return { topic: 'page-views', key, value }
}

it('a stream leaves a partition whose next record needs a newer version, with what lies before it done, and no other', async () => {
  await world.log.append([...ids(3).map((id) => ({ ...view(id), key: 'one' })), viewOfLaterVersion('later', 'one')])
  await world.log.append([{ ...view('behind it'), key: 'one' }])
  const stream = start(copy)
  expect(messages(await readOnceThere('feed-issues', 3))).toEqual(ids(3))
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  const { partition } = (await world.log.committed('copier'))[0]!
  expect(stream.state()).toMatchObject({
    status: 'RUNNING',
    outdated: true,
    failures: 0,
    dead: 0,
    paused: [{ topic: 'page-views', partition, offset: 3, since: NOW }],
  })
  const elsewhere = await world.log.append(Array.from({ length: 20 }, (_, n) => view(`k${n}`)))
  const others = elsewhere.filter((each) => each.partition !== partition)
  await readOnceThere('feed-issues', 3 + others.length)
  await stream.stop()
  expect(await world.log.read('dead-letters', 0, 0, 10)).toEqual([])
  const commit = (await world.log.committed('copier')).find((each) => each.partition === partition)!
  expect(commit).toMatchObject({ topic: 'page-views', offset: 3 })
  expect(countsIn(commit)).toEqual({ from: 0, read: 3, written: 3, dead: 0 })
})

it('a stream does not ask again and again for what it leaves alone, and looks at it more and more seldom', async () => {
  let time = NOW
  let polls = 0
  const refused: number[] = []
  const counting = withChangedConsumers(world.log, (consumer) => ({
    poll: (wish) => {
      polls += 1
      return consumer.poll(wish)
    },
  }))
  const warn = (details: object) => refused.push((details as { waitMs: number }).waitMs)
  await world.log.append([viewOfLaterVersion('later', 'one')])
  const options = { log: counting, now: () => time, lookAgainMs: 100, logger: { ...silent, warn } }
  const stream = start(copy, options)
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  const before = polls
  await world.log.append(ids(2).map((id) => ({ ...view(id), key: 'two' })))
  await readOnceThere('feed-issues', 2)
  // One poll that waits, one that returns the batch, and one that finds no more records.
  expect(polls - before).toBeLessThanOrEqual(4)

  for (const afterMs of [5_000, 10_000, 20_000]) {
    const known = refused.length
    time += afterMs - 1
    const polled = polls
    await expect.poll(() => polls).toBeGreaterThan(polled + 1)
    expect(refused).toHaveLength(known)
    time += 1
    await expect.poll(() => refused).toHaveLength(known + 1)
  }
  expect(refused).toEqual([5_000, 10_000, 20_000, 40_000])
})

it.each([
  ['some time later', 5_000],
  ['after the clock was set back', -3_600_000],
])('a stream goes on once the record that it could not read is gone, %s', async (_, elapsedMs) => {
  let time = NOW
  await world.log.append([viewOfLaterVersion('later', 'one'), { ...view('behind it'), key: 'one' }])
  let gone = false
  const without = withChangedConsumers(world.log, (consumer) => ({
    async poll(wish) {
      const batch = await consumer.poll(wish)
      return batch && gone ? { ...batch, records: batch.records.slice(1) } : batch
    },
  }))
  const stream = start(copy, { log: without, now: () => time, lookAgainMs: 5 })
  await expect.poll(() => stream.state().paused).toHaveLength(1)
  gone = true
  time += elapsedMs
  expect(messages(await readOnceThere('feed-issues', 1))).toEqual(['behind it'])
  await expect.poll(() => stream.state().outdated).toBe(false)
})

it('a stream leaves only the partition alone whose step needs a newer version', async () => {
  await world.log.append(ids(20).map(view))
  const stream = start(async (batch) => {
    if (batch.partition === 1) throw new UnknownSchema('the registry of a later version')
    return copy(batch)
  })
  const counts = (await world.log.bounds('page-views')).map(({ partition, end }) => (partition === 1 ? 0 : end))
  await readOnceThere(
    'feed-issues',
    counts.reduce((sum, count) => sum + count),
  )
  await expect
    .poll(() => stream.state().paused)
    .toMatchObject([{ partition: 1, offset: 0, reason: 'the registry of a later version' }])
  expect(stream.state()).toMatchObject({ status: 'RUNNING', failures: 0 })
})

it('a stream decides nothing by a registry whose copy has stopped', async () => {
  const snapshot = { staleReason: null as string | null }
  await world.log.append(ids(4).map((id) => ({ ...view(id), key: 'one' })))
  const stream = start(requireCompleteRegistry(snapshot, copy))
  await readOnceThere('feed-issues', 4)
  snapshot.staleReason = 'the copy ends at offset 9'
  await world.log.append([{ ...view('late'), key: 'one' }])
  await expect.poll(() => stream.state().paused).toMatchObject([{ offset: 4, reason: 'the copy ends at offset 9' }])
  expect(await world.log.read('feed-issues', 0, 0, 10)).toHaveLength(4)
})
