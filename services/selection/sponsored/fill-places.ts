import { shuffledHash } from '../../domain/auction/auction.ts'
import type { ChoosingContext } from '../ad-chooser.ts'
import { type AwardOptions, award, giveBack } from '../budget/allocate.ts'
import type { Candidate } from '../candidates/candidate.ts'
import type { CandidateList, CandidateSource } from '../candidates/candidates.ts'
import { findCandidates, type SlotPlan } from '../candidates/plan-slot.ts'
import type { CampaignKind, Campaigns } from '../eligibility/campaigns.ts'
import type { Round, SlotEntry } from '../fill-slot.ts'
import { LATE } from '../http/deadline.ts'

/** A product of a campaign that competes for a slot. */
export interface ProductEntry extends SlotEntry {
  candidate: Candidate
}

export interface SponsoredDeps {
  source: CandidateSource
  campaigns: Campaigns
}

type FillContext = ChoosingContext & SponsoredDeps

/** Which places are given, and among whose products. */
interface Places extends AwardOptions {
  planned: SlotPlan
  kind: CampaignKind
}

/** A cut list that does not do grows by this factor, up to the maximum. */
const CANDIDATES_GROWTH = 4
const CANDIDATES_MAX = 2000
const longer = (limit: number) => Math.min(limit * CANDIDATES_GROWTH, CANDIDATES_MAX)

/** Asks for more candidates as long as too few of those found may be shown and there are more. */
export async function fillPlaces(
  planned: SlotPlan,
  kind: CampaignKind,
  open: { places: number; taken: ReadonlySet<string> },
  context: FillContext,
): Promise<Round<ProductEntry>> {
  const { shop } = planned.slot
  // Self-promotion is free.
  const reserveMicros = kind === 'PAID' ? shop.reserveCpcMicros : 0
  const places: Places = { ...open, planned, kind, shop, reserveMicros, pricing: 'SECOND_PRICE' }
  let { limit } = planned
  let list = await (kind === planned.kinds[0] ? planned.first : findCandidates(planned, { kind, limit }, context))
  if (list === LATE) return { ads: [], dropped: [], candidates: 0, late: true }
  let round = await awardAmong(list, places, context)
  while (round.ads.length < open.places && !round.late && list.truncated && limit < CANDIDATES_MAX) {
    limit = longer(limit)
    const found = await findCandidates(planned, { kind, limit }, context)
    if (found === LATE) return { ...round, late: true }
    list = found
    giveBack(round.ads, shop, context)
    round = await awardAmong(list, places, context)
  }
  return kind === 'PAID' && list.truncated ? amongRivals(list, round, places, context) : round
}

/**
 * A cut list may end before the bid that sets a price: what is left on it below the last winners is all of one campaign.
 * Then its competitors alone are sought, and the places are given anew among all.
 */
async function amongRivals(
  list: CandidateList,
  round: Round<ProductEntry>,
  places: Places,
  context: FillContext,
): Promise<Round<ProductEntry>> {
  const { planned, kind, shop } = places
  for (let limit = planned.limit; ; limit = longer(limit)) {
    const uncontested = round.ads.find((ad) => !ad.isContested)
    if (!uncontested || round.late) return round
    const except = uncontested.entry.campaignId
    const rivals = await findCandidates(planned, { kind, limit, except }, context)
    // How well a stand-in fits is not known.
    if (rivals === LATE || rivals.isStandby) return round
    const all = joinedLists(list, rivals)
    if (all.candidates.length > list.candidates.length) {
      list = all
      giveBack(round.ads, shop, context)
      round = await awardAmong(list, places, context)
    }
    if (!rivals.truncated || limit >= CANDIDATES_MAX) return round
  }
}

/** Two lists of one rank as one. */
function joinedLists(first: CandidateList, second: CandidateList): CandidateList {
  const bestFit = Math.max(first.bestFit, second.bestFit)
  const keyOf = ({ product: { offer } }: Candidate) => `${offer.feedId}/${offer.id}`
  const known = new Set(first.candidates.map(keyOf))
  const scaled = ({ candidates, bestFit: own }: CandidateList) =>
    own === bestFit ? candidates : candidates.map((each) => ({ ...each, relevance: (each.relevance * own) / bestFit }))
  const added = scaled(second).filter((each) => !known.has(keyOf(each)))
  return { ...first, bestFit, candidates: [...scaled(first), ...added] }
}

async function awardAmong(
  { candidates, isStandby }: CandidateList,
  places: Places,
  context: FillContext,
): Promise<Round<ProductEntry>> {
  const { entries, dropped } = enter(candidates, places, context)
  const { ads, late, ...awarded } = await award(entries, places, context)
  return {
    ads,
    dropped: [...dropped, ...awarded.dropped],
    candidates: candidates.length,
    late: late || isStandby === true,
  }
}

/** Every campaign of this kind with every candidate that it promotes, and those of them that money keeps out. */
function enter(candidates: readonly Candidate[], { kind, shop }: Places, context: FillContext) {
  const entries: ProductEntry[] = []
  const dropped: Round<ProductEntry>['dropped'] = []
  for (const candidate of candidates) {
    if (candidate.expiresAt <= context.now) continue
    for (const { campaign, hash } of candidate.promotions) {
      if (campaign.kind !== kind || campaign.body === null) continue
      const standing = context.campaigns.standing(campaign, shop, context.now)
      if (standing.out === 'NOT_RUNNING') continue
      const entry: ProductEntry = {
        campaignId: campaign.id,
        adId: candidate.adId,
        itemGroupId: candidate.product.offer.itemGroupId,
        campaign: campaign.body,
        candidate,
        dedupeKey: candidate.dedupeKey,
        relevance: candidate.relevance,
        clickRate: candidate.clickRate,
        likelihood: candidate.clickRate,
        quality: candidate.relevance * candidate.clickRate,
        bidMicros: standing.bidMicros,
        tie: shuffledHash(hash, context.tieSeed),
      }
      if (standing.out === null) entries.push(entry)
      else dropped.push({ entry, reason: standing.out })
    }
  }
  return { entries, dropped }
}
