import { shuffledHash } from '../domain/auction.ts'
import type { AdChooser, ChoosingContext } from './ad-chooser.ts'
import { adMembersJson, productDataJson } from './ad-json.ts'
import { award, giveBack } from './award.ts'
import type { CampaignKind, Campaigns } from './campaigns.ts'
import type { Candidate } from './candidate.ts'
import type { CandidateSource } from './candidates.ts'
import { LATE } from './deadline.ts'
import { emptySlot, fillSlot, type Round, type SlotEntry } from './fill-slot.ts'
import { findCandidates, planSlot, type SlotPlan } from './plan-slot.ts'
import type { Slot } from './slots.ts'
import { sponsoredSlots } from './sponsored-slots.ts'

/** A product of a campaign that competes for a slot. */
export interface ProductEntry extends SlotEntry {
  candidate: Candidate
}

export interface SponsoredDeps {
  source: CandidateSource
  campaigns: Campaigns
}

type FillContext = ChoosingContext & SponsoredDeps

/** When too few of a cut list may be shown, the list grows by this factor, up to the maximum. */
const CANDIDATES_GROWTH = 4
const CANDIDATES_MAX = 2000

/** Chooses sponsored products among what the product index finds. */
export function sponsoredAds(deps: SponsoredDeps): AdChooser<Slot, ProductEntry> {
  return {
    kind: 'SPONSORED',
    rules: sponsoredSlots,
    async begin(slot, placesBefore, choosing) {
      const context = { ...deps, ...choosing }
      const plan = await planSlot(slot, placesBefore, context)
      if (typeof plan === 'string') return async () => emptySlot(slot, plan)
      return (taken) => fillSlot(slot, taken, (kind, options) => fillPlaces(plan, kind, options, context), context)
    },
    membersJson({ candidate: { product } }, { adUnitId, shop }, { decorate }) {
      const decoration = decorate ? `,"productData":${productDataJson(product, shop)}` : ''
      return `"adUnitId":"${adUnitId}",${adMembersJson(product, shop)}${decoration}`
    },
  }
}

/** Asks for more candidates as long as what was found does not do and there are more. */
async function fillPlaces(
  planned: SlotPlan,
  kind: CampaignKind,
  { places, taken }: { places: number; taken: ReadonlySet<string> },
  context: FillContext,
): Promise<Round<ProductEntry>> {
  const { shop } = planned.slot
  // Self-promotion is free.
  const reserveMicros = kind === 'PAID' ? shop.reserveCpcMicros : 0
  const options = { places, pricing: 'SECOND_PRICE', reserveMicros, taken, shop } as const
  let best: Round<ProductEntry> = { ads: [], dropped: [], candidates: 0, late: false }
  for (let limit = planned.limit; ; limit = Math.min(limit * CANDIDATES_GROWTH, CANDIDATES_MAX)) {
    const isFirst = kind === planned.kinds[0] && limit === planned.limit
    const list = await (isFirst ? planned.first : findCandidates(planned, kind, limit, context))
    if (list === LATE) return { ...best, late: true }
    const { entries, dropped } = enter(list.candidates, planned.slot, kind, context)
    const awarded = await award(entries, options, context)
    best = {
      ads: awarded.ads,
      dropped: [...dropped, ...awarded.dropped],
      candidates: list.candidates.length,
      late: awarded.late || list.isStandby === true,
    }
    if (best.ads.length === places || best.late || !list.truncated || limit === CANDIDATES_MAX) return best
    giveBack(awarded.ads, shop, context)
  }
}

/** Every campaign of this kind with every candidate that it promotes, and those of them that money keeps out. */
function enter(candidates: readonly Candidate[], slot: Slot, kind: CampaignKind, context: FillContext) {
  const entries: ProductEntry[] = []
  const dropped: Round<ProductEntry>['dropped'] = []
  for (const candidate of candidates) {
    if (candidate.expiresAt <= context.now) continue
    for (const { campaign, hash } of candidate.promotions) {
      if (campaign.kind !== kind || campaign.body === null) continue
      const standing = context.campaigns.standing(campaign, slot.shop, context.now)
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
