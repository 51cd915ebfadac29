import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type AuditFigures, audit } from '../../../infra/analytics/audit/audit.ts'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { pageView, T0 } from '../../streams/attribution/events.ts'
import { bytesOf, keyOf } from '../../streams/attribution/happenings.ts'
import { waitFor } from '../../wait-for.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from '../event-log/kafka-tools.ts'

/** The brokers' minimum. */
const SESSION_TIMEOUT_MS = 6_000
const PARTITIONS = 4
const APPENDED_AT_ONCE = 20
const APPEND_EVERY_MS = 100
const PATIENCE_MS = 200_000

/** A process that runs a sink. */
export interface SinkProcess {
  readonly process: ChildProcess
  /** What it has printed: the outcomes of calls that ended after it was woken. */
  said(): string
  isStopped(): boolean
  kill(): Promise<void>
  /** Lets it leave its group, or kills it if it is stopped. */
  end(): Promise<void>
}

/** Sinks in separate processes, on real Kafka and ClickHouse, under a load of page views. */
export interface Sinks {
  /** @param place where the sink stops itself: `before`, `during` or `after` one of its calls. */
  start(place?: string): SinkProcess
  /** Resolves when everything appended before the call is committed as stored. */
  untilAllStored(): Promise<void>
  /** The number of records appended so far, of records that have a row, and of rows. */
  count(): Promise<{ appended: number; stored: number; rows: number }>
  /** The audit's figures of the topic. */
  audited(): Promise<AuditFigures>
  stopLoad(): Promise<void>
  /** Ends all sinks, or all but one. The log and the tables stay. */
  end(but?: SinkProcess): Promise<void>
  isAnyBeside(sink: SinkProcess): boolean
  remove(): Promise<void>
}

/** By default uses the broker that all suites share. */
export async function openSinks({
  brokers = addresses.kafkaBrokers as readonly string[],
  replicationFactor = 1,
} = {}): Promise<Sinks> {
  const namespace = testNamespace()
  const logger = { warn() {} }
  await migrateKafka({ brokers, clientId: 'test', namespace, replicationFactor, partitions: PARTITIONS, logger })
  await migrateClickHouse({ url: addresses.clickhouseUrl, namespace })
  const timeoutMs = PATIENCE_MS
  const log = connectKafkaEventLog({ brokers, clientId: 'test', namespace, logger, now: Date.now, timeoutMs })
  const analytics = connectClickHouse({ url: addresses.clickhouseUrl, namespace })
  const sinks = new Set<SinkProcess>()
  let appended = 0
  let loading = true

  async function load(): Promise<void> {
    while (loading) {
      const views = Array.from({ length: APPENDED_AT_ONCE }, (_, i) => {
        const value = pageView({ id: `v${appended + i}`, cid: `c${i}`, uid: null, at: T0 })
        return { topic: 'page-views', value } as const
      })
      await log.append(views.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
      appended += views.length
      await delay(APPEND_EVERY_MS)
    }
  }
  const loaded = load()

  function start(place = 'nowhere'): SinkProcess {
    const args = [new URL('./sink.child.ts', import.meta.url).pathname, namespace, String(SESSION_TIMEOUT_MS), place]
    const env = { ...process.env, KAFKA_BROKERS: brokers.join(',') }
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
    let text = ''
    started.stdout.setEncoding('utf8').on('data', (some: string) => {
      text += some
    })
    async function signal(name: NodeJS.Signals): Promise<void> {
      sinks.delete(sink)
      const ended = once(started, 'exit')
      started.kill(name)
      await ended
    }
    const sink: SinkProcess = {
      process: started,
      said: () => text,
      // State T in /proc: stopped by a signal.
      isStopped: () => / T /.test(readFileSync(`/proc/${started.pid}/stat`, 'utf8')),
      kill: () => signal('SIGKILL'),
      end: () => signal(sink.isStopped() ? 'SIGKILL' : 'SIGTERM'),
    }
    sinks.add(sink)
    return sink
  }

  async function untilAllStored(): Promise<void> {
    const ends = (await log.bounds('page-views')).filter(({ end }) => end > 0)
    await waitFor(async () => {
      const commits = (await log.committed(SINK_GROUP)).filter(({ topic }) => topic === 'page-views')
      const offsets = new Map(commits.map(({ partition, offset }) => [partition, offset]))
      return ends.every(({ partition, end }) => (offsets.get(partition) ?? 0) >= end)
    }, PATIENCE_MS)
  }

  const stopLoad = () => {
    loading = false
    return loaded
  }
  const end = async (but?: SinkProcess) => {
    await Promise.all([...sinks].filter((sink) => sink !== but).map((sink) => sink.end()))
  }
  return {
    start,
    untilAllStored,
    async count() {
      const [found] = await analytics.query<{ stored: number; rows: number }>(
        'SELECT uniqExact(_partition, _offset) AS stored, count() AS rows FROM page_views',
      )
      return { appended, ...found! }
    },
    async audited() {
      const { topics } = await audit({ log, analytics, now: Date.now })
      return topics.find(({ topic }) => topic === 'page-views')!
    },
    stopLoad,
    end,
    isAnyBeside: (sink) => [...sinks].some((each) => each !== sink),
    async remove() {
      await Promise.all([stopLoad(), end()])
      await Promise.all([log.close(), analytics.close()])
      await Promise.all([removeKafkaNamespace(namespace, brokers), removeDatabase(addresses.clickhouseUrl, namespace)])
    },
  }
}

/** Takes over from a frozen sink: once it is frozen, lets another one take over and go on, wakes the first, and lets both go on. */
export async function takeOverAndWake(sinks: Sinks, { frozen, woken }: Freeze): Promise<void> {
  await waitFor(frozen.isStopped, PATIENCE_MS)
  if (!sinks.isAnyBeside(frozen)) sinks.start()
  await sinks.untilAllStored()
  frozen.process.kill('SIGCONT')
  await waitFor(() => woken.test(frozen.said()), PATIENCE_MS)
  await sinks.untilAllStored()
}

export interface Freeze {
  frozen: SinkProcess
  /** What it prints once the call at which it was frozen, or the call after that, has ended. */
  woken: RegExp
}

/** Leaves a batch that was opened but not stored. */
export async function leaveInDoubt(sinks: Sinks): Promise<void> {
  await sinks.end()
  const first = sinks.start('after open')
  await waitFor(first.isStopped, PATIENCE_MS)
  await first.kill()
}

/** The places where a sink may be frozen, and what it prints when it wakes up after another one has taken over. */
export const freezesOfStore: readonly (readonly [string, RegExp])[] = [
  ['before open', /^open Revoked/m],
  ['during open', /^open /m],
  ['after open', /^insert AnalyticsFenced/m],
  ['before insert', /^insert AnalyticsFenced/m],
  ['during insert', /^insert /m],
  ['after insert', /^close Revoked/m],
  ['before close', /^close Revoked/m],
  ['during close', /^close /m],
  ['after close', /^close done/m],
]
/** The same for a sink that is recovering a batch of its predecessor. */
export const freezesOfRecovery: readonly (readonly [string, RegExp])[] = [
  ['before raise', /^raise done/m],
  ['during raise', /^raise done/m],
  ['after raise', /^look done/m],
  ['before look', /^look done/m],
  ['after look', /^(insert AnalyticsFenced|close Revoked)/m],
]
