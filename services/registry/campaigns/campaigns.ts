import type { Static } from 'typebox'
import { CountersUnavailable } from '../../../infra/counters/port.ts'
import {
  CampaignCreate,
  CampaignPatch,
  CampaignQuery,
  CampaignView,
} from '../../../schemas/http/panel/campaigns/campaigns.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import {
  ARCHIVABLE,
  type CampaignState,
  campaignState,
  leastPrice,
  NO_DISPLAY,
} from '../../domain/campaign/campaign.ts'
import { afterChange, submitted } from '../../domain/campaign/moderation.ts'
import { fieldProblem, Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownAccount } from '../resources/own-account.ts'
import type { Resource } from '../resources/resource.ts'
import type { Access } from '../rights/access.ts'
import { type BannerFacts, readBanners } from './banners.ts'
import { campaignFields, checkKind, NO_TARGETING } from './fields.ts'
import { checkCampaign } from './rules.ts'
import { campaignView, namesIn } from './view.ts'

export interface CampaignDeps {
  snapshot: Snapshot
  access: Access
  now: () => number
  uuid: () => string
  /** Micros billed to each campaign so far, in the order of the ids. Rejects with CountersUnavailable. */
  spendOf: (campaignIds: readonly string[]) => Promise<number[]>
}

export type CampaignInput = Static<typeof CampaignPatch>

/**
 * Micros billed by campaign id; null for each campaign while the counters are unavailable. Read when a change is asked for: more
 * may be billed until the judge knows the change, and nothing beyond the new budget from then on.
 */
type Spend = ReadonlyMap<string, number | null>

export interface CampaignResource extends Resource<'Campaign', typeof CampaignCreate, typeof CampaignPatch, Spend> {
  factsOf(ids: readonly string[]): Promise<Spend>
}

/** Sponsored and display campaigns. */
export function campaigns(deps: CampaignDeps): CampaignResource {
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

  async function knownSpendOf(ids: readonly string[]): Promise<Spend> {
    const spent = await spendOf(ids).catch((error: unknown) => {
      if (error instanceof CountersUnavailable) return null
      throw error
    })
    return new Map(ids.map((id, i) => [id, spent && spent[i]!]))
  }

  /** The campaign after a change. @throws Problem */
  function changedCampaign(body: Campaign, input: CampaignInput, spentMicros: number | null): Campaign {
    checkKind(body.kind, input, { isNew: false })
    if (
      body.archivedAt !== null &&
      Object.keys(input).some((name) => name !== 'archived') &&
      input.archived !== false
    ) {
      throw new Problem('CONFLICT', 'The campaign is archived: restore it before you change it')
    }
    const fieldErrors = new FieldErrors()
    const campaign: Campaign = { ...body, ...campaignFields(input, fieldErrors) }
    if (spentMicros === null && campaign.budgetMicros < body.budgetMicros) {
      throw unknownSpend('/budget', 'cannot be lowered while the spend of the campaign is unknown')
    }
    const account = snapshot.body('Account', body.accountId)!
    const shop = snapshot.body('Shop', body.shopId)!
    const publisher = snapshot.body('Account', shop.accountId)!
    const facts = { accountId: body.accountId, account, shop, publisher, spentMicros: spentMicros ?? 0, before: body }
    if (!onlyStops(input)) checkCampaign(campaign, facts, fieldErrors)
    if (input.banners) campaign.banners = readBanners(input.banners, bannerFacts(body), fieldErrors)
    campaign.moderation = afterChange(body, campaign, now())
    campaign.archivedAt = archivedAfter(campaign, input, { shop, spentMicros, now: now() }, fieldErrors)
    fieldErrors.throwIfAny()
    return campaign
  }

  const nameOf = namesIn(snapshot)

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
      const campaign = newCampaign(input, { accountId: account?.id ?? '', createdAt: now() }, fieldErrors)
      if (account && shop) {
        const owners = { accountId: account.id, account: account.body, shop: shop.body }
        const publisher = snapshot.body('Account', shop.body.accountId)!
        checkCampaign(campaign, { ...owners, publisher, spentMicros: 0, before: null }, fieldErrors)
        campaign.banners = readBanners(input.banners ?? [], bannerFacts(campaign), fieldErrors)
      }
      fieldErrors.throwIfAny()
      return campaign
    },
    factsOf: knownSpendOf,
    change: ({ id, body }, input, _principal, spent) => changedCampaign(body, input, spent.get(id) ?? null),
    blockedBy: () => [],
    filters: { archived: ({ archivedAt }, asked) => (archivedAt !== null) === (asked === true) },
    async views(entities) {
      const spent = await knownSpendOf(entities.map(({ id }) => id))
      return entities.map((entity) => {
        // The campaign and its shop may have been deleted while the spend was read.
        const shop = snapshot.getEver('Shop', entity.body.shopId)!.body
        return campaignView(entity, { shop, spentMicros: spent.get(entity.id) ?? null, now: now(), nameOf })
      })
    },
  }
}

/** The states of campaigns that may turn out to be EXHAUSTED when their spend is known. */
const MAY_BE_EXHAUSTED: ReadonlySet<CampaignState> = new Set(['SCHEDULED', 'RUNNING'])

/** When a campaign was archived, as of a change; null when it is not. @param campaign with what else the change sets. */
function archivedAfter(
  campaign: Campaign,
  { archived }: CampaignInput,
  { shop, spentMicros, now }: { shop: Shop; spentMicros: number | null; now: number },
  fieldErrors: FieldErrors,
): number | null {
  if (archived === undefined || (archived && campaign.archivedAt !== null)) return campaign.archivedAt
  if (!archived) return null
  const at = { now, spentMicros: spentMicros ?? 0, leastPriceMicros: leastPrice(campaign, shop) }
  const state = campaignState(campaign, at)
  if (spentMicros === null && MAY_BE_EXHAUSTED.has(state)) {
    throw unknownSpend('/archived', 'can only be true once the spend of the campaign is known')
  }
  fieldErrors.check(
    ARCHIVABLE.has(state),
    '/archived',
    `can only be true for a campaign that cannot run: this one is ${state}`,
  )
  return now
}

const unknownSpend = (path: string, message: string) => fieldProblem('UNAVAILABLE', [{ path, message }])

/** Whether a change only pauses, archives or restores. Such a change is never refused because of other fields. */
const onlyStops = (input: CampaignInput): boolean =>
  Object.entries(input).every(([name, value]) => name === 'archived' || (name === 'status' && value === 'PAUSED'))

function newCampaign(
  input: Static<typeof CampaignCreate>,
  given: { accountId: string; createdAt: number },
  fieldErrors: FieldErrors,
): Campaign {
  return {
    kind: input.kind,
    accountId: given.accountId,
    shopId: input.shopId,
    name: input.name,
    startAt: given.createdAt,
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
    archivedAt: null,
    ...NO_DISPLAY,
    ...(input.kind === 'DISPLAY' ? { targeting: NO_TARGETING, moderation: submitted(given.createdAt) } : {}),
    ...campaignFields(input, fieldErrors),
  }
}
