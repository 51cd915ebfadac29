import type { EmittedSlot } from '../../schemas/records/events.ts'
import { type Award, type AwardContext, type Entry, giveBack } from './budget/allocate.ts'
import type { CampaignKind } from './eligibility/campaigns.ts'
import type { AnySlot } from './slots.ts'

/** An ad that competes for a slot, with what is recorded of it. */
export interface SlotEntry extends Entry {
  itemGroupId: string | null
  /** In (0, 1]. */
  relevance: number
  /** Predicted; 0 where it decides nothing. */
  clickRate: number
}

export interface FilledSlot<S extends AnySlot, E extends SlotEntry> extends Omit<Award<E>, 'late'> {
  slot: S
  /** Candidates that were found. */
  candidates: number
  shortfall: EmittedSlot['shortfall']
}

/** What became of the places that ads of one kind were to fill. */
export interface Round<E extends SlotEntry> extends Award<E> {
  candidates: number
}

/** Gives so many places to campaigns of one kind; `taken`: the dedupe keys that are shown already. */
export type FillPlaces<E extends SlotEntry> = (
  kind: CampaignKind,
  options: { places: number; taken: ReadonlySet<string> },
) => Promise<Round<E>>

const KINDS: Record<NonNullable<AnySlot['targeting']['adType']>, readonly CampaignKind[]> = {
  ALL: ['PAID', 'AUTO_PROMO'],
  SPONSORED: ['PAID'],
  AUTOPROMO: ['AUTO_PROMO'],
}

/** The kinds of campaigns that a slot may show, in the order that they take places: paid ads first. */
export function kindsOf({ targeting }: AnySlot): readonly CampaignKind[] {
  return KINDS[targeting.adType ?? 'ALL']
}

/** A slot without ads. */
export function emptySlot<S extends AnySlot>(
  slot: S,
  shortfall: NonNullable<EmittedSlot['shortfall']>,
): FilledSlot<S, never> {
  return { slot, ads: [], dropped: [], candidates: 0, shortfall }
}

/** Fills a slot: paid ads first, then self-promotion. `taken`: dedupe keys that earlier slots of the request show. */
export async function fillSlot<S extends AnySlot, E extends SlotEntry>(
  slot: S,
  taken: ReadonlySet<string>,
  fillPlaces: FillPlaces<E>,
  context: AwardContext,
): Promise<FilledSlot<S, E>> {
  const { adCount, minAdCount = 0 } = slot.targeting
  const shown = new Set(taken)
  let filled: Round<E> = { ads: [], dropped: [], candidates: 0, late: false }
  for (const kind of kindsOf(slot)) {
    const places = adCount - filled.ads.length
    if (places === 0) break
    const round = await fillPlaces(kind, { places, taken: shown })
    for (const { entry } of round.ads) shown.add(entry.dedupeKey)
    filled = joined(filled, round)
  }
  const { late, ...rest } = filled
  if (rest.ads.length >= minAdCount) return { slot, ...rest, shortfall: shortfallOf(filled, adCount) }
  giveBack(rest.ads, slot.shop, context)
  const unshown = rest.ads.map(({ entry }) => ({ entry, reason: 'MIN_AD_COUNT' as const }))
  return {
    slot,
    ...rest,
    ads: [],
    dropped: [...unshown, ...rest.dropped],
    shortfall: late ? 'DEADLINE' : 'MIN_AD_COUNT',
  }
}

/** Two rounds as one. */
export function joined<E extends SlotEntry>(first: Round<E>, second: Round<E>): Round<E> {
  return {
    ads: [...first.ads, ...second.ads],
    dropped: [...first.dropped, ...second.dropped],
    candidates: first.candidates + second.candidates,
    late: first.late || second.late,
  }
}

function shortfallOf({ ads, late }: Pick<Round<SlotEntry>, 'ads' | 'late'>, adCount: number): EmittedSlot['shortfall'] {
  if (ads.length === adCount) return null
  return late ? 'DEADLINE' : 'NO_CANDIDATES'
}
