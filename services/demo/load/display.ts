import type { Api, Created } from '../api.ts'
import type { Product } from '../catalogue/products.ts'
import type { Accounts } from './accounts.ts'
import { bannerImages } from './banner-images.ts'
import { DISPLAY, type DisplayPlan } from './display-plans.ts'
import { HISTORY_DAYS } from './sponsored.ts'
import { BANNER_TYPES, FORMAT_SIZES, type FormatKey, type Formats } from './units.ts'

const DAY_MS = 86_400_000

export interface DisplayShop {
  shopId: string
  shopUrl: string
  accounts: Accounts
  formats: Formats
  products: readonly Product[]
  now: number
}

/** Banners of every format, campaigns, and what the shop said of them. @returns campaign ids by key. */
export async function createDisplay(api: Api, shop: DisplayShop): Promise<Readonly<Record<string, DisplayCampaign>>> {
  const images = await bannerImages()
  const made: [string, DisplayCampaign][] = []
  for (const plan of DISPLAY) made.push([plan.key, await createCampaign(api, plan, { ...shop, images })])
  return Object.fromEntries(made)
}

export interface DisplayCampaign {
  id: string
  bannerIds: Readonly<Record<FormatKey, string>>
}

type Images = Awaited<ReturnType<typeof bannerImages>>

async function createCampaign(
  api: Api,
  plan: DisplayPlan,
  shop: DisplayShop & { images: Images },
): Promise<DisplayCampaign> {
  const accountId = shop.accounts.advertiserIds[plan.advertiser]
  const keys = Object.keys(FORMAT_SIZES) as FormatKey[]
  const banners = await Promise.all(keys.map((key) => uploadBanner(api, plan, { ...shop, key, accountId })))
  const campaign = await api.post<Created & { banners: Created[] }>('/v1/panel/campaigns', {
    kind: 'DISPLAY',
    shopId: shop.shopId,
    accountId,
    name: plan.name,
    budget: plan.budget,
    cpm: plan.cpm,
    country: 'DE',
    targetUrl: shop.shopUrl + plan.target,
    startAt: new Date(shop.now - (HISTORY_DAYS + 1) * DAY_MS).toISOString(),
    banners,
    targeting: { categoryPaths: plan.categoryPaths },
    attributionProductIds: shop.products.filter(({ category }) => category.startsWith(plan.sells)).map(({ id }) => id),
  })
  if (plan.moderation === 'ACCEPTED') await api.post(`/v1/panel/moderation/${campaign.id}/accept`, {})
  else if (plan.moderation !== 'WAITING') {
    await api.post(`/v1/panel/moderation/${campaign.id}/reject`, { reason: plan.moderation.rejected })
  }
  const bannerIds = Object.fromEntries(keys.map((key, index) => [key, campaign.banners[index]!.id]))
  return { id: campaign.id, bannerIds: bannerIds as DisplayCampaign['bannerIds'] }
}

async function uploadBanner(
  api: Api,
  { key: campaign, scene, title, callToAction }: DisplayPlan,
  { key, accountId, formats, images }: { key: FormatKey; accountId: string; formats: Formats; images: Images },
) {
  const name = `${campaign}-${key}`
  const file = { name: `${name}.${BANNER_TYPES[key]}`, bytes: images.get(name)! }
  const image = await api.postFile<Created>('/v1/panel/images', file, { accountId })
  return {
    adFormatId: formats[key],
    images: [{ imageId: image.id }],
    textFields: [
      { type: 'TITLE', value: title },
      { type: 'CTA', value: callToAction },
      { type: 'BG_COLOR', value: scene.background },
    ],
  }
}
