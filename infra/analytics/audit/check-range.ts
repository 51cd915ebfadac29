import { topics } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import type { EventLog, LogRecord } from '../../event-log/port.ts'
import type { Analytics } from '../port.ts'
import type { AuditedTopic } from './audited-topics.ts'

/** Records that one read returns at most. */
const PAGE_RECORDS = 5_000
/** Offsets whose rows one statement counts. */
export const OFFSETS_AT_ONCE = 100_000

/** Offsets of the records of a partition that became dead letters. */
export type DeadOffsets = (partition: number) => ReadonlySet<number>

export interface RangeDeps {
  log: EventLog
  analytics: Analytics
}

/** What the log and the tables hold of some offsets of a partition, record by record. */
export interface RangeCount {
  /** Records of the log. */
  records: number
  /** Records that have a row. */
  stored: number
  /** Rows beyond the one of each stored record. */
  duplicates: number
  dead: number
  /** Offsets of records that have neither a row nor a dead letter, and whose row cannot have expired. */
  missing: number[]
  /** Records without a row that are so old that it may have expired. */
  expired: number
  /** Offsets of records that have several rows. */
  repeated: number[]
}

export interface CheckedRange {
  partition: number
  from: number
  to: number
}

/** @param completeSince UTC epoch milliseconds since which the table has all its rows: `complete-since.ts`. */
export async function checkRange(
  { log, analytics }: RangeDeps,
  audited: AuditedTopic,
  { partition, from, to }: CheckedRange,
  { dead, completeSince }: { dead: DeadOffsets; completeSince: number },
): Promise<RangeCount> {
  const count: RangeCount = { records: 0, stored: 0, duplicates: 0, dead: 0, missing: [], expired: 0, repeated: [] }
  for (let at = from; at < to; at += OFFSETS_AT_ONCE) {
    const range = { partition, from: at, to: Math.min(to, at + OFFSETS_AT_ONCE) }
    const rows = await rowsByOffset(analytics, audited, range)
    for await (const record of recordsIn(log, audited, range)) {
      const { offset } = record
      const found = rows.get(offset) ?? 0
      count.records += 1
      if (found > 0) count.stored += 1
      else if (dead(partition).has(offset)) count.dead += 1
      else if (happenedAt(record) < completeSince) count.expired += 1
      else count.missing.push(offset)
      if (found > 1) count.repeated.push(offset)
      count.duplicates += Math.max(0, found - 1)
    }
  }
  return count
}

/** Counts the rows of offsets that the log no longer has. Each offset that has a row is taken for one record. */
export async function countRows(analytics: Analytics, { table, partition, offset }: AuditedTopic, range: CheckedRange) {
  const [found] = await analytics.query<{ tableRows: number; stored: number }>(
    `SELECT count() AS tableRows, uniqExact(${offset}) AS stored FROM ${table} WHERE ${inRange({ partition, offset })}`,
    { ...range },
  )
  return found!
}

async function rowsByOffset(analytics: Analytics, { table, partition, offset }: AuditedTopic, range: CheckedRange) {
  const found = await analytics.query<{ at: number; tableRows: number }>(
    `SELECT ${offset} AS at, count() AS tableRows FROM ${table} WHERE ${inRange({ partition, offset })} GROUP BY at`,
    { ...range },
  )
  return new Map(found.map(({ at, tableRows }) => [at, tableRows]))
}

const inRange = ({ partition, offset }: Pick<AuditedTopic, 'partition' | 'offset'>) =>
  `${partition} = {partition:Int32} AND ${offset} >= {from:Int64} AND ${offset} < {to:Int64}`

/** The records of a range that belong in the table. */
export async function* recordsIn(
  log: EventLog,
  { topic, keys }: Pick<AuditedTopic, 'topic' | 'keys'>,
  { partition, from, to }: CheckedRange,
): AsyncGenerator<LogRecord> {
  for (let at = from; at < to; ) {
    const page = await log.read(topic, partition, at, PAGE_RECORDS)
    if (page.length === 0) return
    for (const record of page) {
      if (record.offset >= to) return
      if (!keys || keys.test(record.key ?? '')) yield record
    }
    at = page.at(-1)!.offset + 1
  }
}

/** When a record happened. Its own time is used where it can be decoded, because rows expire by that time. */
function happenedAt({ topic, value, appendedAt }: LogRecord): number {
  try {
    const record = value && (decode(topics[topic].record, value) as { occurredAt?: number; foundAt?: number })
    return record?.occurredAt ?? record?.foundAt ?? appendedAt
  } catch {
    return appendedAt
  }
}
