import { NAME_CHARS_MAX } from '../../../../../../../schemas/http/panel/limits.ts'
import type { Campaign } from '../../../../client/types.ts'
import { t } from '../../../../messages/pages/campaigns/campaigns.ts'
import { type AmountValue, NO_RULE, type ProductsChoice, productsOf } from './products-choice.ts'
import { toZoneTime } from './zone-time.ts'

export type TargetingValues = NonNullable<Campaign['targeting']>

export interface BannerValues {
  /** The React key; never sent. */
  key: string
  /** The id of an existing banner; null for a new one. */
  id: string | null
  adFormatId: string
  /** One for each image of the format; an id of '' means that the image is missing. */
  images: { imageId: string }[]
  logoImageId: string | null
  /** One for each text field of the format; '' for an empty text. */
  textFields: { type: string; value: string }[]
  lang: string
}

/** The values of the form. Fields have the API's names, so that the API's errors can be assigned to them. */
export interface CampaignValues extends ProductsChoice {
  kind: Campaign['kind']
  /** '' for the user's own account. */
  accountId: string
  shopId: string
  name: string
  autoPromo: boolean
  attributionProductIds: string[]
  country: string
  targetUrl: string
  mobileDeepLink: string
  targeting: TargetingValues
  banners: BannerValues[]
  /** Clock time in the shop's time zone; '' to start at once. */
  startAt: string
  /** Clock time in the shop's time zone; '' for no end. */
  endAt: string
  budget: AmountValue
  dailyBudget: AmountValue
  pacing: Campaign['pacing']
  cpc: AmountValue
  cpm: AmountValue
  capping: AmountValue
  status: Campaign['status']
}

const NO_TARGETING: TargetingValues = {
  phrases: [],
  categoryPaths: [],
  brands: [],
  productIds: [],
  profiles: [],
  refererPatterns: [],
}

export const EMPTY_CAMPAIGN: CampaignValues = {
  kind: 'SPONSORED',
  accountId: '',
  shopId: '',
  name: '',
  autoPromo: false,
  productsBy: 'ids',
  products: { ids: [], rule: NO_RULE },
  attributionProductIds: [],
  country: '',
  targetUrl: '',
  mobileDeepLink: '',
  targeting: NO_TARGETING,
  banners: [],
  startAt: '',
  endAt: '',
  budget: '',
  dailyBudget: '',
  pacing: 'ASAP',
  cpc: '',
  cpm: '',
  capping: '',
  status: 'ACTIVE',
}

/** The form's values for an existing campaign. */
export function valuesOf(campaign: Campaign, timeZone: string): CampaignValues {
  const { banners = [], endAt, dailyBudget, capping, mobileDeepLink } = campaign
  return {
    ...EMPTY_CAMPAIGN,
    ...pick(campaign, ['kind', 'accountId', 'shopId', 'name', 'attributionProductIds', 'budget', 'pacing', 'status']),
    autoPromo: campaign.autoPromo ?? false,
    ...productsOf(campaign),
    country: campaign.country ?? '',
    targetUrl: campaign.targetUrl ?? '',
    mobileDeepLink: mobileDeepLink ?? '',
    targeting: { ...NO_TARGETING, ...campaign.targeting },
    banners: banners.map(bannerValues),
    startAt: toZoneTime(campaign.startAt, timeZone),
    endAt: endAt === null ? '' : toZoneTime(endAt, timeZone),
    dailyBudget: dailyBudget ?? '',
    capping: capping ?? '',
    cpc: campaign.cpc ?? '',
    cpm: campaign.cpm ?? '',
  }
}

/** The form's values for a copy of a campaign: a draft that starts now and has no end date. */
export function copyOf(campaign: Campaign, timeZone: string): CampaignValues {
  const values = valuesOf(campaign, timeZone)
  const name = t('copyOf', { name: campaign.name }).slice(0, NAME_CHARS_MAX)
  const banners = values.banners.map((banner) => ({ ...banner, id: null }))
  return { ...values, name, banners, startAt: '', endAt: '', status: 'DRAFT' }
}

function bannerValues(banner: NonNullable<Campaign['banners']>[number], at: number): BannerValues {
  const { id = null, adFormatId, images = [], logoImageId = null, textFields = [], lang } = banner
  return {
    key: id ?? String(at),
    id,
    adFormatId,
    images: images.map(({ imageId }) => ({ imageId })),
    logoImageId,
    textFields,
    lang: lang ?? '',
  }
}

/** The images and logos of the banners, each once. */
export function imageIdsOf(banners: readonly BannerValues[]): Set<string> {
  const ids = banners.flatMap(({ images, logoImageId }) => [...images.map(({ imageId }) => imageId), logoImageId ?? ''])
  return new Set(ids.filter((id) => id !== ''))
}

const pick = <T extends object, K extends keyof T>(from: T, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
