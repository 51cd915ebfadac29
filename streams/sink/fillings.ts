import type { StreamCounts } from '../../infra/analytics/audit/counts.ts'
import type { Assignment, LogRecord } from '../../infra/event-log/port.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'
import type { StoredTopic } from './rows.ts'

/** What the sink has read and not stored yet, and when it is to be stored. */

/** A batch is stored once it has this many records or bytes. Batches stored together have no more in total, unless a single one has. */
export const BATCH_RECORDS = 20_000
const BATCH_BYTES = 16 * 1024 * 1024
/** All batches are stored once the oldest has waited this long, so that they share inserts, commits and a turn of attribution. */
export const BATCH_AGE_MS = 1_000
/**
 * Once this many records are unstored, the next are probably on their way from the broker, so the sink waits only shortly for them, and
 * no longer than `BATCH_AGE_MS` in all.
 */
const BACKLOG_RECORDS = 4_000
const BACKLOG_GATHER_MS = 20
/** Buffered bytes of all partitions. Once they reach this, the largest batch is stored early. */
const BUFFERED_MAX_BYTES = 64 * 1024 * 1024
/** An insert names its batches in its URL, of which proxies accept 8 KiB. */
const BATCHES_PER_STORE_MAX = 64

/** A batch that is being filled with records read under one assignment. */
export interface Filling {
  topic: StoredTopic
  partition: number
  assignment: Assignment
  epoch: number
  /** Counts of everything stored before these records. */
  counts: StreamCounts
  records: LogRecord[]
  bytes: number
  /** When its first record was read. */
  begunAt: number
}

/** @param batchAgeMs how long the oldest record may wait now, as long as there is no backlog. */
export function createFillings({ now, batchAgeMs }: { now: () => number; batchAgeMs: () => number }) {
  const fillings = new Map<string, Filling>()

  /** Batches that have records. */
  const unstored = (): Filling[] => [...fillings.values()].filter(({ records }) => records.length > 0)

  const oldestAgeMs = () => Math.max(...unstored().map(({ begunAt }) => msSince(begunAt, now())))

  const isBacklog = () => unstored().reduce((sum, { records }) => sum + records.length, 0) >= BACKLOG_RECORDS

  return {
    unstored,
    at: (place: Pick<Filling, 'topic' | 'partition'>): Filling | undefined => fillings.get(placeOf(place)),
    set: (filling: Filling): unknown => fillings.set(placeOf(filling), filling),
    delete: (place: Pick<Filling, 'topic' | 'partition'>): unknown => fillings.delete(placeOf(place)),
    clear: (): void => fillings.clear(),

    add(filling: Filling, records: readonly LogRecord[]): void {
      if (records.length === 0) return
      if (filling.records.length === 0) filling.begunAt = now()
      filling.records.push(...records)
      for (const { value } of records) filling.bytes += value?.length ?? 0
    },

    /** How long to wait for more records once a poll finds none. */
    gatherMs(): number {
      const ageMaxMs = batchAgeMs()
      return isBacklog() ? BACKLOG_GATHER_MS : Math.min(ageMaxMs, ageMaxMs - oldestAgeMs())
    },

    /**
     * The batches that are to be stored now.
     * @param isReading whether more is being read that shall be stored with them. It counts for nothing while there is a backlog.
     */
    due(isReading: boolean): Filling[] {
      const batches = unstored()
      const ageMaxMs = isBacklog() ? BATCH_AGE_MS : isReading ? Number.POSITIVE_INFINITY : batchAgeMs()
      if (batches.length > 0 && oldestAgeMs() >= ageMaxMs) return batches
      const due = batches.filter(({ records, bytes }) => records.length >= BATCH_RECORDS || bytes >= BATCH_BYTES)
      const buffered = batches.reduce((sum, { bytes }) => sum + bytes, 0)
      if (due.length > 0 || buffered < BUFFERED_MAX_BYTES) return due
      return batches.sort((a, b) => b.bytes - a.bytes).slice(0, 1)
    },
  }
}

/** Groups the batches that are stored together: by topic, the smallest first, so that slow partitions share one insert. */
export function storedTogether(batches: readonly Filling[]): Filling[][] {
  const groups: { batches: Filling[]; records: number; bytes: number }[] = []
  const inOrder = batches.toSorted((a, b) => a.topic.localeCompare(b.topic) || a.bytes - b.bytes)
  for (const batch of inOrder) {
    const group = groups.at(-1)
    const hasRoom =
      group !== undefined &&
      group.batches.length < BATCHES_PER_STORE_MAX &&
      group.records + batch.records.length <= BATCH_RECORDS &&
      group.bytes + batch.bytes <= BATCH_BYTES
    if (!hasRoom) {
      groups.push({ batches: [batch], records: batch.records.length, bytes: batch.bytes })
      continue
    }
    group.batches.push(batch)
    group.records += batch.records.length
    group.bytes += batch.bytes
  }
  return groups.map(({ batches }) => batches)
}

function placeOf({ topic, partition }: Pick<Filling, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`
}
