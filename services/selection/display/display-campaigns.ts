import type { Banner, Campaign } from '../../../schemas/records/entities.ts'
import { hashOf } from '../../domain/auction/auction.ts'
import { type CompiledTargeting, compileTargeting, type Page } from '../../domain/campaign/targeting.ts'
import { keysOfPage, keysOfTargeting } from '../../domain/campaign/targeting-keys.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { CampaignHandle, CampaignKind, Campaigns } from '../eligibility/campaigns.ts'
import { PostingLists } from './posting-lists.ts'

/** A banner with everything about it that does not depend on the request. */
export interface DisplayBanner {
  campaign: DisplayCampaign
  banner: Banner
  /** Orders banners with equal bids. */
  hash: number
}

/** An accepted campaign that is switched on. */
export interface DisplayCampaign {
  handle: CampaignHandle
  body: Campaign
  /** For 1000 views; 0 for self-promotion. */
  bidMicros: number
  banners: readonly DisplayBanner[]
  targeting: CompiledTargeting
  keys: ReadonlySet<string>
}

export interface DisplayQuery {
  shopId: string
  kind: CampaignKind
  country: string
  page: Page
}

/** The display campaigns of all shops, prepared when they change and not when ads are requested. */
export interface DisplayCampaigns {
  /**
   * The campaigns whose country fits and whose targeting may fit, in groups of equal bids, the highest bid first. The start
   * date and the money are not checked.
   */
  find(query: DisplayQuery): Iterable<readonly DisplayCampaign[]>
}

export function createDisplayCampaigns(deps: {
  snapshot: Snapshot
  campaigns: Pick<Campaigns, 'handle'>
  now: () => number
}): DisplayCampaigns {
  const { snapshot, campaigns, now } = deps
  const known = new Map<string, DisplayCampaign>()
  /** Keyed by shop, country and kind. */
  const markets = new Map<string, PostingLists<DisplayCampaign>>()
  /** When the next known campaign ends. */
  let nextEndAt = Number.POSITIVE_INFINITY
  /** When ended campaigns were last dropped. */
  let droppedAt = Number.NEGATIVE_INFINITY

  function marketOf(shopId: string, country: string, kind: CampaignKind): PostingLists<DisplayCampaign> {
    const key = `${shopId} ${country} ${kind}`
    const market = markets.get(key) ?? new PostingLists<DisplayCampaign>()
    markets.set(key, market)
    return market
  }

  const homeOf = ({ shopId, country, autoPromo }: Campaign) =>
    marketOf(shopId, country!, autoPromo ? 'AUTO_PROMO' : 'PAID')

  function forget(id: string) {
    const campaign = known.get(id)
    if (!campaign) return
    known.delete(id)
    homeOf(campaign.body).remove(campaign.keys, campaign)
  }

  function note(id: string) {
    forget(id)
    const body = snapshot.body('Campaign', id)
    if (!body || !mayRun(body)) return
    const lang = snapshot.body('Shop', body.shopId)?.lang
    if (lang === undefined) return
    const campaign = compiled(body, { lang, handle: campaigns.handle(body.shopId, id) })
    known.set(id, campaign)
    homeOf(body).add(campaign.keys, campaign)
    nextEndAt = Math.min(nextEndAt, endOf(body))
  }

  /** Drops the campaigns that have ended. Only a change, which is noted, or a clock that is set back lets one run again. */
  function dropEnded() {
    const at = now()
    if (at < droppedAt) noteDropped(at)
    if (at < nextEndAt) return
    nextEndAt = Number.POSITIVE_INFINITY
    droppedAt = at
    for (const [id, { body }] of known) {
      const endAt = endOf(body)
      if (endAt <= at) forget(id)
      else nextEndAt = Math.min(nextEndAt, endAt)
    }
  }

  /** Brings back the campaigns that were dropped and have not ended by a clock that was set back. */
  function noteDropped(at: number) {
    droppedAt = Number.NEGATIVE_INFINITY
    for (const { id, body } of snapshot.all('Campaign')) if (!known.has(id) && endOf(body) > at) note(id)
  }

  for (const { id } of snapshot.all('Campaign')) note(id)
  snapshot.onChange((changed, before) => {
    if (changed.kind === 'Campaign') note(changed.id)
    if (changed.kind !== 'Shop') return
    if (before?.kind === 'Shop' && before.body.lang === changed.body.lang) return
    for (const { id, body } of snapshot.all('Campaign')) if (body.shopId === changed.id) note(id)
  })

  return {
    find({ shopId, kind, country, page }) {
      dropEnded()
      return marketOf(shopId, country, kind).under(keysOfPage(page))
    },
  }
}

const endOf = ({ endAt }: Campaign): number => endAt ?? Number.POSITIVE_INFINITY

/** Whether a campaign may run, apart from its dates, its money and its accounts. */
function mayRun({ kind, status, country, moderation, archivedAt }: Campaign): boolean {
  if (archivedAt !== null) return false
  return kind === 'DISPLAY' && status === 'ACTIVE' && country !== null && moderation?.state === 'ACCEPTED'
}

function compiled(body: Campaign, { lang, handle }: { lang: string; handle: CampaignHandle }): DisplayCampaign {
  const targeting = compileTargeting(body.targeting!, lang)
  const campaign: DisplayCampaign = {
    handle,
    body,
    bidMicros: body.autoPromo ? 0 : body.cpmMicros!,
    banners: [],
    targeting,
    keys: keysOfTargeting(targeting),
  }
  campaign.banners = body.banners.map((banner) => ({ campaign, banner, hash: hashOf(banner.id) }))
  return campaign
}
