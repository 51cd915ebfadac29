import { numberOf } from '../../../../infra/counters/fingerprint.ts'
import type { CounterKey, SeenKey } from '../../../../infra/counters/port.ts'
import { shardOf } from '../../../../infra/counters/shards.ts'
import type { JudgedEvent } from '../../../../schemas/records/events.ts'
import type { Snapshot } from '../../../../services/domain/snapshot.ts'
import { acquaintanceOf, carryOut, type Decision, type Step } from '../../../../streams/judge/step.ts'
import { chargeOf, judgingStep, termsOf, verdictWithoutCounters } from '../../../../streams/judge/verdict.ts'
import { WINDOWS_MS, WindowIndex } from '../../../../streams/judge/windows/windows.ts'

/** Counts judged events one by one, by carrying out again the steps that have judged them: what a recount must come to. */
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
    const step = judgingStep(
      event,
      { shard, shards },
      isOpen ? terms : { ...terms, traffic: null },
      new WindowIndex(shards),
    )
    const value = (key: CounterKey) => held.get(nameOf(key)) ?? 0
    const actor = actorOf(step) && acquaintanceOf(step.actor!, step.now, { value })
    carryOut(
      step,
      { ...decisionOf(event), actor },
      {
        add: (key, amount) => {
          if (amount !== 0 && !isForgotten(key)) held.set(nameOf(key), Math.max(0, value(key) + amount))
        },
        tally: ({ current: { key } }, counted, amount) => {
          const { shard, group, fingerprint } = key
          const name = JSON.stringify([shard, group.name, numberOf(fingerprint), counted])
          if (!isForgotten(key)) held.set(name, (held.get(name) ?? 0) + amount)
        },
        lower: (key, at) => {
          if (!isForgotten(key)) held.set(nameOf(key), Math.min(value(key) || Number.POSITIVE_INFINITY, at))
        },
        see: (key: SeenKey) => {
          if (!isForgotten(key)) held.set(JSON.stringify([shard, key.group.name, numberOf(key.fingerprint), 'seen']), 1)
        },
        release: () => {},
      },
    )
  }
  return Object.fromEntries([...held].filter(([, each]) => each !== 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const actorOf = ({ actor, acquaintances }: Step) => (acquaintances.length > 0 ? actor : null)

/** The decision that a judged event was given; of the actor it tells nothing. */
function decisionOf(event: JudgedEvent): Omit<Decision, 'actor'> {
  const { verdict, billedMicros, invalidReason, marks, type, claims } = event
  if (verdict === 'DUPLICATE') return { outcome: 'SEEN' }
  if (verdict !== 'VALID') return { outcome: invalidReason ?? verdict }
  const ended = billedMicros > chargeOf(type, claims).micros ? 'CARRIED' : 'APPLIED'
  return { outcome: [ended, ...marks].join('+') }
}
