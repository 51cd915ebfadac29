import type { TopicName } from '../../schemas/topics.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { readLogEpoch } from '../event-log/log-epoch.ts'
import type { EventLog, LogRecord, PartitionOffset } from '../event-log/port.ts'
import type { Analytics } from './port.ts'

export interface AuditFigures {
  /** Records that the log holds. */
  logged: number
  /** Those of them that have a row. `logged` = `stored` + `deadLetters` once all is stored. */
  stored: number
  /** Rows beyond one for each of these. */
  duplicates: number
  /** Those that could not be processed. */
  deadLetters: number
  /** Age of the oldest record that is neither; 0 when there is none. */
  lagMs: number
}
export interface Audit extends AuditFigures {
  topics: (AuditFigures & { topic: TopicName })[]
}

/** A topic whose records have one row each, the columns that name a record, and which dead letters are about it. */
interface AuditedTopic {
  topic: TopicName
  /** Keys of the records that have a row; null: all have. */
  keys: RegExp | null
  /** What the rows are selected from. */
  table: string
  partition: string
  offset: string
  letters: { stream: string; topic: TopicName }[]
}

const stored = (topic: TopicName, table: string): AuditedTopic => ({
  topic,
  keys: null,
  table,
  partition: '_partition',
  offset: '_offset',
  letters: [{ stream: 'sink', topic }],
})

/**
 * Every topic that the sink stores, and `ad-events`, which count as stored when their judgement is. Two topics are left out:
 * the table of `item-groups` keeps the latest row of each product, as the log does, and rows of `security-events` expire. Events
 * that were judged before the log was restored are left out: their judgements name where they lay in the log before.
 */
export const auditedTopics: readonly AuditedTopic[] = [
  stored('emissions', 'emissions'),
  {
    topic: 'ad-events',
    keys: null,
    table: 'judged_events',
    partition: 'sourcePartition',
    offset: 'sourceOffset',
    letters: [
      { stream: 'judge', topic: 'ad-events' },
      { stream: 'sink', topic: 'judged-events' },
    ],
  },
  stored('judged-events', 'judged_events'),
  stored('corrections', 'event_corrections'),
  stored('transactions', 'transactions'),
  stored('transaction-returns', 'transaction_returns'),
  stored('page-views', 'page_views'),
  stored('feed-issues', 'feed_issues'),
  {
    ...stored(
      'registry',
      '(SELECT _partition, _offset FROM campaign_versions UNION ALL SELECT _partition, _offset FROM shop_versions)',
    ),
    keys: /^(Campaign|Shop)\//,
  },
]

const PAGE_RECORDS = 1_000

export interface AuditDeps {
  log: EventLog
  analytics: Analytics
  /** UTC epoch milliseconds. */
  now: () => number
}

/** What the log holds against what the tables hold, counted now: the log up to where it ended at the call. */
export async function audit(deps: AuditDeps): Promise<Audit> {
  const letters = await deadPositions(deps.log)
  const { judgedTo } = await readLogEpoch(deps.log)
  const topics: Audit['topics'] = []
  for (const audited of auditedTopics) {
    const from = audited.topic === 'ad-events' ? judgedTo : []
    topics.push(await auditTopic(deps, audited, { letters, from }))
  }
  const total = (figure: keyof AuditFigures) => topics.reduce((sum, each) => sum + each[figure], 0)
  return {
    logged: total('logged'),
    stored: total('stored'),
    duplicates: total('duplicates'),
    deadLetters: total('deadLetters'),
    lagMs: Math.max(...topics.map(({ lagMs }) => lagMs)),
    topics,
  }
}

async function auditTopic(
  { log, analytics, now }: AuditDeps,
  audited: AuditedTopic,
  { letters, from }: { letters: DeadPositions; from: readonly PartitionOffset[] },
) {
  const { topic, table, partition: partitionColumn, offset: offsetColumn } = audited
  const figures: Audit['topics'][number] = { topic, logged: 0, stored: 0, duplicates: 0, deadLetters: 0, lagMs: 0 }
  for (const { partition, start: first, end } of await log.bounds(topic)) {
    const start = Math.max(first, from.find((each) => each.partition === partition)?.offset ?? first)
    const [found] = await analytics.query<{ rows: number; records: number; last: number }>(
      `SELECT count() AS rows, uniqExact(${offsetColumn}) AS records, max(${offsetColumn}) AS last FROM ${table}
       WHERE ${partitionColumn} = {partition:Int32} AND ${offsetColumn} >= {start:Int64} AND ${offsetColumn} < {end:Int64}`,
      { partition, start, end },
    )
    const records = audited.keys && (await recordsOf(log, topic, { partition, start, end, keys: audited.keys }))
    const isAudited = (offset: number) => offset >= start && offset < end && (!records || records.has(offset))
    const dead = audited.letters.map((about) => ({
      about,
      offsets: [...(letters.get(key({ ...about, partition })) ?? [])],
    }))
    const lost = dead.flatMap(({ about, offsets }) =>
      offsets.filter((offset) => about.topic !== topic || isAudited(offset)),
    )
    const lostHere = dead.flatMap(({ about, offsets }) => (about.topic === topic ? offsets : []))
    figures.logged += records?.size ?? (await log.count(topic, partition, start, end))
    figures.stored += found!.records
    figures.duplicates += found!.rows - found!.records
    figures.deadLetters += lost.length
    const next = Math.max(start, found!.rows > 0 ? found!.last + 1 : 0, ...lostHere.map((offset) => offset + 1))
    const waiting = records
      ? [...records.values()].find(({ offset }) => offset >= next)
      : (await log.read(topic, partition, next, 1)).find(({ offset }) => offset < end)
    if (waiting) figures.lagMs = Math.max(figures.lagMs, now() - waiting.appendedAt)
  }
  return figures
}

interface Part {
  partition: number
  start: number
  end: number
  keys: RegExp
}
type Place = Pick<LogRecord, 'offset' | 'appendedAt'>

/** By offset, and in their order: the records that have a row. For topics small enough to be read whole. */
async function recordsOf(log: EventLog, topic: TopicName, part: Part): Promise<Map<number, Place>> {
  const places = new Map<number, Place>()
  for (let from = part.start; from < part.end; ) {
    const page = await log.read(topic, part.partition, from, PAGE_RECORDS)
    if (page.length === 0) break
    for (const { offset, appendedAt, key } of page) {
      if (offset < part.end && part.keys.test(key ?? '')) places.set(offset, { offset, appendedAt })
    }
    from = page.at(-1)!.offset + 1
  }
  return places
}

/** Offsets by the stream that gave up and the partition that they lie in. */
type DeadPositions = Map<string, Set<number>>

async function deadPositions(log: EventLog): Promise<DeadPositions> {
  const positions: DeadPositions = new Map()
  for (const { partition, start, end } of await log.bounds('dead-letters')) {
    for (let from = start; from < end; ) {
      const page = await log.read('dead-letters', partition, from, PAGE_RECORDS)
      if (page.length === 0) break
      for (const { value } of page) {
        if (value === null) continue
        const letter = decode('DeadLetter', value)
        const offsets = positions.get(key(letter)) ?? new Set()
        positions.set(key(letter), offsets.add(letter.offset))
      }
      from = page.at(-1)!.offset + 1
    }
  }
  return positions
}

function key({ stream, topic, partition }: { stream: string; topic: string; partition: number }): string {
  return `${stream}/${topic}/${partition}`
}
