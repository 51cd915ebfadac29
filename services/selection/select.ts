import type { AdKind } from '../../schemas/records/events.ts'
import { hashOf } from '../domain/auction/auction.ts'
import type { ShowIds } from '../domain/show-id/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { AdChooser, ChoosingContext } from './ad-chooser.ts'
import type { Budgets } from './budget/budgets.ts'
import type { SpendView } from './budget/spend.ts'
import type { ViewCounters } from './eligibility/frequency-caps.ts'
import { emissionOf } from './emission/emission.ts'
import type { EmissionQueue } from './emission/emission-queue.ts'
import type { FilledSlot, SlotEntry } from './fill-slot.ts'
import { answerJson } from './http/answer.ts'
import { createDeadline } from './http/deadline.ts'
import type { Parameters } from './http/parameters.ts'
import { isRefused, type RefusedSlot } from './http/targeting-reader.ts'
import { type AnySlot, resolveSlots } from './slots.ts'

export interface SelectDeps {
  snapshot: Snapshot
  counters: ViewCounters
  budgets: Budgets
  spend: Pick<SpendView, 'judgeWatermark'>
  emissions: EmissionQueue
  showIds: ShowIds
  /** UTC epoch milliseconds. */
  now: () => number
  /** A clock for durations, in microseconds. */
  elapsedMicros: () => number
  uuid: () => string
  deadlineMs: number
  onSelected: (selection: { kind: AdKind; elapsedMicros: number; shortfalls: string[] }) => void
  /** An engine failed; the request is answered without what it would have given. */
  onError: (error: unknown) => void
}

export interface AdRequest<S extends AnySlot> extends Parameters {
  /** As they were read; those refused are answered with why. */
  targeting: readonly (S['targeting'] | RefusedSlot)[]
  /** Counts the request against the limits of these shops. @throws Problem RATE_LIMITED. */
  admit(shopIds: readonly string[]): void
}

/**
 * Answers one ad request with the JSON of the contract's envelope. Slots of several shops are as many requests in one: each
 * shop's has a requestId and an emission of its own, and its products are its own.
 * @throws Problem (400) when no slot can be filled: each is unknown, of the other kind, or lacks what its algorithm needs.
 */
export async function select<S extends AnySlot, E extends SlotEntry>(
  request: AdRequest<S>,
  ads: AdChooser<S, E>,
  deps: SelectDeps,
): Promise<string> {
  const startedAt = deps.elapsedMicros()
  const now = deps.now()
  const slots = resolveSlots(deps.snapshot, request.targeting, ads.rules)
  const shops = byShop(slots)
  request.admit(shops.map(([slot]) => slot!.shopId))
  const deadline = createDeadline(deps)
  const fills = await Promise.all(
    shops.map(async (slotsOfShop, index) => {
      const requestId = index === 0 ? request.requestId : deps.uuid()
      const context = { ...deps, ...request, requestId, deadline, now, tieSeed: hashOf(requestId) }
      return { requestId, filled: await fillSlots(slotsOfShop, ads, context) }
    }),
  ).finally(deadline.clear)

  const answer = answerJson(slots, fills, { ...request, ads, showIds: deps.showIds, now })
  const { kind } = ads
  const elapsedMicros = Math.round(deps.elapsedMicros() - startedAt)
  for (const { requestId, filled } of fills) {
    deps.emissions.add(() => emissionOf(filled, { kind, requestId, person: request.person, now, elapsedMicros }))
  }
  const shortfalls = fills.flatMap(({ filled }) => filled.flatMap(({ shortfall }) => shortfall ?? []))
  deps.onSelected({ kind, elapsedMicros, shortfalls })
  return answer
}

/** The slots to fill of each shop, in the order of the request. */
function byShop<S extends AnySlot>(slots: readonly (S | RefusedSlot)[]): S[][] {
  const open = slots.filter((slot) => !isRefused(slot)) as S[]
  return [...Map.groupBy(open, ({ shopId }) => shopId).values()]
}

/** Slots are begun at once and filled one after the other, so that no ad is shown twice. */
async function fillSlots<S extends AnySlot, E extends SlotEntry>(
  slots: readonly S[],
  ads: AdChooser<S, E>,
  context: ChoosingContext,
): Promise<FilledSlot<S, E>[]> {
  let placesBefore = 0
  const begun = slots.map((slot) => {
    const fill = ads.begin(slot, placesBefore, context)
    placesBefore += slot.targeting.adCount
    return fill
  })
  const taken = new Set<string>()
  const filled: FilledSlot<S, E>[] = []
  for (const fill of begun) {
    const slot = await (await fill)(taken)
    for (const { entry } of slot.ads) taken.add(entry.dedupeKey)
    filled.push(slot)
  }
  return filled
}
