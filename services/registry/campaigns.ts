import type { Static } from 'typebox'
import { CampaignCreate, CampaignPatch, CampaignQuery, CampaignView } from '../../schemas/http/panel/campaigns.ts'
import type { Campaign } from '../../schemas/records.ts'
import { campaignState, leastPrice } from '../domain/campaign.ts'
import { fromMicros } from '../domain/money.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'
import type { Access } from './access.ts'
import { campaignFields, productsView } from './campaign-fields.ts'
import { checkCampaign } from './campaign-rules.ts'
import { answered, toIso } from './edge.ts'
import { Findings } from './findings.ts'
import { ownAccount } from './own-account.ts'
import type { Resource } from './resource.ts'

export interface CampaignDeps {
  snapshot: Snapshot
  access: Access
  now: () => number
  /** Micros billed to each campaign so far, in the order of the ids. */
  spendOf: (campaignIds: readonly string[]) => Promise<number[]>
}

/** Sponsored campaigns. */
export function campaigns(deps: CampaignDeps): Resource<'Campaign', typeof CampaignCreate, typeof CampaignPatch> {
  const { snapshot, access, now, spendOf } = deps

  function view(campaign: Entity<'Campaign'>, spentMicros: number) {
    const { body } = campaign
    // A campaign keeps its shop from being removed, so the shop is there as long as the campaign is.
    const leastPriceMicros = leastPrice(body, snapshot.body('Shop', body.shopId)!)
    return {
      ...answered(campaign),
      kind: body.kind,
      accountId: body.accountId,
      shopId: body.shopId,
      name: body.name,
      status: body.status,
      state: campaignState(body, { now: now(), spentMicros, leastPriceMicros }),
      startAt: toIso(body.startAt),
      endAt: toIso(body.endAt),
      budget: fromMicros(body.budgetMicros),
      dailyBudget: body.dailyBudgetMicros === null ? null : fromMicros(body.dailyBudgetMicros),
      spent: fromMicros(spentMicros),
      pacing: body.pacing,
      capping: body.capping,
      cpc: fromMicros(body.cpcMicros),
      autoPromo: body.autoPromo,
      products: productsView(body),
      attributionProductIds: body.attributionProductIds,
    }
  }

  return {
    kind: 'Campaign',
    path: 'campaigns',
    schemas: { create: CampaignCreate, patch: CampaignPatch, view: CampaignView, query: CampaignQuery },
    create(input, principal) {
      const findings = new Findings()
      const account = ownAccount({ access, principal, accountId: input.accountId, findings })
      const shop = access.find(principal, 'Shop', input.shopId)
      findings.check(shop !== undefined, '/shopId', 'there is no such shop')
      const campaign = newCampaign(input, { accountId: account?.id ?? '', startAt: now() }, findings)
      if (account && shop) {
        const facts = { accountId: account.id, account: account.body, shop: shop.body, spentMicros: 0, before: null }
        checkCampaign(campaign, facts, findings)
      }
      findings.raise()
      return campaign
    },
    async change({ id, body }, input) {
      const findings = new Findings()
      const campaign: Campaign = { ...body, ...campaignFields(input, findings) }
      const [spentMicros = 0] = await spendOf([id])
      checkCampaign(
        campaign,
        {
          accountId: body.accountId,
          account: snapshot.body('Account', body.accountId)!,
          shop: snapshot.body('Shop', body.shopId)!,
          spentMicros,
          before: body,
        },
        findings,
      )
      findings.raise()
      return campaign
    },
    heldBy: () => null,
    async views(entities) {
      const spent = await spendOf(entities.map(({ id }) => id))
      return entities.map((entity, i) => view(entity, spent[i] ?? 0))
    },
  }
}

/** A preValidation hook: says so before the fields of the other kind are called missing. */
export async function refuseDisplay({ body }: { body: unknown }): Promise<void> {
  if ((body as { kind?: unknown } | null)?.kind !== 'DISPLAY') return
  const findings = new Findings()
  findings.add('/kind', 'display campaigns are not served yet: SPONSORED is')
  findings.raise()
}

function newCampaign(
  input: Static<typeof CampaignCreate>,
  given: { accountId: string; startAt: number },
  findings: Findings,
): Campaign {
  return {
    kind: 'SPONSORED',
    accountId: given.accountId,
    shopId: input.shopId,
    name: input.name,
    startAt: given.startAt,
    endAt: null,
    status: 'ACTIVE',
    budgetMicros: 0,
    dailyBudgetMicros: null,
    pacing: 'ASAP',
    capping: null,
    attributionProductIds: [],
    productIds: null,
    productRule: null,
    cpcMicros: 0,
    autoPromo: input.autoPromo ?? false,
    ...campaignFields(input, findings),
  }
}
