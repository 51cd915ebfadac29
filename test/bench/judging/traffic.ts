/** Generated views and clicks for benchmarks of judging. */
import { randomUUID } from 'node:crypto'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'

const CAMPAIGNS = 200
const PEOPLE = 50_000

const campaigns = Array.from({ length: CAMPAIGNS }, (_, n) => ({ id: randomUUID(), isDisplay: n % 2 === 0 }))
/** One campaign in four has a frequency cap, one in two is a display campaign. */
export const snapshot = snapshotOf(
  Object.fromEntries(
    campaigns.map(({ id, isDisplay }, n) => {
      const kind = isDisplay ? 'DISPLAY' : 'SPONSORED'
      return [id, { kind, budgetMicros: 1e12, capping: n % 4 === 0 ? 20 : null }] as const
    }),
  ),
)

/**
 * The nth event: a view, or for one in ten a click, of a person whose address is in a network.
 * @param hotShare the first campaign's share of the events; with 0 all campaigns are equally busy.
 */
export function eventAt(n: number, { hotShare, occurredAt }: { hotShare: number; occurredAt: number }): AdEvent {
  const person = (n * 7_919) % PEOPLE
  const { id: campaignId, isDisplay } = campaigns[(n * 97) % 100 < hotShare * 100 ? 0 : n % CAMPAIGNS]!
  const cid = `c0ffee00-0000-4000-8000-${String(person).padStart(12, '0')}`
  const client = {
    addressHash: `address-hash-${person >> 1}`,
    networkHash: `network-hash-${person >> 6}`,
    agentHash: `agent-hash-${person >> 4}`,
  }
  return eventOf(
    { type: n % 10 === 9 ? 'CLICK' : 'VIEW', cid, occurredAt, eventId: randomUUID(), ...client },
    {
      ...{ campaignId, cid, kind: isDisplay ? 'DISPLAY' : 'SPONSORED', adId: `sku-${n % 5_000}`, priceMicros: 250_000 },
      ...{ requestId: randomUUID(), slotHash: randomUUID(), adUnitId: `unit-${n % 40}`, emittedAt: occurredAt - 2_000 },
    },
  )
}
