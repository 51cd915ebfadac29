import { setImmediate as turn } from 'node:timers/promises'
import { type Counters, CountersMoved, type ShardChange } from '../../infra/counters/port.ts'
import { shardOf, shardsOf } from '../../infra/counters/shards.ts'
import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import { HOUR_MS } from '../../schemas/durations.ts'
import { JudgedEventReader } from '../../schemas/wire/judged-event.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'
import { inSlices } from '../runtime/slices.ts'
import { NOTHING_COUNTED, readNote, retryWhenMoved, sourceOf } from './batch-counters.ts'
import { noteWithoutDecisions, standsBy } from './batch-note.ts'
import { restoreCorrections } from './correction-steps.ts'
import { WINDOWS_MS } from './counted/windows.ts'
import { stretchOf } from './recount/begin.ts'
import { type CountedCampaign, countEvent, isCounted, isInWindow } from './recount/count-event.ts'
import { judgedUpTo } from './recount/judged-up-to.ts'
import { PageCounts } from './recount/page-counts.ts'
import type { CountedSpend } from './spend/restore.ts'
import { createSpendRestore, type SpendRestore } from './spend/spend-restore.ts'
import { termsOf } from './verdict.ts'

/** Events that are added up before they are stored. More of them mean fewer writes per event, but longer ones. */
const PAGE_RECORDS = 20_000
/** The clocks of processes differ by less than this. */
const CLOCKS_DIFFER_MS = HOUR_MS

export interface RecountDeps {
  log: Pick<EventLog, 'bounds' | 'read' | 'committed' | 'settled'>
  counters: Counters
  snapshot: Snapshot
  /** UTC epoch milliseconds. Counters that are forgotten by now are not counted again. */
  now: () => number
}

/**
 * Empties the counters and counts all judged events again, to the same values. Call it only while no judge runs.
 * @returns how many events were counted.
 */
export async function rebuildCounters(deps: RecountDeps): Promise<number> {
  const { counters, log } = deps
  await counters.clear()
  const shards = shardsOf(counters)
  const spend = createSpendRestore(deps)
  await spend.restore(shards)
  const judged = await judgedUpTo(log)
  let events = 0
  for (const { partition } of await log.bounds('judged-events')) {
    events += await recount(deps, partition, { upTo: judged.get(partition) ?? -1, spend })
  }
  for (const shard of shards) await restoreCorrections(deps, shard, { shards, spend })
  for (const shard of shards) await counters.markComplete(shard)
  return events
}

/**
 * Counts again what the counters have lost of a partition of `ad-events`, up to `upTo`, the last offset that the judge has
 * committed. Other processes may do the same at the same time, and a judge may run: each offset counts once in each shard.
 * Refunds must be restored after all partitions are.
 */
export async function restoreCounters(
  deps: RecountDeps,
  partition: number,
  upTo: number,
  spend: SpendRestore = createSpendRestore(deps),
): Promise<void> {
  const { counters } = deps
  const { counted } = await placesOf(counters, partition, upTo)
  if (counted.every((at) => at >= upTo)) return
  await retryWhenMoved(async () => {
    await spend.restore(shardsOf(counters).filter((shard) => counted[shard]! < upTo))
    await recount(deps, partition, { upTo, spend })
  })
}

/**
 * Counts the judged events that some shard has not counted, all up to the judge's commit `upTo`. `ad-events` and `judged-events` are
 * partitioned alike, by campaign: a partition of `judged-events` names the offsets of the same partition of `ad-events`, in rising
 * order. Each event is counted in the shard of its campaign. That is the shard of another partition if the event is from when there
 * were fewer.
 *
 * What an event has changed follows from its verdict, so no counters are read, with one exception: while the windows that count
 * people are still open, newcomers must be told from known people. The next page is read and decoded while the previous one is stored.
 */
async function recount(
  deps: RecountDeps,
  partition: number,
  { upTo: committedUpTo, spend }: { upTo: number; spend: SpendRestore },
): Promise<number> {
  const { log, counters } = deps
  await log.settled('judged-events')
  const [spentUpTo] = (await spend.restore([partition])) as [number]
  const places = await placesOf(counters, partition, committedUpTo)
  let { positions } = places
  if (positions[partition]! < spentUpTo) throw new CountersMoved('Lost again while the spend was being restored')
  const spent = await spend.counted(shardsOf(counters))
  const stretch = await stretchOf(log, deps.snapshot, { partition, positions: places.counted, spent, now: deps.now() })
  const campaignFor = campaignsOf(deps, partition, spent)
  const event = new JudgedEventReader()
  const source = sourceOf('ad-events', partition)
  let events = 0
  let stored: Promise<unknown> = Promise.resolve()
  for await (const records of readAhead(log, partition, stretch)) {
    const page = new PageCounts({ positions, now: deps.now() })
    // The values are of the same moment as the positions, unless somebody else counts too: then the store fails.
    if (await expectPeople(records, event, page)) {
      await stored
      await loadPeople(counters, source, page)
    }
    await inSlices(records, ({ value }) => {
      if (value && isCounted(event.read(value))) countEvent(event, campaignFor(event), page)
    })
    const upTo = lastOffsetOf(records, event)
    if (upTo === null) continue
    await stored
    stored = storeAll(counters, withNote(page.changes(source, upTo), partition))
    // The store is awaited before the next page is stored. Until then, its failure must not count as unhandled.
    stored.catch(() => {})
    positions = positions.map((at) => Math.max(at, upTo))
    events += records.length
  }
  await stored
  await moveTo(committedUpTo, { counters, partition, positions })
  return events
}

/** Finds the campaign of an event, with the checkpoint that its spend was restored from. */
function campaignsOf(
  { counters, snapshot }: RecountDeps,
  partition: number,
  spent: readonly CountedSpend[],
): (event: JudgedEventReader) => CountedCampaign {
  const campaigns = new Map<string, CountedCampaign>()
  return ({ campaignId, shopId }) => {
    const known = campaigns.get(campaignId)
    if (known?.shopId === shopId) return known
    const terms = termsOf({ claims: { campaignId, shopId } }, snapshot)
    if (!terms) throw new Error(`The registry does not know campaign ${campaignId}, whose events were judged`)
    const shard = shardOf(campaignId, counters.shards)
    const campaign = { shopId, shard, hasMoved: shard !== partition, terms, spent: spent[shard]!.get(campaignId) }
    campaigns.set(campaignId, campaign)
    return campaign
  }
}

/** Asks for the people in windows that are still open, to tell newcomers from known people. @returns whether there are any. */
async function expectPeople(
  records: readonly LogRecord[],
  event: JudgedEventReader,
  { people, now }: PageCounts,
): Promise<boolean> {
  // No event is appended before it is received, except by clocks that differ.
  if (records.at(-1)!.appendedAt < now - WINDOWS_MS - CLOCKS_DIFFER_MS) return false
  await inSlices(records, ({ value }) => {
    if (!value) return
    const { type, verdict, hasAddress } = event.read(value)
    if (type !== 'VIEW' || verdict !== 'VALID' || !hasAddress || !isInWindow(event, now)) return
    people.expect(event.cid, event.receivedAt)
  })
  return people.keys.length > 0
}

async function loadPeople(counters: Counters, source: string, { people }: PageCounts): Promise<void> {
  const places = [
    ...Map.groupBy(
      people.keys.map((key, at) => ({ key, at })),
      ({ key }) => key.shard,
    ),
  ]
  const loaded = await counters.load(
    places.map(([shard, keys]) => ({
      shard,
      source,
      after: -1,
      keys: keys.map(({ key }) => key),
      tallies: [],
      seen: [],
    })),
  )
  const values: number[] = []
  for (const [i, [, keys]] of places.entries()) {
    for (const [j, { at }] of keys.entries()) values[at] = loaded[i]!.values[j]!
  }
  people.take(values)
}

/** Begins one store after the other, so that the event loop gets turns in between. */
async function storeAll(counters: Counters, changes: readonly ShardChange[]): Promise<void> {
  const stores: Promise<void>[] = []
  for (const change of changes) {
    const store = counters.store(change)
    store.catch(() => {})
    stores.push(store)
    await turn()
  }
  await Promise.all(stores)
}

/** Pages of judged events, each from many reads. The next page is read while the current one is counted. */
async function* readAhead(
  log: RecountDeps['log'],
  partition: number,
  { from, to }: { from: number; to: number },
): AsyncGenerator<LogRecord[]> {
  const pages = readPages(log, 'judged-events', partition, { from, to, pageRecords: PAGE_RECORDS })
  const gather = async () => {
    const records: LogRecord[] = []
    while (records.length < PAGE_RECORDS) {
      const { value, done } = await pages.next()
      if (done) break
      for (const record of value) records.push(record)
    }
    return records
  }
  let next = gather()
  for (;;) {
    const records = await next
    if (records.length === 0) return
    next = gather()
    next.catch(() => {})
    yield records
  }
}

/** The offset in `ad-events` of the last judged event; null when there is none. */
function lastOffsetOf(records: readonly LogRecord[], event: JudgedEventReader): number | null {
  const last = records.findLast(({ value }) => value !== null)
  return last ? event.read(last.value!).sourceOffset : null
}

/**
 * Moves the shards on to `upTo`. The last offsets may have no judged event, because they became dead letters. A shard that stays
 * before them would seem to have lost something.
 */
async function moveTo(
  upTo: number,
  { counters, partition, positions }: { counters: Counters; partition: number; positions: readonly number[] },
): Promise<void> {
  const source = sourceOf('ad-events', partition)
  const behind = [...positions.entries()].filter(([, after]) => after < upTo)
  const moves = behind.map(([shard, after]): ShardChange => {
    return { shard, source, after, upTo, note: null, ...NOTHING_COUNTED }
  })
  await Promise.all(withNote(moves, partition).map((change) => counters.store(change)))
}

/** All shards are moved on together, so that of the campaigns must not keep the note of an earlier batch. */
const withNote = (changes: readonly ShardChange[], own: number): ShardChange[] =>
  changes.map((change) => (change.shard === own ? { ...change, note: ALL_COUNTED } : change))

const ALL_COUNTED = noteWithoutDecisions(null)

interface Places {
  /** The position of a partition of `ad-events` in each shard. */
  positions: readonly number[]
  /**
   * The offset up to which each shard has counted everything that concerns it. It may be beyond the position, which does not move
   * while nothing is counted in the shard.
   */
  counted: readonly number[]
}

/** @param upTo the last offset that the judge has committed. */
export async function placesOf(counters: Counters, partition: number, upTo: number): Promise<Places> {
  const source = sourceOf('ad-events', partition)
  const shards = shardsOf(counters)
  const { position, note } = await readNote(counters, { shard: partition, source })
  const positions = await counters.positions(shards.map((shard) => ({ shard, source })))
  const stands = standsBy(note, { position, upTo, shards: counters.shards })
  const reached = Math.min(position, upTo)
  const counted = positions.map((at, shard) => {
    return shard !== partition && at >= stands[shard]! ? Math.max(at, reached) : at
  })
  return { positions, counted }
}
