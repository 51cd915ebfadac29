import PQueue from 'p-queue'
import type { Assignment, Commit, EventLog, PartitionBounds } from '../../infra/event-log/port.ts'
import { sharedCall } from '../../infra/together.ts'
import { within } from '../../infra/within.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'

/** Partitions whose oldest record is read at the same time. */
const READS_AT_ONCE = 8
/** A lag that takes longer to read is reported as it was last. Prometheus waits ten seconds for all metrics by default. */
const READ_WAIT_MS = 2_000

export interface TopicLag {
  topic: TopicName
  partition: number
  /**
   * Offsets from the oldest unprocessed record to the end; 0 when no record is left. Transaction markers and compaction gaps after
   * that record are counted too, so this is an upper bound on the number of records.
   */
  records: number
  /** Age of the oldest unprocessed record, or how far it is ahead of a clock that was set back; 0 when there is none. */
  ageMs: number
}

/** Offsets [from, end) of a partition. */
export interface Stretch {
  topic: TopicName
  partition: number
  from: number
  end: number
}

type LagLog = Pick<EventLog, 'bounds' | 'read' | 'committed'>

/** How far a group is behind, for each partition of some topics. Calls made while one is running share its answer. */
export function createTopicLag(deps: {
  log: LagLog
  group: string
  topics: readonly TopicName[]
  /** Only these partitions. */
  assigned?: () => readonly Assignment[]
  /** UTC epoch milliseconds. */
  now: () => number
}): () => Promise<TopicLag[]> {
  const { log, group, assigned } = deps
  const measure = createLagMeter(deps)
  return sharedCall(async () => {
    const only = assigned?.()
    const topics = only ? deps.topics.filter((topic) => only.some((each) => each.topic === topic)) : deps.topics
    if (topics.length === 0) return []
    const commits = await log.committed(group)
    const stretches = await Promise.all(
      topics.map(async (topic) => (await uncommitted(log, topic, commits)).map((each) => ({ topic, ...each }))),
    )
    const isWanted = ({ topic, partition }: Stretch) =>
      !only || only.some((each) => each.topic === topic && each.partition === partition)
    return measure(stretches.flat().filter(isWanted))
  })
}

/**
 * Measures the lag of unprocessed stretches. A call reads at most one record per partition. It reads none where the oldest record
 * is the same as in the previous call, or where there was none and nothing has been appended since.
 */
export function createLagMeter(deps: { log: Pick<EventLog, 'read'>; now: () => number }) {
  const { log, now } = deps
  const reads = new PQueue({ concurrency: READS_AT_ONCE })
  /** By partition: the first record at or after `from`. With `appendedAt` null, there is no record in [from, offset). */
  const known = new Map<string, { from: number; offset: number; appendedAt: number | null }>()

  async function oldestIn({ topic, partition, from, end }: Stretch) {
    if (from >= end) return null
    const key = `${topic}/${partition}`
    const remembered = known.get(key)
    if (remembered && remembered.from <= from && from <= remembered.offset) {
      const { offset, appendedAt } = remembered
      if (offset >= end) return null
      if (appendedAt !== null) return { offset, appendedAt }
    }
    // A stretch may hold no record, only transaction markers or gaps left by compaction.
    const [record = { offset: end, appendedAt: null }] = await reads.add(() => log.read(topic, partition, from, 1))
    const { offset, appendedAt } = record
    known.set(key, { from, offset, appendedAt })
    return appendedAt === null || offset >= end ? null : { offset, appendedAt }
  }

  async function lagOf(stretch: Stretch): Promise<TopicLag> {
    const { topic, partition, end } = stretch
    const oldest = await oldestIn(stretch)
    if (!oldest) return { topic, partition, records: 0, ageMs: 0 }
    return { topic, partition, records: end - oldest.offset, ageMs: msSince(oldest.appendedAt, now()) }
  }

  return (stretches: readonly Stretch[]): Promise<TopicLag[]> => Promise.all(stretches.map(lagOf))
}

/**
 * The lags that `read` resolves with. While it fails, or takes longer than two seconds, those that it resolved with last, and with
 * `staleMs` the time since then; none before the first.
 */
export function createLastKnownLag<Lag extends object>(
  read: () => Promise<Lag[]>,
  now: () => number,
): () => Promise<(Lag & { staleMs: number })[]> {
  let known: { lags: Lag[]; readAt: number } = { lags: [], readAt: now() }
  const readAgain = sharedCall(async () => {
    const lags = await read()
    known = { lags, readAt: now() }
  })
  const isLate = new Error('The lag takes too long to read')
  return async () => {
    const isKnown = await within(readAgain(), READ_WAIT_MS, () => isLate).then(
      () => true,
      () => false,
    )
    const staleMs = isKnown ? 0 : msSince(known.readAt, now())
    return known.lags.map((lag) => ({ ...lag, staleMs }))
  }
}

/** The uncommitted offsets [from, end) of each partition of a topic, for a group with these commits. */
export async function uncommitted(
  log: Pick<EventLog, 'bounds'>,
  topic: TopicName,
  commits: readonly Commit[],
): Promise<{ partition: number; from: number; end: number }[]> {
  return (await log.bounds(topic)).map(({ partition, start, end }) => {
    const commit = commits.find((each) => each.topic === topic && each.partition === partition)
    return { partition, from: Math.max(commit?.offset ?? start, start), end }
  })
}

/** Whether a topic has uncommitted records before the ends of these bounds. Offsets without a record do not count. */
export async function hasUncommitted(
  { log, topic, bounds }: { log: Pick<EventLog, 'read'>; topic: TopicName; bounds: PartitionBounds[] },
  commits: readonly Commit[],
): Promise<boolean> {
  for (const { partition, from, end } of await uncommitted({ bounds: async () => bounds }, topic, commits)) {
    const [next] = from < end ? await log.read(topic, partition, from, 1) : []
    if (next && next.offset < end) return true
  }
  return false
}
