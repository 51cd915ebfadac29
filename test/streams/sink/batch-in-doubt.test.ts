import { describe, expect, it } from 'vitest'
import { type Analytics, AnalyticsFenced, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { type SinkBatch, storeBatches } from '../../../streams/sink/batch.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { openWorld, record, view } from './world.ts'

const { world, query, countOf, drain } = openWorld(openTemporaryAnalytics)

describe('a batch in doubt', () => {
  const views = ['v0', 'v1', 'v2', 'v3']
  /** Leaves the first three records as a batch that was opened but not stored, under the epoch of the log. */
  async function leaveInDoubt(): Promise<SinkBatch> {
    const places = await world.log.append(views.map((id) => record(view(id))))
    const { partition, offset: first } = places[0]!
    const { offset: last } = places[2]!
    const records = await world.log.read('page-views', partition, first, 3)
    const others = (await world.log.committed(SINK_GROUP)).filter(
      (each) => each.topic !== 'page-views' || each.partition !== partition,
    )
    const metadata = encodeOffsetMetadata({ epoch: world.epoch, pendingLast: last })
    await world.log.reset(SINK_GROUP, [...others, { topic: 'page-views', partition, offset: first, metadata }])
    return { topic: 'page-views', partition, first, last, records, epoch: world.epoch }
  }
  const stored = async () => (await query<{ id: string }>('SELECT id FROM page_views ORDER BY id')).map(({ id }) => id)

  it.each([
    ['nothing', 0],
    ['a part', 2],
    ['all', 3],
  ])('of which %s is stored is finished, and the partition goes on after it', async (_, count) => {
    const batch = await leaveInDoubt()
    await storeBatches(world.analytics, [{ ...batch, records: batch.records.slice(0, count) }])
    await drain()
    expect(await stored()).toEqual(views)
  })

  it('a batch in doubt that is finished is told of as one that is stored', async () => {
    await leaveInDoubt()
    const seen: number[] = []
    const counting: Promise<unknown>[] = []
    const onStored = () => counting.push(countOf('page_views').then((count) => seen.push(count)))
    await drain({ onStored })
    await Promise.all(counting)
    expect(seen[0]).toBeGreaterThanOrEqual(3)
  })

  it('a batch in doubt can no longer be stored by whoever opened it', async () => {
    const batch = await leaveInDoubt()
    await drain()
    await expect(storeBatches(world.analytics, [batch])).rejects.toBeInstanceOf(AnalyticsFenced)
    expect(await stored()).toEqual(views)
  })

  it('a batch in doubt is finished under a new epoch each time that finishing it fails', async () => {
    await leaveInDoubt()
    const epochs: number[] = []
    const failing: Analytics = {
      ...world.analytics,
      async insert(table, rows, by) {
        if ('fences' in by) epochs.push(by.fences[0]!.epoch)
        if (epochs.length < 3) throw new AnalyticsUnavailable('try again')
        await world.analytics.insert(table, rows, by)
      },
    }
    await drain({ analytics: failing })
    expect(epochs.slice(0, 3)).toEqual([world.epoch + 1, world.epoch + 2, world.epoch + 3])
    expect(await stored()).toEqual(views)
  })
})
