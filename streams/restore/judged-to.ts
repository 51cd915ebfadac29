import type { EventLog, LogRecord, PartitionBounds } from '../../infra/event-log/port.ts'
import type { AdEvent } from '../../schemas/records/events.ts'
import { type TopicName, topics } from '../../schemas/topics.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { readPages } from '../runtime/pages.ts'
import { countJudged, type EventName } from './align.ts'

/** How many offsets of each topic are looked at first. The window grows fourfold until the two topics can be aligned. */
const WINDOW_FIRST_OFFSETS = 2_000
const WINDOW_GROWTH = 4
const WINDOW_MAX_OFFSETS = 2_000_000

type Source = Pick<EventLog, 'bounds' | 'read'>

export interface JudgedTo {
  partition: number
  /** The offset in `ad-events` before which everything was judged. */
  offset: number
  /** How many offsets follow, up to the end of the partition. */
  left: number
}

/**
 * Finds out from the records of both topics how far each partition of `ad-events` was judged. Memory and time grow with the distance
 * between the ends of the two copies.
 * @throws Error when it cannot be told how far a partition was judged.
 */
export async function judgedTo(log: Source, now: number): Promise<JudgedTo[]> {
  const [events, verdicts] = await Promise.all([log.bounds('ad-events'), log.bounds('judged-events')])
  const found: JudgedTo[] = []
  for (const bounds of events) {
    const { partition, end } = bounds
    const offset = await judgedIn(log, bounds, verdicts.find((each) => each.partition === partition)!, now)
    found.push({ partition, offset, left: end - offset })
  }
  return found
}

async function judgedIn(log: Source, events: PartitionBounds, verdicts: PartitionBounds, now: number): Promise<number> {
  for (let window = WINDOW_FIRST_OFFSETS; window <= WINDOW_MAX_OFFSETS; window *= WINDOW_GROWTH) {
    const [lastEvents, lastVerdicts] = await Promise.all([
      lastOf(log, 'ad-events', events, window),
      lastOf(log, 'judged-events', verdicts, window),
    ])
    const judged = countJudged(
      lastEvents.map(({ name }) => name),
      lastVerdicts.map(({ name }) => name),
    )
    if (judged !== null) return judged === lastEvents.length ? events.end : lastEvents[judged]!.offset
    if (window < events.end - events.start || window < verdicts.end - verdicts.start) continue
    if (lastVerdicts.length === 0 || lastEvents.length === 0) return firstThatMayLackVerdict(lastEvents, events, now)
    break
  }
  throw new Error(
    `Partition ${events.partition} of ad-events and of judged-events have no event in common among their last records: so ` +
      'it is unknown what was judged. Copy both topics from their start',
  )
}

/** The first event that may lack a verdict, when there are no verdicts at all: older ones may have expired before their events. */
function firstThatMayLackVerdict(events: readonly Named[], { end }: PartitionBounds, now: number): number {
  const keptSince = now - topics['judged-events'].retentionMinMs
  return events.find(({ receivedAt }) => receivedAt >= keptSince)?.offset ?? end
}

interface Named {
  name: EventName
  offset: number
  receivedAt: number
}

/** The events in the last `window` offsets of a partition. Records that cannot be decoded are left out: they have no verdict either. */
async function lastOf(
  log: Source,
  topic: Extract<TopicName, 'ad-events' | 'judged-events'>,
  { partition, start, end }: PartitionBounds,
  window: number,
): Promise<Named[]> {
  const named: Named[] = []
  for await (const page of readPages(log, topic, partition, { from: Math.max(start, end - window), to: end })) {
    for (const record of page) {
      const event = eventOf(topic, record)
      if (!event) continue
      // The time of the event, because that of the record may be when it was copied.
      const { eventId, receivedAt } = event
      named.push({ name: `${eventId}/${receivedAt}`, offset: record.offset, receivedAt })
    }
  }
  return named
}

function eventOf(topic: Extract<TopicName, 'ad-events' | 'judged-events'>, { value }: LogRecord): AdEvent | null {
  if (value === null) return null
  try {
    return decode(topic === 'ad-events' ? 'AdEvent' : 'JudgedEvent', value)
  } catch {
    return null
  }
}

/** For each partition with a verdict, the offset of `ad-events` that the last one names. */
export async function lastJudgedOffsets(log: Source): Promise<Map<number, number>> {
  const last = new Map<number, number>()
  for (const { partition, start, end } of await log.bounds('judged-events')) {
    for (let window = WINDOW_FIRST_OFFSETS; !last.has(partition); window *= WINDOW_GROWTH) {
      const from = Math.max(start, end - window)
      for await (const page of readPages(log, 'judged-events', partition, { from, to: end })) {
        for (const { value } of page) if (value) last.set(partition, decode('JudgedEvent', value).sourceOffset)
      }
      if (from === start) break
    }
  }
  return last
}
