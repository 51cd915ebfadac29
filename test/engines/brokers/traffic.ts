import { setTimeout as sleep } from 'node:timers/promises'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { type EventLog, LogUnavailable, type NewRecord, type Position } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { waitFor } from '../../wait-for.ts'
import { testNamespace } from '../addresses.ts'
import { type Member, startCopier } from '../event-log/copier.ts'
import { type BrokerCluster, REPLICAS } from './cluster.ts'

const PARTITIONS = 3
/** The number of callers that append, each with its own key. */
const KEYS = 6
const APPENDED_AT_ONCE = 10
const APPEND_EVERY_MS = 60
const WRITE_EVERY_MS = 100
const AFTER_FAILURE_MS = 100
/** The brokers' minimum. */
const SESSION_TIMEOUT_MS = 6_000
const COPIERS = 2
const COPY_MS = 10
/** The timeout of the calls that check what is stored. */
const PATIENCE_MS = 60_000
/**
 * A multiple of the time that one frozen broker may cost a group: its own session, 4 s; an answer that is waited for, 5 s; the
 * session of a member that is gone, 6 s; and the markers of transactions, 5 s.
 */
const GET_ON_WITHIN_MS = 60_000
const logger = { warn() {} }

/** A value that was given to the log, with its key. Each value is sent once: after a refusal, another one follows. */
export interface Sent {
  key: string
  value: string
  /** The position that the log acknowledged; null when the append was given up, so that it may or may not have been stored. */
  acknowledged: Position | null
}

/** Callers that append, a group that copies in transactions, an exclusive writer and a tail. All run until they are ended. */
export interface Traffic {
  readonly namespace: string
  /** A log with a long timeout, to check what is stored. */
  readonly log: EventLog
  /** The values appended to `ad-events`, for each key in the order of the calls. */
  readonly appended: readonly Sent[]
  /** The values written to `registry`, in order. */
  readonly written: readonly Sent[]
  /** The values of `registry` that the tail has received. */
  readonly tailed: readonly string[]
  readonly copiers: readonly Member[]
  /** The full name of the group that copies. */
  readonly group: string
  /** The longest time in milliseconds, since the last call, that any one caller waited for an acknowledgement. */
  longestGapMs(): number
  /** Resolves when every part has made progress: each key was appended to, a commit was made, the writer wrote, the tail read. */
  untilAllGetOn(): Promise<void>
  /** Resolves when each caller has been refused once. */
  untilRefused(): Promise<void>
  /** Kills one member of the group, and starts another one in its place. */
  replaceCopier(): void
  /** Ends the callers and the writer. Resolves when the group and the tail have processed everything. */
  pause(): Promise<void>
  resume(): void
  close(): Promise<void>
}

export async function openTraffic({ addresses }: BrokerCluster): Promise<Traffic> {
  const namespace = testNamespace()
  const shared = { brokers: addresses, clientId: 'test', namespace, logger, now: Date.now }
  await migrateKafka({ ...shared, partitions: PARTITIONS, replicationFactor: REPLICAS })
  const hasty = connectKafkaEventLog(shared)
  const log = connectKafkaEventLog({ ...shared, timeoutMs: PATIENCE_MS })
  const writer = await hasty.exclusiveWriter('registry')
  const tailed: string[] = []
  const tail = await hasty.tail('registry', (records) => {
    tailed.push(...records.map(({ value }) => value!.toString()))
  })
  const copying = { brokers: addresses, namespace, sessionTimeoutMs: SESSION_TIMEOUT_MS, workMs: COPY_MS }
  const copiers = Array.from({ length: COPIERS }, () => startCopier(copying))
  const appended: Sent[] = []
  const written: Sent[] = []
  let count = 0
  let longestGapMs = 0
  let paused = false
  let running: Promise<unknown> = Promise.resolve()

  const valuesOf = (topic: TopicName, key: string, length: number): NewRecord[] =>
    Array.from({ length }, () => ({ topic, key, value: Buffer.from(String(count++)) }))

  /** Gives new records to the log again and again. */
  async function send(
    into: Sent[],
    next: () => NewRecord[],
    { store, everyMs }: { store: EventLog['append']; everyMs: number },
  ): Promise<void> {
    let lastAt = performance.now()
    while (!paused) {
      const records = next()
      let positions: Position[] | null = null
      try {
        positions = await store(records)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
      }
      if (positions) {
        longestGapMs = Math.max(longestGapMs, performance.now() - lastAt)
        lastAt = performance.now()
      }
      for (const [index, { key, value }] of records.entries()) {
        into.push({ key: key!, value: value!.toString(), acknowledged: positions?.[index] ?? null })
      }
      await sleep(positions ? everyMs : AFTER_FAILURE_MS)
    }
  }

  function resume(): void {
    paused = false
    const appends = Array.from({ length: KEYS }, (_, index) => {
      const next = () => valuesOf('ad-events', `k${index}`, APPENDED_AT_ONCE)
      return send(appended, next, { store: hasty.append, everyMs: APPEND_EVERY_MS })
    })
    const next = () => valuesOf('registry', 'entry', 1)
    running = Promise.all([...appends, send(written, next, { store: writer.append, everyMs: WRITE_EVERY_MS })])
    running.catch(() => {})
  }

  const commits = () => copiers.flatMap(({ lines }) => lines.filter((line) => line.startsWith('committed'))).length
  const lastAcknowledged = (sent: readonly Sent[]) => sent.findLast(({ acknowledged }) => acknowledged)?.value

  async function untilAllGetOn(): Promise<void> {
    const before = { appended: appended.length, written: written.length, commits: commits() }
    const keys = () =>
      new Set(appended.slice(before.appended).flatMap(({ key, acknowledged }) => (acknowledged ? [key] : [])))
    await Promise.race([waitFor(() => keys().size === KEYS, GET_ON_WITHIN_MS), running])
    const isWritten = () => lastAcknowledged(written.slice(before.written)) !== undefined
    await Promise.race([waitFor(isWritten, GET_ON_WITHIN_MS), running])
    await waitFor(() => tailed.includes(lastAcknowledged(written)!))
    await waitFor(() => commits() > before.commits, GET_ON_WITHIN_MS)
  }

  function replaceCopier(): void {
    copiers.shift()!.process.kill('SIGKILL')
    copiers.push(startCopier(copying))
  }

  async function untilRefused(): Promise<void> {
    const before = appended.length
    const refused = () => new Set(appended.slice(before).flatMap((each) => (each.acknowledged ? [] : [each.key])))
    await Promise.race([waitFor(() => refused().size === KEYS, GET_ON_WITHIN_MS), running])
  }

  async function pause(): Promise<void> {
    paused = true
    await running
    const ends = await log.bounds('ad-events')
    await waitFor(async () => {
      const commits = await log.committed('copier')
      return ends.every(({ partition, end }) => commits.some((c) => c.partition === partition && c.offset >= end))
    }, GET_ON_WITHIN_MS)
    await waitFor(() => tailed.includes(lastAcknowledged(written)!))
  }

  return {
    namespace,
    log,
    appended,
    written,
    tailed,
    copiers,
    longestGapMs() {
      const longest = longestGapMs
      longestGapMs = 0
      return longest
    },
    group: `${namespace}.copier`,
    untilAllGetOn,
    untilRefused,
    replaceCopier,
    pause,
    resume,
    async close() {
      paused = true
      await running.catch(() => {})
      for (const { process } of copiers) process.kill('SIGKILL')
      await tail.close()
      await Promise.all([hasty.close(), log.close()])
    },
  }
}
