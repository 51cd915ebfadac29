import type { Campaign, Shop } from '../../schemas/entities.ts'
import { campaignState, leastPrice } from '../domain/campaign.ts'
import { fromMicros } from '../domain/money.ts'
import type { Entity } from '../domain/snapshot.ts'
import { productsView } from './campaign-fields.ts'
import { answered, toIso } from './edge.ts'

/** A campaign as the API shows it at `now`. */
export function campaignView(campaign: Entity<'Campaign'>, at: { shop: Shop; spentMicros: number; now: number }) {
  const { body } = campaign
  const { spentMicros, now, shop } = at
  return {
    ...answered(campaign),
    kind: body.kind,
    accountId: body.accountId,
    shopId: body.shopId,
    name: body.name,
    status: body.status,
    state: campaignState(body, { now, spentMicros, leastPriceMicros: leastPrice(body, shop) }),
    startAt: toIso(body.startAt),
    endAt: toIso(body.endAt),
    budget: fromMicros(body.budgetMicros),
    dailyBudget: body.dailyBudgetMicros === null ? null : fromMicros(body.dailyBudgetMicros),
    spent: fromMicros(spentMicros),
    pacing: body.pacing,
    capping: body.capping,
    attributionProductIds: body.attributionProductIds,
    ...(body.kind === 'DISPLAY' ? displaySide(body) : sponsoredSide(body)),
  }
}

function sponsoredSide(body: Campaign) {
  return { cpc: fromMicros(body.cpcMicros), autoPromo: body.autoPromo, products: productsView(body) }
}

function displaySide({ country, targetUrl, mobileDeepLink, cpmMicros, banners, targeting, moderation }: Campaign) {
  const cpm = fromMicros(cpmMicros ?? 0)
  return { country, targetUrl, mobileDeepLink, cpm, banners, targeting, moderation: moderationSide(moderation) }
}

function moderationSide(moderation: Campaign['moderation']) {
  if (moderation === null) return null
  const history = moderation.history.map((decision) => ({ ...decision, decidedAt: toIso(decision.decidedAt) }))
  return { ...moderation, decidedAt: toIso(moderation.decidedAt), history }
}
