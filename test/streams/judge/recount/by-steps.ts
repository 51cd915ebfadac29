import { numberOf } from '../../../../infra/counters/fingerprint.ts'
import type { CounterKey } from '../../../../infra/counters/port.ts'
import { shardOf, shardsOf } from '../../../../infra/counters/shards.ts'
import type { JudgedEvent } from '../../../../schemas/records/events.ts'
import type { Snapshot } from '../../../../services/domain/snapshot.ts'
import { BatchCounters } from '../../../../streams/judge/batch-counters.ts'
import type { Counter } from '../../../../streams/judge/counted/counter-table.ts'
import { WINDOWS_MS } from '../../../../streams/judge/counted/windows.ts'
import { acquaintanceOf, carryOut, decisionOf, type Step } from '../../../../streams/judge/step.ts'
import { chargeOf, judgingStep, termsOf, verdictWithoutCounters } from '../../../../streams/judge/verdict.ts'

/** Counts judged events one by one by repeating the steps that judged them. A recount must give the same result. */
export function countBySteps(
  events: readonly JudgedEvent[],
  { snapshot, shards, now }: { snapshot: Snapshot; shards: number; now: number },
): Record<string, number> {
  const held = new Map<string, number>()
  const nameOf = ({ shard, group, id }: CounterKey) => JSON.stringify([shard, group.name, id])
  const isForgotten = ({ group }: { group: { keptUntil: number | null } }) =>
    group.keptUntil !== null && group.keptUntil <= now

  for (const event of events) {
    if (verdictWithoutCounters(event)) continue
    const shard = shardOf(event.claims.campaignId, shards)
    const terms = termsOf(event, snapshot)!
    const isOpen = event.receivedAt > now - WINDOWS_MS
    const numbers = new BatchCounters({ source: '', own: shard, shards: shardsOf({ shards }), now: () => now })
    const step = judgingStep(event, { shard, shards }, isOpen ? terms : { ...terms, traffic: null }, numbers)
    const keyOf = (counter: Counter) => numbers.counters.keys[counter]!
    const value = (counter: Counter) => held.get(nameOf(keyOf(counter))) ?? 0
    const actor = actorOf(step) && acquaintanceOf(step.actor!, step.now, { value })
    carryOut(step, decisionOf(outcomeOf(event), actor), {
      add: (counter, amount) => {
        const key = keyOf(counter)
        if (amount !== 0 && !isForgotten(key)) held.set(nameOf(key), Math.max(0, value(counter) + amount))
      },
      tally: (window, counted, amount) => {
        const key = numbers.windows.key(window)
        const { shard, group, fingerprint } = key
        const name = JSON.stringify([shard, group.name, numberOf(fingerprint), counted])
        if (!isForgotten(key)) held.set(name, (held.get(name) ?? 0) + amount)
      },
      lower: (counter, at) => {
        const key = keyOf(counter)
        if (!isForgotten(key)) held.set(nameOf(key), Math.min(value(counter) || Number.POSITIVE_INFINITY, at))
      },
      see: (seen) => {
        const key = numbers.seen.keys[seen]!
        if (!isForgotten(key)) held.set(JSON.stringify([shard, key.group.name, numberOf(key.fingerprint), 'seen']), 1)
      },
      release: () => {},
    })
  }
  return Object.fromEntries([...held].filter(([, each]) => each !== 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const actorOf = ({ actor, acquaintances }: Step) => (acquaintances.length > 0 ? actor : null)

/** The outcome of the decision on a judged event. */
function outcomeOf(event: JudgedEvent): string {
  const { verdict, billedMicros, invalidReason, marks, type, claims } = event
  if (verdict === 'DUPLICATE') return 'SEEN'
  if (verdict !== 'VALID') return invalidReason ?? verdict
  const ended = billedMicros > chargeOf(type, claims).micros ? 'CARRIED' : 'APPLIED'
  return [ended, ...marks].join('+')
}
