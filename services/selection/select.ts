import type { Counters } from '../../infra/counters/port.ts'
import type { Targeting } from '../../schemas/http/selection.ts'
import { hashOf } from '../domain/auction.ts'
import type { ShowIds } from '../domain/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { answerJson } from './answer.ts'
import type { Campaigns } from './campaigns.ts'
import type { CandidateSource } from './candidates.ts'
import { createDeadline } from './deadline.ts'
import { emissionOf } from './emission.ts'
import type { EmissionQueue } from './emission-queue.ts'
import { emptySlot, type FilledSlot, fillSlot } from './fill-slot.ts'
import type { Person } from './person.ts'
import { planSlot } from './plan-slot.ts'
import { resolveSlots, type Slot } from './slots.ts'

export interface SelectDeps {
  snapshot: Snapshot
  source: CandidateSource
  campaigns: Campaigns
  counters: Pick<Counters, 'read'>
  emissions: EmissionQueue
  showIds: ShowIds
  /** UTC epoch milliseconds. */
  now: () => number
  /** A clock for durations, in microseconds. */
  elapsedMicros: () => number
  uuid: () => string
  deadlineMs: number
  onSelected: (selection: { elapsedMicros: number; shortfalls: string[] }) => void
  /** An engine failed; the request is answered without what it would have given. */
  onError: (error: unknown) => void
}

export interface AdRequest {
  targeting: readonly Targeting[]
  person: Person
  decorate: boolean
}

/**
 * Answers one ad request with the JSON of the contract's envelope.
 * @throws Problem (400) when a slot is unknown, of the other kind, or lacks what its algorithm needs.
 */
export async function select(request: AdRequest, deps: SelectDeps): Promise<string> {
  const startedAt = deps.elapsedMicros()
  const now = deps.now()
  const requestId = deps.uuid()
  const slots = resolveSlots(deps.snapshot, request.targeting)
  const filled = await fillSlots(slots, request.person, requestId, now, deps)

  const answer = answerJson(filled, { ...request, showIds: deps.showIds, requestId, now })
  const elapsedMicros = Math.round(deps.elapsedMicros() - startedAt)
  deps.emissions.add(() => emissionOf(filled, { requestId, person: request.person, now, elapsedMicros }))
  deps.onSelected({ elapsedMicros, shortfalls: filled.flatMap(({ shortfall }) => shortfall ?? []) })
  return answer
}

/** Slots are planned at once and filled one after the other, so that no product is shown twice. */
async function fillSlots(slots: readonly Slot[], person: Person, requestId: string, now: number, deps: SelectDeps) {
  const deadline = createDeadline(deps)
  const context = { ...deps, deadline, person, now, tieSeed: hashOf(requestId) }
  const taken = new Set<string>()
  const filled: FilledSlot[] = []
  try {
    let placesBefore = 0
    const plans = slots.map((slot) => {
      const plan = planSlot(slot, placesBefore, context)
      placesBefore += slot.targeting.adCount
      return plan
    })
    for (const [index, slot] of slots.entries()) {
      const plan = await plans[index]!
      const result = typeof plan === 'string' ? emptySlot(slot, plan) : await fillSlot(plan, taken, context)
      for (const { entry } of result.ads) taken.add(entry.dedupeKey)
      filled.push(result)
    }
    return filled
  } finally {
    deadline.clear()
  }
}
