import type { Counters, Step } from '../infra/counters/port.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import { decode } from '../schemas/codec.ts'
import type { Snapshot } from '../services/domain/snapshot.ts'
import { recountingStep, verdictAtSight } from './judge-verdict.ts'

const READ_MAX_RECORDS = 1_000

/**
 * Makes the counters again from what the judge wrote: the same values, and the same outcomes for the positions that it may
 * be asked again. Only while no judge runs. Resolves with the number of events read.
 *
 * `ad-events` and `judged-events` are cut alike by campaign, so each partition has its source's positions in rising order.
 */
export async function rebuildCounters({
  log,
  counters,
  snapshot,
}: {
  log: Pick<EventLog, 'bounds' | 'read'>
  counters: Counters
  snapshot: Snapshot
}): Promise<number> {
  await counters.clear()
  let events = 0
  for (const { partition, start, end } of await log.bounds('judged-events')) {
    for (let from = start; from < end; ) {
      const records = await log.read('judged-events', partition, from, READ_MAX_RECORDS)
      const last = records.at(-1)
      if (!last) break
      await counters.apply(records.flatMap(({ value }) => (value ? stepsOf(value, snapshot) : [])))
      events += records.length
      from = last.offset + 1
    }
  }
  return events
}

function stepsOf(value: Buffer, snapshot: Snapshot): Step[] {
  const event = decode('JudgedEvent', value)
  if (verdictAtSight(event)) return []
  const shop = snapshot.getEver('Shop', event.claims.shopId)
  if (!shop) throw new Error(`The registry does not know shop ${event.claims.shopId}, whose events were judged`)
  return [recountingStep(event, shop.body.timeZone)]
}
