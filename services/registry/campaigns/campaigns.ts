import type { Static } from 'typebox'
import { CountersUnavailable } from '../../../infra/counters/port.ts'
import {
  CampaignCreate,
  CampaignPatch,
  CampaignQuery,
  CampaignView,
} from '../../../schemas/http/panel/campaigns/campaigns.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import { NO_DISPLAY } from '../../domain/campaign/campaign.ts'
import { afterChange, NOT_MODERATED } from '../../domain/campaign/moderation.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Access } from '../access/access.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownAccount } from '../resources/own-account.ts'
import type { Resource } from '../resources/resource.ts'
import { type BannerFacts, readBanners } from './banners.ts'
import { campaignFields, checkKind, NO_TARGETING } from './fields.ts'
import { checkCampaign } from './rules.ts'
import { campaignView } from './view.ts'

export interface CampaignDeps {
  snapshot: Snapshot
  access: Access
  now: () => number
  uuid: () => string
  /** Micros billed to each campaign so far, in the order of the ids. Rejects with CountersUnavailable. */
  spendOf: (campaignIds: readonly string[]) => Promise<number[]>
}

/** Sponsored and display campaigns. */
export function campaigns(deps: CampaignDeps): Resource<'Campaign', typeof CampaignCreate, typeof CampaignPatch> {
  const { snapshot, access, now, uuid, spendOf } = deps

  function bannerFacts(campaign: Campaign): BannerFacts {
    const { shopId, accountId } = campaign
    return {
      formatOf(id) {
        const format = snapshot.body('AdFormat', id)
        return format?.shopId === shopId ? format : undefined
      },
      imageOf(id) {
        const image = snapshot.body('Image', id)
        return image?.accountIds.includes(accountId) ? image : undefined
      },
      known: campaign.banners.map(({ id }) => id),
      uuid,
    }
  }

  /** Null while the counters do not tell. */
  const knownSpendOf = (ids: readonly string[]): Promise<(number | null)[]> =>
    spendOf(ids).catch((error: unknown) => {
      if (error instanceof CountersUnavailable) return ids.map(() => null)
      throw error
    })

  const nameOf = (id: string) => (snapshot.getEver('User', id) ?? snapshot.getEver('Account', id))?.body.name ?? null

  return {
    kind: 'Campaign',
    path: 'campaigns',
    schemas: { create: CampaignCreate, patch: CampaignPatch, view: CampaignView, query: CampaignQuery },
    create(input, principal) {
      checkKind(input.kind, input, { isNew: true })
      const fieldErrors = new FieldErrors()
      const account = ownAccount({ access, principal, accountId: input.accountId, fieldErrors })
      const shop = access.find(principal, 'Shop', input.shopId)
      fieldErrors.check(shop !== undefined, '/shopId', 'there is no such shop')
      const campaign = newCampaign(input, { accountId: account?.id ?? '', startAt: now() }, fieldErrors)
      if (account && shop) {
        const owners = { accountId: account.id, account: account.body, shop: shop.body }
        const publisher = snapshot.body('Account', shop.body.accountId)!
        checkCampaign(campaign, { ...owners, publisher, spentMicros: 0, before: null }, fieldErrors)
        campaign.banners = readBanners(input.banners ?? [], bannerFacts(campaign), fieldErrors)
      }
      fieldErrors.throwIfAny()
      return campaign
    },
    async change({ id, body }, input) {
      checkKind(body.kind, input, { isNew: false })
      const fieldErrors = new FieldErrors()
      const campaign: Campaign = { ...body, ...campaignFields(input, fieldErrors) }
      const [spentMicros = 0] = await knownSpendOf([id])
      if (spentMicros === null && campaign.budgetMicros < body.budgetMicros) {
        const message = 'cannot be lowered while the spend of the campaign is unknown'
        throw new Problem('UNAVAILABLE', `/budget: ${message}`, { errors: [{ path: '/budget', message }] })
      }
      const account = snapshot.body('Account', body.accountId)!
      const shop = snapshot.body('Shop', body.shopId)!
      const publisher = snapshot.body('Account', shop.accountId)!
      const facts = { accountId: body.accountId, account, shop, publisher, spentMicros: spentMicros ?? 0, before: body }
      checkCampaign(campaign, facts, fieldErrors)
      if (input.banners) campaign.banners = readBanners(input.banners, bannerFacts(body), fieldErrors)
      fieldErrors.throwIfAny()
      return { ...campaign, moderation: afterChange(body, campaign) }
    },
    blockedBy: () => null,
    async views(entities) {
      const spent = await knownSpendOf(entities.map(({ id }) => id))
      return entities.map((entity, i) => {
        // A campaign keeps its shop from being removed, so the shop is there as long as the campaign is.
        const shop = snapshot.body('Shop', entity.body.shopId)!
        return campaignView(entity, { shop, spentMicros: spent[i] ?? null, now: now(), nameOf })
      })
    },
  }
}

function newCampaign(
  input: Static<typeof CampaignCreate>,
  given: { accountId: string; startAt: number },
  fieldErrors: FieldErrors,
): Campaign {
  return {
    kind: input.kind,
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
    ...NO_DISPLAY,
    ...(input.kind === 'DISPLAY' ? { targeting: NO_TARGETING, moderation: NOT_MODERATED } : {}),
    ...campaignFields(input, fieldErrors),
  }
}
