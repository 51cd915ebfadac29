import type { Static } from 'typebox'
import { type Analytics, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { anyCreditQuery, anyViewQuery, type FirstOfSpec } from '../../../infra/analytics/queries/setup.ts'
import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Setup as SetupSchema, SetupStep } from '../../../schemas/http/panel/overview.ts'
import { heldBy } from '../../domain/campaign/moderation.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'

const LOOK_BACK_MS = 90 * DAY_MS
/** Shops in which a product is looked for. */
const SHOPS_ASKED_MAX = 20
/** Entries of `happened`, which is cleared when it is full. */
const REMEMBERED_MAX = 10_000

export interface SetupDeps {
  access: Access
  snapshot: Snapshot
  analytics: Analytics
  index: Pick<ProductIndex, 'scan'>
  now: () => number
}

type Setup = Static<typeof SetupSchema>
type Step = [step: SetupStep, done: boolean | Promise<boolean | null>]

/** Lists the steps up to a caller's first attributed sale and which are done. Only impressions and sales of the last 90 days count. */
export function createSetup({ access, snapshot, analytics, index, now }: SetupDeps) {
  /** First impressions and sales that were found, by caller and shop. They are not looked for again. */
  const happened = new Set<string>()

  /** @throws Problem NOT_FOUND for a shop that the caller may not see. */
  return async function setupOf({
    principal,
    shopId,
  }: {
    principal: Principal
    shopId: string | undefined
  }): Promise<Setup> {
    if (shopId !== undefined) access.need(principal, 'Shop', shopId)
    const isAdvertiser = principal.role === 'ADVERTISER'
    const shops = [...access.list(principal, 'Shop')].filter(({ id }) => shopId === undefined || id === shopId)
    const campaigns = () => access.list(principal, 'Campaign', { shopId })
    const hasCampaign = campaigns().some(() => true)
    const spec: FirstOfSpec = {
      shopIds: isAdvertiser ? [...new Set(campaigns().map(({ body }) => body.shopId))] : shops.map(({ id }) => id),
      accountId: isAdvertiser ? principal.accountId : undefined,
      from: now() - LOOK_BACK_MS,
    }
    const scope = `${principal.role}/${principal.accountId}/${shopId ?? ''}`
    const hasHappened = (step: 'FIRST_IMPRESSION' | 'FIRST_SALE') => hasCampaign && firstOf(step, scope, spec)
    const anyAdUnit = () => access.list(principal, 'AdUnit', { shopId }).some(() => true)
    const anyPublisher = () => snapshot.all('Account').some(({ body }) => body.kind === 'PUBLISHER')
    const ofShop: Step[] = [
      ['SHOP', shops.length > 0],
      ['FEED', anyProduct(shops)],
      ['AD_UNIT', anyAdUnit()],
    ]
    const asked: Step[] = [
      ...(principal.role === 'OPERATOR' ? ([['PUBLISHER_ACCOUNT', anyPublisher()]] satisfies Step[]) : []),
      ...(isAdvertiser ? [] : ofShop),
      ['CAMPAIGN', hasCampaign],
      ...(isAdvertiser
        ? ([['MODERATION', campaigns().some(({ body }) => heldBy(body) === null)]] satisfies Step[])
        : []),
      ['FIRST_IMPRESSION', hasHappened('FIRST_IMPRESSION')],
      ['FIRST_SALE', hasHappened('FIRST_SALE')],
    ]
    const steps = await Promise.all(asked.map(async ([step, done]) => ({ step, done: await done })))
    return { steps, complete: steps.every(({ done }) => done === true) }
  }

  async function firstOf(step: 'FIRST_IMPRESSION' | 'FIRST_SALE', scope: string, spec: FirstOfSpec) {
    const key = `${step}/${scope}`
    if (happened.has(key)) return true
    const { sql, params } = (step === 'FIRST_SALE' ? anyCreditQuery : anyViewQuery)(spec)
    const rows = await analytics.query(sql, params).catch(nullWhileAway)
    if (rows === null) return null
    if (rows.length === 0) return false
    if (happened.size >= REMEMBERED_MAX) happened.clear()
    happened.add(key)
    return true
  }

  async function anyProduct(shops: readonly Entity<'Shop'>[]): Promise<boolean | null> {
    for (const { id: shopId } of shops.slice(0, SHOPS_ASKED_MAX)) {
      const found = await index.scan({ shopId, filters: [], after: null, limit: 1 }).catch(nullWhileAway)
      if (found === null) return null
      if (found.length > 0) return true
    }
    return false
  }
}

function nullWhileAway(error: unknown): null {
  if (error instanceof AnalyticsUnavailable || error instanceof IndexUnavailable) return null
  throw error
}
