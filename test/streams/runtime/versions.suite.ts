import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Analytics, AnalyticsFenced, type Fence, type RowBlock } from '../../../infra/analytics/port.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Stream } from '../../../streams/runtime/stream.ts'
import { samples } from '../../schemas/samples.ts'
import { eventOf, snapshotOf } from '../judge/fixtures.ts'
import { type LossyCounters, lossyCounters } from '../judge/lossy-counters.ts'
import { loadProgram, type Program } from './program-version.ts'

/** An empty log for one test. */
export interface VersionsHost {
  /** The log as a process of this version sees it. */
  connect(program: Program): EventLog
  close(): Promise<void>
}

const CAMPAIGNS = Array.from({ length: 8 }, (_, n) => `campaign-${n}`)
const silent = { info() {}, warn() {}, error() {} }
const retry = { firstMs: 5, maxMs: 50 }

/** Two versions of the program on one log: the current one, and a later one that has released one more schema. */
export function versionsSuite(open: () => Promise<VersionsHost>): void {
  let current: Program
  let later: Program
  let host: VersionsHost
  let logs: EventLog[]
  let log: EventLog
  let counters: LossyCounters
  let tables: MemoryTables
  let running: Stream[]

  beforeAll(async () => {
    current = await loadProgram()
    later = await loadProgram({ adds: ['AdEvent', 'JudgedEvent', 'Transaction'] })
  })
  beforeEach(async () => {
    host = await open()
    logs = []
    running = []
    log = connect(current)
    counters = lossyCounters(topics['ad-events'].partitions)
    tables = memoryTables()
  })
  afterEach(async () => {
    await Promise.all(running.map((stream) => stream.stop()))
    await Promise.all(logs.map((each) => each.close()))
    await host.close()
  })

  function connect(program: Program): EventLog {
    const connected = host.connect(program)
    logs.push(connected)
    return connected
  }

  function start(stream: Stream): Stream {
    running.push(stream)
    void stream.run()
    return stream
  }
  const shared = { now: Date.now, logger: silent, retry }
  const snapshot = snapshotOf(Object.fromEntries(CAMPAIGNS.map((id) => [id, {}])))
  const judge = (program: Program) =>
    start(program.createJudge({ ...shared, log: connect(program), counters, snapshot }))
  const sink = (program: Program) =>
    start(program.createSink({ ...shared, log: connect(program), analytics: tables.analytics }))

  /** Appends one click for each campaign, written by this version. */
  const click = (program: Program) =>
    log.append(
      CAMPAIGNS.map((campaignId) => ({
        topic: 'ad-events' as const,
        key: campaignId,
        value: program.encode('AdEvent', eventOf({}, { campaignId })),
      })),
    )
  const view = (id: string) =>
    log.append([{ topic: 'page-views', key: id, value: current.encode('PageView', { ...samples.PageView, id }) }])

  const recordsIn = async (topic: 'ad-events' | 'judged-events' | 'dead-letters') => {
    const counts = (await log.bounds(topic)).map(({ partition, start, end }) => log.count(topic, partition, start, end))
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }
  const untilJudged = (count: number) => expect.poll(() => recordsIn('judged-events')).toBe(count)
  const untilStored = (count: number) => expect.poll(() => tables.placesIn('judged_events').length).toBe(count)
  const pausedIn = (stream: Stream) => stream.state().paused.map(({ topic, partition }) => `${topic}/${partition}`)
  const stop = async (stream: Stream) => {
    running = running.filter((each) => each !== stream)
    await stream.stop()
  }
  async function expectEachOnce(count: number): Promise<void> {
    const places = tables.placesIn('judged_events')
    expect(places).toHaveLength(count)
    expect(new Set(places).size).toBe(count)
    expect(await recordsIn('dead-letters')).toBe(0)
  }

  describe('a later judge beside a sink of today', () => {
    it('makes the sink leave those partitions and store the rest, until a later sink takes them from it', async () => {
      await click(current)
      await view('before')
      judge(later)
      await untilJudged(8)
      const sinkOfToday = sink(current)
      const partitions = (await log.bounds('judged-events')).filter(({ end }) => end > 0)
      await expect.poll(() => pausedIn(sinkOfToday)).toHaveLength(partitions.length)
      await view('meanwhile')
      await expect.poll(() => tables.placesIn('page_views').length).toBe(2)
      expect(sinkOfToday.state()).toMatchObject({ status: 'RUNNING', outdated: true, dead: 0, failures: 0 })
      expect(tables.placesIn('judged_events')).toEqual([])

      // The current version is still running: it gives its partitions up.
      sink(later)
      await untilStored(8)
      await expect.poll(() => pausedIn(sinkOfToday)).toEqual([])
      await click(current)
      await untilStored(16)
      await expectEachOnce(16)
    })
  })

  describe('a judge of today beside a later sink', () => {
    it('loses nothing and waits for nothing', async () => {
      await click(current)
      judge(current)
      const laterSink = sink(later)
      await untilStored(8)
      expect(laterSink.state()).toMatchObject({ outdated: false, paused: [] })
      await expectEachOnce(8)
    })
  })

  describe('a later intake beside a judge of today', () => {
    it('has what lies before its events judged, and its events when a later judge takes over', async () => {
      await click(current)
      await click(later)
      const judgeOfToday = judge(current)
      await untilJudged(8)
      const partitions = (await log.bounds('ad-events')).filter(({ end }) => end > 0)
      await expect.poll(() => pausedIn(judgeOfToday)).toHaveLength(partitions.length)
      await stop(judgeOfToday)
      sink(later)
      judge(later)
      await untilStored(16)
      await expectEachOnce(16)
    })
  })

  describe('going back to the version of today', () => {
    it('goes on at once where the later version has left nothing to be done', async () => {
      await click(current)
      const [laterJudge, laterSink] = [judge(later), sink(later)]
      await untilStored(8)
      await Promise.all([stop(laterJudge), stop(laterSink)])
      await click(current)
      const [judgeOfToday, sinkOfToday] = [judge(current), sink(current)]
      await untilStored(16)
      expect([...pausedIn(judgeOfToday), ...pausedIn(sinkOfToday)]).toEqual([])
      await expectEachOnce(16)
    })

    it('waits with what only the later version can read, and gives none of it up', async () => {
      await click(current)
      const laterJudge = judge(later)
      await untilJudged(8)
      await stop(laterJudge)
      await click(current)
      judge(current)
      await untilJudged(16)
      const sinkOfToday = sink(current)
      await expect.poll(() => pausedIn(sinkOfToday).length).toBeGreaterThan(0)
      expect(await recordsIn('dead-letters')).toBe(0)
      await stop(sinkOfToday)
      sink(later)
      await untilStored(16)
      await expectEachOnce(16)
    })
  })
}

interface MemoryTables {
  analytics: Analytics
  /** The `partition/offset` of each row. */
  placesIn(table: string): string[]
}

/** Tables that know their fences and the rows of a batch that they hold, like those of ClickHouse. */
function memoryTables(): MemoryTables {
  const rows = new Map<string, Place[]>()
  const epochs = new Map<string, number>()
  const analytics = {
    async insert(table: string, block: RowBlock, { fences }: { fences: readonly Fence[] }) {
      const later = fences.find(({ scope, epoch }) => epoch < (epochs.get(scope) ?? 0))
      if (later) throw new AnalyticsFenced(`${later.scope} has gone to a later epoch`)
      rows.set(table, [...(rows.get(table) ?? []), ...placesOf(block)])
    },
    async raiseFences(fences: readonly Fence[]) {
      for (const { scope, epoch } of fences) epochs.set(scope, Math.max(epoch, epochs.get(scope) ?? 0))
    },
    async query(sql: string, { partition, first, last }: Record<'partition' | 'first' | 'last', number>) {
      const table = rows.get(/FROM (\w+)/.exec(sql)![1]!) ?? []
      return table.filter((row) => row._partition === partition && row._offset >= first && row._offset <= last)
    },
    command: async () => {},
    close: async () => {},
  } as unknown as Analytics
  return {
    analytics,
    placesIn: (table) => (rows.get(table) ?? []).map(({ _partition, _offset }) => `${_partition}/${_offset}`),
  }
}

interface Place {
  _partition: number
  _offset: number
}

/** Each row begins with the length and name of its topic, then the partition and the offset. */
function placesOf({ bytes, length }: RowBlock): Place[] {
  const rows = Buffer.from(bytes)
  const topic = rows.subarray(0, 1 + rows[0]!)
  const places: Place[] = []
  for (let start = 0; start >= 0; start = rows.indexOf(topic, start + 1)) {
    const at = start + topic.length
    places.push({ _partition: rows.readInt32LE(at), _offset: Number(rows.readBigInt64LE(at + 4)) })
  }
  if (places.length !== length) throw new Error(`found ${places.length} rows of ${length}`)
  return places
}
