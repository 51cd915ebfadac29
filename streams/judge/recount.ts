import type { Counters, Step } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { JudgedEvent } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { readPages } from '../runtime/pages.ts'
import { restoreCorrections } from './correction-steps.ts'
import { recountingStep, sourceOf, verdictWithoutCounters } from './verdict.ts'

export interface RecountDeps {
  log: Pick<EventLog, 'bounds' | 'read'>
  counters: Counters
  snapshot: Snapshot
}

/**
 * Empties the counters and counts all judged events again: the values are the same, and so are the outcomes of positions
 * that may be judged again. Call it only while no judge runs.
 * @returns how many events were counted.
 */
export async function rebuildCounters(deps: RecountDeps): Promise<number> {
  await deps.counters.clear()
  let events = 0
  for (const { partition } of await deps.log.bounds('judged-events')) {
    events += await recount(deps, partition, -1)
    await restoreCorrections(deps, partition)
  }
  return events
}

/**
 * Counts again what the counters have lost of a partition of `ad-events`, up to `upTo`, the last offset that the judge has
 * committed. Other processes may do the same at the same time, and a judge may run: each position counts once.
 */
export async function restoreCounters(deps: RecountDeps, partition: number, upTo: number): Promise<void> {
  const source = sourceOf(partition)
  const [at] = await deps.counters.positions([source])
  if (at! >= upTo) return
  await recount(deps, partition, at!)
  // The last positions may have no step: bots, dead letters.
  await deps.counters.apply([], { source, after: -1, upTo })
  await restoreCorrections(deps, partition)
}

/**
 * Counts the judged events whose source offset is past `after`. `ad-events` and `judged-events` are partitioned alike, by
 * campaign: a partition of the one has the positions of the same partition of the other, in rising order.
 */
async function recount({ log, counters, snapshot }: RecountDeps, partition: number, after: number): Promise<number> {
  const source = sourceOf(partition)
  const { start = 0, end = 0 } = (await log.bounds('judged-events')).find((each) => each.partition === partition) ?? {}
  let events = 0
  let reached = after
  const from = await firstPast(log, partition, { start, end, after })
  for await (const records of readPages(log, 'judged-events', partition, { from, to: end })) {
    const judged = records.flatMap(({ value }) => (value ? [decode('JudgedEvent', value)] : []))
    const upTo = judged.at(-1)?.sourceOffset ?? reached
    await counters.apply(
      judged.flatMap((event) => stepsOf(event, snapshot)),
      { source, after: reached, upTo },
    )
    reached = upTo
    events += records.length
  }
  return events
}

/** The first offset of `judged-events` whose source offset is past `after`, by binary search. */
async function firstPast(
  log: RecountDeps['log'],
  partition: number,
  { start, end, after }: { start: number; end: number; after: number },
): Promise<number> {
  let low = start
  let high = after < 0 ? start : end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [record] = await log.read('judged-events', partition, middle, 1)
    if (!record?.value || decode('JudgedEvent', record.value).sourceOffset > after) high = middle
    else low = record.offset + 1
  }
  return low
}

function stepsOf(event: JudgedEvent, snapshot: Snapshot): Step[] {
  if (verdictWithoutCounters(event)) return []
  const shop = snapshot.getEver('Shop', event.claims.shopId)
  if (!shop) throw new Error(`The registry does not know shop ${event.claims.shopId}, whose events were judged`)
  return [recountingStep(event, shop.body.timeZone)]
}
