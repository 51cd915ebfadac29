import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { campaignState, leastPrice } from '../../domain/campaign/campaign.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { entityFields, toIso } from '../resources/conversions.ts'
import { productsView } from './fields.ts'

type NameOf = (actorId: string) => string | null

/** Finds the name of a user or account, deleted or not. */
export const namesIn =
  (snapshot: Snapshot): NameOf =>
  (id) =>
    (snapshot.getEver('User', id) ?? snapshot.getEver('Account', id))?.body.name ?? null

/** A campaign as the API shows it at `now`. `spentMicros` is null when unknown; the state then assumes that nothing is spent. */
export function campaignView(
  campaign: Entity<'Campaign'>,
  at: { shop: Shop; spentMicros: number | null; now: number; nameOf: NameOf },
) {
  const { body } = campaign
  const { spentMicros, now, shop } = at
  return {
    ...entityFields(campaign),
    kind: body.kind,
    accountId: body.accountId,
    accountName: at.nameOf(body.accountId),
    shopId: body.shopId,
    name: body.name,
    status: body.status,
    state: campaignState(body, { now, spentMicros: spentMicros ?? 0, leastPriceMicros: leastPrice(body, shop) }),
    startAt: toIso(body.startAt),
    endAt: toIso(body.endAt),
    budget: fromMicros(body.budgetMicros),
    dailyBudget: body.dailyBudgetMicros === null ? null : fromMicros(body.dailyBudgetMicros),
    spent: spentMicros === null ? null : fromMicros(spentMicros),
    archivedAt: toIso(body.archivedAt),
    pacing: body.pacing,
    capping: body.capping,
    attributionProductIds: body.attributionProductIds,
    ...(body.kind === 'DISPLAY' ? displaySide(body, at.nameOf) : sponsoredSide(body)),
  }
}

function sponsoredSide(body: Campaign) {
  return { cpc: fromMicros(body.cpcMicros), autoPromo: body.autoPromo, products: productsView(body) }
}

function displaySide({ cpmMicros, moderation, ...body }: Campaign, nameOf: NameOf) {
  const { country, targetUrl, mobileDeepLink, autoPromo, banners, targeting } = body
  const cpm = fromMicros(cpmMicros ?? 0)
  const judged = moderationSide(moderation, nameOf)
  return { country, targetUrl, mobileDeepLink, cpm, autoPromo, banners, targeting, moderation: judged }
}

function moderationSide(moderation: Campaign['moderation'], nameOf: NameOf) {
  if (moderation === null) return null
  const { decidedBy, decidedAt, submittedAt } = moderation
  const history = moderation.history.map((decision) => ({
    ...decision,
    decidedAt: toIso(decision.decidedAt),
    decidedByName: nameOf(decision.decidedBy),
  }))
  const decidedByName = decidedBy === null ? null : nameOf(decidedBy)
  return { ...moderation, decidedAt: toIso(decidedAt), decidedByName, history, submittedAt: toIso(submittedAt) }
}
