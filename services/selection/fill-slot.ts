import type { EmittedSlot } from '../../schemas/records.ts'
import { shuffledHash } from '../domain/auction.ts'
import { type Award, type AwardContext, award, type Entry } from './award.ts'
import type { CampaignKind } from './campaigns.ts'
import type { Candidate } from './candidate.ts'
import { LATE } from './deadline.ts'
import { findCandidates, type IndexContext, type SlotPlan } from './plan-slot.ts'
import type { Slot } from './slots.ts'

/** A product of a campaign that competes for a slot. */
export interface ProductEntry extends Entry {
  candidate: Candidate
}

export interface FilledSlot extends Omit<Award<ProductEntry>, 'late'> {
  slot: Slot
  /** Candidates that the index found. */
  candidates: number
  shortfall: EmittedSlot['shortfall']
}

export interface FillContext extends IndexContext, AwardContext {
  /** Of the request: orders equals. */
  tieSeed: number
}

/** When too few of a cut list may be shown, the list grows by this factor, up to the maximum. */
const CANDIDATES_GROWTH = 4
const CANDIDATES_MAX = 2000

type Round = Pick<FilledSlot, 'ads' | 'dropped' | 'candidates'> & { late: boolean }
const NOTHING: Round = { ads: [], dropped: [], candidates: 0, late: false }

/** A slot without ads. */
export function emptySlot(slot: Slot, shortfall: NonNullable<FilledSlot['shortfall']>): FilledSlot {
  return { slot, ads: [], dropped: [], candidates: 0, shortfall }
}

/** Fills a slot: paid ads first, then self-promotion. `taken`: dedupe keys that earlier slots of the request show. */
export async function fillSlot(
  planned: SlotPlan,
  taken: ReadonlySet<string>,
  context: FillContext,
): Promise<FilledSlot> {
  const { slot } = planned
  const { adCount, minAdCount = 0 } = slot.targeting
  const shown = new Set(taken)
  let filled = NOTHING
  for (const kind of planned.kinds) {
    const places = adCount - filled.ads.length
    if (places === 0) break
    const round = await fillPlaces(planned, kind, places, shown, context)
    for (const { entry } of round.ads) shown.add(entry.dedupeKey)
    filled = {
      ads: [...filled.ads, ...round.ads],
      dropped: [...filled.dropped, ...round.dropped],
      candidates: filled.candidates + round.candidates,
      late: filled.late || round.late,
    }
  }
  if (filled.ads.length >= minAdCount) return { slot, ...filled, shortfall: shortfallOf(filled, adCount) }
  const unshown = filled.ads.map(({ entry }) => ({ entry, reason: 'MIN_AD_COUNT' as const }))
  return {
    slot,
    ...filled,
    ads: [],
    dropped: [...unshown, ...filled.dropped],
    shortfall: filled.late ? 'DEADLINE' : 'MIN_AD_COUNT',
  }
}

function shortfallOf({ ads, late }: Round, adCount: number): FilledSlot['shortfall'] {
  if (ads.length === adCount) return null
  return late ? 'DEADLINE' : 'NO_CANDIDATES'
}

/** Gives places to ads of one kind; asks for more candidates as long as what was found does not do and there are more. */
async function fillPlaces(
  planned: SlotPlan,
  kind: CampaignKind,
  places: number,
  taken: ReadonlySet<string>,
  context: FillContext,
): Promise<Round> {
  let best = NOTHING
  for (let limit = planned.limit; ; limit = Math.min(limit * CANDIDATES_GROWTH, CANDIDATES_MAX)) {
    const isFirst = kind === planned.kinds[0] && limit === planned.limit
    const list = await (isFirst ? planned.first : findCandidates(planned, kind, limit, context))
    if (list === LATE) return { ...best, late: true }
    const { entries, dropped } = enter(list.candidates, planned.slot, kind, context)
    const reserveMicros = reserveOf(planned.slot, kind)
    const awarded = await award(entries, { places, reserveMicros, taken, shop: planned.slot.shop }, context)
    best = {
      ads: awarded.ads,
      dropped: [...dropped, ...awarded.dropped],
      candidates: list.candidates.length,
      late: awarded.late || list.isStandby === true,
    }
    if (best.ads.length === places || best.late || !list.truncated || limit === CANDIDATES_MAX) return best
  }
}

/** Self-promotion is free. */
function reserveOf(slot: Slot, kind: CampaignKind): number {
  return kind === 'PAID' ? slot.shop.reserveCpcMicros : 0
}

/** Every campaign of this kind with every candidate that it promotes, and those of them that money keeps out. */
function enter(candidates: readonly Candidate[], slot: Slot, kind: CampaignKind, context: FillContext) {
  const entries: ProductEntry[] = []
  const dropped: FilledSlot['dropped'] = []
  for (const candidate of candidates) {
    if (candidate.expiresAt <= context.now) continue
    for (const { campaign, hash } of candidate.promotions) {
      if (campaign.kind !== kind || campaign.body === null) continue
      const standing = context.campaigns.standing(campaign, slot.shop, context.now)
      if (standing.out === 'NOT_RUNNING') continue
      const entry: ProductEntry = {
        campaignId: campaign.id,
        adId: candidate.adId,
        campaign: campaign.body,
        candidate,
        dedupeKey: candidate.dedupeKey,
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
