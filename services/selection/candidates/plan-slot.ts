import type { Filter } from '../../../infra/product-index/port.ts'
import { carriesAttribute } from '../../domain/catalogue/attributes.ts'
import type { Plan } from '../algorithms/algorithm.ts'
import { algorithms } from '../algorithms/all.ts'
import type { CampaignKind, Campaigns } from '../eligibility/campaigns.ts'
import { kindsOf } from '../fill-slot.ts'
import { type Deadline, LATE } from '../http/deadline.ts'
import type { Slot } from '../slots.ts'
import type { Candidate } from './candidate.ts'
import type { CandidateList, CandidateQuery, CandidateSource } from './candidates.ts'
import { deliverable } from './filters.ts'

export interface IndexContext {
  source: CandidateSource
  campaigns: Campaigns
  deadline: Deadline
}

type AttributeFilter = Extract<Filter, { kind: 'attribute' }>

/** What to seek for a slot. */
export interface SlotPlan {
  slot: Slot
  plan: Plan
  /** In the order that they take places: paid ads first. */
  kinds: readonly CampaignKind[]
  /** Candidates to ask for at first. */
  limit: number
  /** Those candidates, of the first kind: the index is asked as soon as the plan is made. */
  first: Promise<CandidateList | typeof LATE>
}

/**
 * Candidates asked for at first, best by rank in the auction: 16 for 4 ads, which is enough for what dedupe and caps
 * usually turn over. What is asked for and not shown is paid for with every request.
 */
const CANDIDATES_SPARE = 8
const CANDIDATES_PER_PLACE = 2

/** Rounded up to a power of two, so that requests for more or fewer ads share what the index found. */
function candidatesFor(places: number): number {
  return 2 ** Math.ceil(Math.log2(CANDIDATES_SPARE + CANDIDATES_PER_PLACE * places))
}

/**
 * Makes the plan of a slot, and has the index begin with it. `placesBefore`: of the slots before in the request, which
 * may take the best candidates.
 */
export async function planSlot(
  slot: Slot,
  placesBefore: number,
  context: IndexContext,
): Promise<SlotPlan | 'INACTIVE' | 'NO_REFERENCE'> {
  if (!slot.active) return 'INACTIVE'
  const { targeting } = slot
  const id = algorithms[slot.algorithm].reference(targeting)
  const reference = id === null ? [] : await referenceOf(slot.shopId, id, context)
  if (id !== null && reference?.length === 0) return 'NO_REFERENCE'
  // What the reference is like is not known: what sells best has no need of it.
  const algorithm = reference === null ? algorithms.BESTSELLERS : algorithms[slot.algorithm]
  const plan = algorithm.plan({ targeting, lang: targeting.lang ?? slot.shop.lang, reference: reference ?? [] })
  const kinds = kindsOf(slot)
  // Where the plan knows relevance better than the index, none of its products may be cut off by the index's order.
  const limit = Math.max(candidatesFor(placesBefore + targeting.adCount), plan.relevance?.size ?? 0)
  const first = findCandidates({ slot, plan }, { kind: kinds[0]!, limit }, context)
  return { slot, plan, kinds, limit, first }
}

/** Null: the index does not tell in time, and has not lately. */
async function referenceOf(shopId: string, id: string, { source, deadline }: IndexContext) {
  const reference = await deadline.meet(source.reference(shopId, id))
  return reference === LATE ? source.lastReference(shopId, id) : reference
}

/** The candidates of a plan among campaigns of one kind, of all or of all but one. */
export async function findCandidates(
  { slot, plan }: Pick<SlotPlan, 'slot' | 'plan'>,
  { kind, limit, except }: { kind: CampaignKind; limit: number; except?: string },
  { source, campaigns, deadline }: IndexContext,
): Promise<CandidateList | typeof LATE> {
  const query: CandidateQuery = {
    shopId: slot.shopId,
    filters: [...deliverable(slot.targeting, slot.country), ...plan.filters],
    rank: plan.rank,
    limit,
    campaigns: campaigns.running(slot.shopId, kind, except),
  }
  const found = await deadline.meet(source.find(query))
  const list = found === LATE ? source.standby(query) : found
  if (list === null) return LATE
  const attributes = plan.filters.filter((filter) => filter.kind === 'attribute')
  return plan.notTitle === undefined && plan.relevance === undefined && attributes.length === 0
    ? list
    : { ...list, candidates: judged(plan, attributes, list) }
}

/** The index finds attributes in any spelling; what is shown carries them exactly. */
function judged(
  { notTitle, relevance }: Plan,
  attributes: readonly AttributeFilter[],
  list: CandidateList,
): Candidate[] {
  const unwanted = notTitle === undefined ? null : sameTitle(notTitle)
  return list.candidates
    .filter(({ product }) => unwanted === null || sameTitle(product.offer.title) !== unwanted)
    .filter(({ product }) => attributes.every(({ name, anyOf }) => carriesAttribute(product.offer, name, anyOf)))
    .map((candidate) => {
      const { id, productId } = candidate.product.offer
      const own = relevance?.get(id) ?? relevance?.get(productId ?? id)
      return own === undefined ? candidate : { ...candidate, relevance: own }
    })
}

function sameTitle(title: string): string {
  return title.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
