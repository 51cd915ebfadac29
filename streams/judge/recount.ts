import type { Counters, Step } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { JudgedEvent } from '../../schemas/records/events.ts'
import { decode } from '../../schemas/wire/codec.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { restoreCorrections } from './correction-steps.ts'
import { recountingStep, sourceOf, verdictWithoutCounters } from './verdict.ts'

const READ_MAX_RECORDS = 1_000

export interface RecountDeps {
  log: Pick<EventLog, 'bounds' | 'read'>
  counters: Counters
  snapshot: Snapshot
}

/**
 * Makes the counters again from what the judge wrote: the same values, and the same outcomes for the positions that it may
 * be asked again. Only while no judge runs. Resolves with the number of events read.
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
 * Counts again what counters have lost of a partition of `ad-events`, up to `upTo`, the last offset that the judge has
 * committed. Others may do the same at the same time, and a judge may go on: each position counts once.
 */
export async function restoreCounters(deps: RecountDeps, partition: number, upTo: number): Promise<void> {
  const source = sourceOf(partition)
  const [at] = await deps.counters.positions([source])
  if (at! >= upTo) return
  await recount(deps, partition, at!)
  // The last ones may have no step: bots, dead letters.
  await deps.counters.apply([], { source, after: -1, upTo })
  await restoreCorrections(deps, partition)
}

/**
 * Counts the judged events whose source offset is past `after`. `ad-events` and `judged-events` are cut alike by campaign,
 * so a partition of the one has the positions of the same partition of the other, in rising order.
 */
async function recount({ log, counters, snapshot }: RecountDeps, partition: number, after: number): Promise<number> {
  const source = sourceOf(partition)
  const { start = 0, end = 0 } = (await log.bounds('judged-events')).find((each) => each.partition === partition) ?? {}
  let events = 0
  let reached = after
  for (let from = await firstPast(log, partition, { start, end, after }); from < end; ) {
    const records = await log.read('judged-events', partition, from, READ_MAX_RECORDS)
    const last = records.at(-1)
    if (!last) break
    const judged = records.flatMap(({ value }) => (value ? [decode('JudgedEvent', value)] : []))
    const upTo = judged.at(-1)?.sourceOffset ?? reached
    await counters.apply(
      judged.flatMap((event) => stepsOf(event, snapshot)),
      { source, after: reached, upTo },
    )
    reached = upTo
    events += records.length
    from = last.offset + 1
  }
  return events
}

/** Offset in `judged-events` from which on every source offset is past `after`: by halving, since they rise. */
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
