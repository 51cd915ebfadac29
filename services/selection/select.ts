import { createSlices } from '../../infra/threads/slices.ts'
import type { AdKind, EmittedSlot, Shortfall } from '../../schemas/records/events.ts'
import type { AdLoad } from '../callers/request-limits.ts'
import { hashOf } from '../domain/auction/auction.ts'
import type { ShowIds } from '../domain/show-id/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { AdBid, AdSteps, CandidateBatch, CandidateSearch, Round, ShopRequest } from './ad-steps.ts'
import type { Allocator } from './allocate.ts'
import { answerJson } from './answer.ts'
import { createDeadline, DEADLINE_EXCEEDED } from './deadline.ts'
import type { CampaignKind } from './eligibility/campaigns.ts'
import { emissionOf, type FilledSlot } from './emission/emission.ts'
import type { EmissionQueue } from './emission/emission-queue.ts'
import type { EmptySearches } from './emission/empty-searches.ts'
import { signAds } from './emission/sign.ts'
import type { Parameters } from './request/parameters.ts'
import { isRefused, type RefusedSlot } from './request/targeting-reader.ts'
import { type AnySlot, campaignKindsOf, resolveSlots } from './slots.ts'

/**
 * The story of an ad request. Sponsored products and banners take the same steps; what differs is in their `AdSteps`
 * (`sponsored/sponsored-ads.ts`, `display/display-ads.ts`). Where each step is decided:
 *
 * 1. resolve the ad units: `slots.ts`
 * 2. find candidates: `sponsored/product-candidates.ts`, `display/banners.ts`
 * 3. drop the ineligible, with reasons: `eligibility/campaigns.ts`, by the rule of `domain/campaign/eligibility.ts`
 * 4. auction the places within budgets and frequency caps: `allocate.ts`, with `domain/auction/auction.ts`,
 *    `budget/budgets.ts` and `eligibility/frequency-caps.ts`
 * 5. sign what is shown: `emission/sign.ts`
 * 6. answer: `answer.ts`, and record the emission in the background: `emission/emission.ts`. A search that found nothing
 *    is recorded, too: `emission/empty-searches.ts`
 */
export interface SelectDeps {
  snapshot: Snapshot
  allocator: Allocator
  emissions: Pick<EmissionQueue, 'add'>
  emptySearches: EmptySearches
  showIds: ShowIds
  /** UTC epoch milliseconds. */
  now: () => number
  /** A clock for durations, in microseconds. */
  elapsedMicros: () => number
  uuid: () => string
  deadlineMs: number
  onSelected: (selection: { kind: AdKind; elapsedMicros: number; shortfalls: Shortfall[] }) => void
  /** Called when an engine fails. The request is answered without what the engine would have returned. */
  onError: (error: unknown) => void
}

export interface AdRequest<S extends AnySlot> extends Parameters {
  /** The slots as they were read; refused ones are answered with the reason. */
  targeting: readonly (S['targeting'] | RefusedSlot)[]
  /** Counts the request against the limits of its sender and its shops. @throws Problem RATE_LIMITED. */
  admit(loads: readonly AdLoad[]): void
}

/**
 * Answers one ad request with the JSON of the contract's envelope. Slots of several shops are treated as one request per
 * shop: each shop has its own requestId, emission and products.
 * @throws Problem (400) when no slot can be filled: each is unknown, of the other kind, or lacks what its algorithm needs.
 */
export async function select<S extends AnySlot, C extends CandidateBatch, B extends AdBid>(
  request: AdRequest<S>,
  steps: AdSteps<S, C, B>,
  deps: SelectDeps,
): Promise<string> {
  const startedAt = deps.elapsedMicros()
  const now = deps.now()
  const { person, referer, decorate } = request
  const { kind } = steps

  const slots = resolveSlots(deps.snapshot, request.targeting, steps.slotRules)
  const shops = groupByShop(slots)
  request.admit(shops.map((ofShop) => ({ shopId: ofShop[0]!.shopId, ads: adsIn(ofShop) })))

  const deadline = createDeadline({ deadlineMs: deps.deadlineMs, onError: deps.onError })
  const filled = await Promise.all(
    shops.map(async (slotsOfShop, index) => {
      const requestId = index === 0 ? request.requestId : deps.uuid()
      const ofShop: ShopRequest = { requestId, person, referer, now, tieSeed: hashOf(requestId), deadline }
      return { requestId, slots: await fillSlots(slotsOfShop, ofShop, steps, deps.allocator) }
    }),
  ).finally(deadline.clear)

  const signed = filled.flatMap(({ requestId, slots }) =>
    slots.map((slot) => ({
      ...slot,
      requestId,
      showIds: signAds(slot, { kind, requestId, person, now }, deps.showIds),
    })),
  )
  const answer = answerJson(slots, signed, { clientId: person.cid, decorate, membersJson: steps.membersJson })

  const elapsedMicros = Math.round(deps.elapsedMicros() - startedAt)
  for (const { requestId, slots } of filled) {
    deps.emissions.add(() => emissionOf(slots, { kind, requestId, person, now, elapsedMicros }))
    deps.emptySearches.note(slots, { cid: person.cid, now })
  }
  const shortfalls = filled.flatMap(({ slots }) => slots.flatMap(({ shortfall }) => shortfall ?? []))
  deps.onSelected({ kind, elapsedMicros, shortfalls })
  return answer
}

const adsIn = (slots: readonly AnySlot[]): number => slots.reduce((sum, { targeting }) => sum + targeting.adCount, 0)

/** The slots of each shop that can be filled, in the order of the request. */
function groupByShop<S extends AnySlot>(slots: readonly (S | RefusedSlot)[]): S[][] {
  const resolved = slots.filter((slot) => !isRefused(slot)) as S[]
  return [...Map.groupBy(resolved, ({ shopId }) => shopId).values()]
}

/**
 * Starts the search of all slots at once, then fills one slot after the other, so that no ad is shown twice. Between two slots
 * other requests get their turn: twenty slots of a hundred ads take a tenth of a second together.
 */
async function fillSlots<S extends AnySlot, C extends CandidateBatch, B extends AdBid>(
  slots: readonly S[],
  request: ShopRequest,
  steps: AdSteps<S, C, B>,
  allocator: Allocator,
): Promise<FilledSlot<S, B>[]> {
  const slices = createSlices()
  let placesBefore = 0
  const searches: ReturnType<typeof steps.beginSearch>[] = []
  for (const slot of slots) {
    searches.push(steps.beginSearch(slot, placesBefore, request))
    placesBefore += slot.targeting.adCount
    if (slices.isOver()) await slices.next()
  }
  const shown = new Set<string>()
  const filled: FilledSlot<S, B>[] = []
  for (const [index, slot] of slots.entries()) {
    const search = await searches[index]!
    const each: FilledSlot<S, B> =
      typeof search === 'string'
        ? { slot, ads: [], dropped: [], candidates: 0, shortfall: search }
        : await fillSlot(slot, search, shown, request, steps, allocator)
    for (const { bid } of each.ads) shown.add(bid.dedupeKey)
    filled.push(each)
    if (slices.isOver()) await slices.next()
  }
  return filled
}

/** Fills a slot: paid ads first, then self-promotion. `shownBefore`: dedupe keys that earlier slots of the request show. */
async function fillSlot<S extends AnySlot, C extends CandidateBatch, B extends AdBid>(
  slot: S,
  search: CandidateSearch<C, B>,
  shownBefore: ReadonlySet<string>,
  request: ShopRequest,
  steps: AdSteps<S, C, B>,
  allocator: Allocator,
): Promise<FilledSlot<S, B>> {
  const { adCount, minAdCount = 0 } = slot.targeting
  const taken = new Set(shownBefore)
  let filled = nothing<B>()
  for (const campaignKind of campaignKindsOf(slot)) {
    const places = adCount - filled.ads.length
    if (places === 0) break
    const round = await fillPlaces(slot, search, { campaignKind, places, taken }, request, steps, allocator)
    for (const { bid } of round.ads) taken.add(bid.dedupeKey)
    filled = joined(filled, round)
  }
  const { ads, dropped, candidates } = filled
  if (ads.length >= minAdCount) return { slot, ads, dropped, candidates, shortfall: shortfallOf(filled, adCount) }
  allocator.release(ads, slot.shop, request)
  return {
    slot,
    ads: [],
    dropped: [...ads.map(({ bid }) => ({ bid, reason: 'MIN_AD_COUNT' as const })), ...dropped],
    candidates,
    shortfall: filled.deadlineExceeded ? 'DEADLINE' : 'MIN_AD_COUNT',
  }
}

/** Gives places of a slot to ads of campaigns of one kind: finds candidates, drops the ineligible, auctions the places. */
async function fillPlaces<S extends AnySlot, C extends CandidateBatch, B extends AdBid>(
  { shop }: S,
  search: CandidateSearch<C, B>,
  { campaignKind, places, taken }: { campaignKind: CampaignKind; places: number; taken: ReadonlySet<string> },
  request: ShopRequest,
  steps: AdSteps<S, C, B>,
  allocator: Allocator,
): Promise<Round<B>> {
  const { pricing, reserveMicros } = steps.pricing(shop, campaignKind)
  const candidates = search(campaignKind, places)
  let round = nothing<B>()
  for (;;) {
    const found = await candidates.next(round)
    if (found.done) return found.value === DEADLINE_EXCEEDED ? { ...round, deadlineExceeded: true } : round
    if (steps.isCumulative) {
      allocator.release(round.ads, shop, request)
      round = nothing()
    }
    const eligible = steps.dropIneligible(found.value, shop, campaignKind, request)
    const takenNow = round.ads.length === 0 ? taken : new Set([...taken, ...round.ads.map(({ bid }) => bid.dedupeKey)])
    const left = places - round.ads.length
    const auctioned = await allocator.allocate(
      eligible.bids,
      { places: left, taken: takenNow, pricing, reserveMicros, shop },
      request,
    )
    round = joined(round, {
      ads: auctioned.ads,
      dropped: [...eligible.dropped, ...auctioned.dropped],
      candidates: eligible.candidates,
      deadlineExceeded: auctioned.deadlineExceeded || found.value.isFallback === true,
    })
  }
}

const nothing = <B extends AdBid>(): Round<B> => ({ ads: [], dropped: [], candidates: 0, deadlineExceeded: false })

/** Joins two rounds into one. */
function joined<B extends AdBid>(first: Round<B>, second: Round<B>): Round<B> {
  return {
    ads: [...first.ads, ...second.ads],
    dropped: [...first.dropped, ...second.dropped],
    candidates: first.candidates + second.candidates,
    deadlineExceeded: first.deadlineExceeded || second.deadlineExceeded,
  }
}

function shortfallOf<B extends AdBid>({ ads, deadlineExceeded }: Round<B>, adCount: number): EmittedSlot['shortfall'] {
  if (ads.length === adCount) return null
  return deadlineExceeded ? 'DEADLINE' : 'NO_CANDIDATES'
}
