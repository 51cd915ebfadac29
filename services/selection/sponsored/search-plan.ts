import type { Filter, Lifts } from '../../../infra/product-index/port.ts'
import { phraseId } from '../../domain/auction/phrase-id.ts'
import { attributeCheck } from '../../domain/catalogue/attributes.ts'
import { synonymsOfShop } from '../../domain/catalogue/shop-synonyms.ts'
import type { PhraseLiftsView } from '../../replicas/lifts-follower.ts'
import type { Plan } from '../algorithms/algorithm.ts'
import { algorithms } from '../algorithms/algorithms.ts'
import type { Candidate } from '../candidates/candidate.ts'
import type { CandidateList, CandidateQuery, CandidateSource } from '../candidates/candidates.ts'
import { deliverable } from '../candidates/filters.ts'
import { DEADLINE_EXCEEDED, type Deadline } from '../deadline.ts'
import type { CampaignKind, Campaigns } from '../eligibility/campaigns.ts'
import { phraseOf } from '../searched-phrase.ts'
import { campaignKindsOf, type Slot } from '../slots.ts'

export interface SearchDeps {
  source: CandidateSource
  campaigns: Campaigns
  lifts: PhraseLiftsView
}

type AttributeFilter = Extract<Filter, { kind: 'attribute' }>

/** What to search for on behalf of a slot. */
export interface SearchPlan {
  slot: Slot
  plan: Plan
  /** In the order that they take places: paid ads first. */
  campaignKinds: readonly CampaignKind[]
  /** Candidates to ask for at first. */
  limit: number
  /** The first candidates, for the first kind of campaigns: the index is asked as soon as the plan is made. */
  first: Promise<CandidateList | typeof DEADLINE_EXCEEDED>
}

/**
 * How many candidates are asked for at first, the best by rank in the auction: 16 for 4 ads, which is enough for what dedupe
 * and caps usually remove. Every candidate that is asked for and not shown costs time in every request.
 */
const CANDIDATES_SPARE = 8
const CANDIDATES_PER_PLACE = 2

/** Rounded up to a power of two, so that requests for a few more or fewer ads share cached lists. */
function candidatesFor(places: number): number {
  return 2 ** Math.ceil(Math.log2(CANDIDATES_SPARE + CANDIDATES_PER_PLACE * places))
}

/**
 * Plans the search of a slot, and starts it. `placesBefore`: the places of earlier slots in the request, which may take the
 * best candidates.
 */
export async function planSearch(
  slot: Slot,
  placesBefore: number,
  deadline: Deadline,
  deps: SearchDeps,
): Promise<SearchPlan | 'INACTIVE' | 'NO_REFERENCE'> {
  if (!slot.active) return 'INACTIVE'
  const { targeting } = slot
  const id = algorithms[slot.algorithm].reference(targeting)
  const reference = id === null ? [] : await referenceOf(slot.shopId, id, deadline, deps)
  if (id !== null && reference?.length === 0) return 'NO_REFERENCE'
  // When the reference product is not known in time, bestsellers are shown, which need none.
  const algorithm = reference === null ? algorithms.BESTSELLERS : algorithms[slot.algorithm]
  const plan = algorithm.plan({ targeting, lang: targeting.lang ?? slot.shop.lang, reference: reference ?? [] })
  const campaignKinds = campaignKindsOf(slot)
  // A plan with its own relevance must see all of its products: the index could cut off the most relevant ones.
  const limit = Math.max(candidatesFor(placesBefore + targeting.adCount), plan.relevance?.size ?? 0)
  const first = findCandidates({ slot, plan }, { campaignKind: campaignKinds[0]!, limit }, deadline, deps)
  return { slot, plan, campaignKinds, limit, first }
}

/** Null when the index does not answer in time, and did not answer recently either. */
async function referenceOf(shopId: string, id: string, deadline: Deadline, { source }: SearchDeps) {
  const reference = await deadline.meet(source.reference(shopId, id))
  return reference === DEADLINE_EXCEEDED ? source.lastReference(shopId, id) : reference
}

/** The candidates of a plan that campaigns of one kind promote: all campaigns, or all but one. */
export async function findCandidates(
  { slot, plan }: Pick<SearchPlan, 'slot' | 'plan'>,
  { campaignKind, limit, except }: { campaignKind: CampaignKind; limit: number; except?: string },
  deadline: Deadline,
  { source, campaigns, lifts }: SearchDeps,
): Promise<CandidateList | typeof DEADLINE_EXCEEDED> {
  const query: CandidateQuery = {
    shopId: slot.shopId,
    filters: [...deliverable(slot.targeting, slot.country), ...plan.filters],
    rank: plan.rank,
    synonyms: synonymsOfShop(slot.shop),
    lifts: liftsOf(slot, lifts),
    limit,
    campaigns: campaigns.running(slot.shopId, campaignKind, except),
  }
  const found = await deadline.meet(source.find(query))
  const list = found === DEADLINE_EXCEEDED ? await source.fallback(query) : found
  if (list === null) return DEADLINE_EXCEEDED
  const attributes = plan.filters.filter((filter) => filter.kind === 'attribute')
  return plan.notTitle === undefined && plan.relevance === undefined && attributes.length === 0
    ? list
    : { ...list, candidates: refined(plan, attributes, list) }
}

/** How the phrase searched for changes the click rates of products. */
function liftsOf(slot: Slot, lifts: PhraseLiftsView): Lifts | undefined {
  const phrase = lifts.hasAny(slot.shopId) ? phraseOf(slot) : null
  return phrase === null ? undefined : lifts.of(slot.shopId, phraseId(slot.shopId, phrase))
}

/** Applies what the index cannot: the index finds attributes in any spelling, and knows neither `notTitle` nor the plan's relevance. */
function refined(
  { notTitle, relevance }: Plan,
  attributes: readonly AttributeFilter[],
  list: CandidateList,
): Candidate[] {
  const unwanted = notTitle === undefined ? null : sameTitle(notTitle)
  const checks = attributes.map(({ name, anyOf }) => attributeCheck(name, anyOf))
  return list.candidates
    .filter(({ product }) => unwanted === null || sameTitle(product.offer.title) !== unwanted)
    .filter(({ product }) => checks.every((check) => check(product.offer)))
    .map((candidate) => {
      const { id, productId } = candidate.product.offer
      const own = relevance?.get(id) ?? relevance?.get(productId ?? id)
      return own === undefined ? candidate : { ...candidate, relevance: own }
    })
}

function sameTitle(title: string): string {
  return title.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
