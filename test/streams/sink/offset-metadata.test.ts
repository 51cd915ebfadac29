import { describe, expect, it } from 'vitest'
import { storeIdentity } from '../../../infra/analytics/migrate.ts'
import { type Analytics, AnalyticsFenced, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import type { Commit, EventLog } from '../../../infra/event-log/port.ts'
import { type SinkBatch, storeBatches } from '../../../streams/sink/batch.ts'
import {
  decodeOffsetMetadata,
  encodeOffsetMetadata,
  OtherStore,
  SINK_GROUP,
  throwUnlessOneStore,
} from '../../../streams/sink/offset-metadata.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { waitFor } from '../../wait-for.ts'
import { gather, openWorld, RETRY, record, view } from './world.ts'

const { world, sinkOf, query, countOf, drain } = openWorld(openTemporaryAnalytics)

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

describe('the store of the rows before', () => {
  const storesOf = async (topic: string) =>
    new Set(
      (await world.log.committed(SINK_GROUP)).flatMap((commit) =>
        commit.topic === topic ? (decodeOffsetMetadata(commit).store ?? []) : [],
      ),
    )

  /** Runs a sink of a store until it has failed. @returns why. */
  async function failureIn(store: string, log: EventLog = world.log): Promise<string> {
    const sink = sinkOf({ log, store, retry: RETRY, gather })
    const ended = sink.run()
    await waitFor(() => sink.state().failures > 0)
    await sink.stop()
    await ended
    return sink.state().lastError!.message
  }

  it('a store has one name, whoever asks first', async () => {
    const ids = ['a', 'b', 'c']
    const names = await Promise.all(ids.map((id) => storeIdentity(world.analytics, () => id)))
    expect(new Set(names).size).toBe(1)
    expect(ids).toContain(await storeIdentity(world.analytics, () => 'd'))
  })

  it('a sink goes on only in the store that has the rows before', async () => {
    await world.log.append([record(view('before'))])
    await drain()
    expect(await storesOf('page-views')).toEqual(new Set())
    await world.log.append([record(view('one'))])
    await drain({ store: 'one' })
    expect(await storesOf('page-views')).toEqual(new Set(['one']))

    await world.log.append([record(view('two'))])
    expect(await failureIn('other')).toMatch(/^CLICKHOUSE_URL, or DATA_DIR .* page-views\/\d+ .* make rebuild$/)
    expect(await countOf('page_views')).toBe(2)
    await drain({ store: 'one' })
    expect(await countOf('page_views')).toBe(3)
  })

  it('a sink that has joined refuses a partition that comes from a sink of another store', async () => {
    await world.log.append([record(view('one'))])
    await drain({ store: 'one' })
    await world.log.append([record(view('two'))])
    // As if the other sink had committed only after this one joined.
    const unnamed = ({ metadata, ...commit }: Commit): Commit => {
      const { store: _, ...state } = decodeOffsetMetadata({ metadata })
      return { ...commit, metadata: encodeOffsetMetadata(state) }
    }
    const late = { ...world.log, committed: async (group: string) => (await world.log.committed(group)).map(unnamed) }
    expect(await failureIn('other', late)).toContain('another store')
    expect(await countOf('page_views')).toBe(1)
  })

  it('commits that name no store, and a process that knows none, refuse nothing', () => {
    const of = (metadata: string) => [{ topic: 'page-views' as const, partition: 0, metadata }]
    expect(() => throwUnlessOneStore(of(''), 'one')).not.toThrow()
    expect(() => throwUnlessOneStore(of('{"epoch":1,"pendingLast":null,"store":"one"}'), null)).not.toThrow()
    expect(() => throwUnlessOneStore(of('{"epoch":1,"pendingLast":null,"store":"one"}'), 'two')).toThrow(OtherStore)
  })
})
