import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Api, Created } from '../api.ts'
import type { Product } from '../catalogue/products.ts'
import type { Accounts } from './accounts.ts'
import { DISPLAY, type DisplayPlan } from './display-plans.ts'
import { HISTORY_DAYS } from './sponsored.ts'
import { BANNER_TYPES, FORMAT_SIZES, type FormatKey, type Formats } from './units.ts'

export interface DisplayShop {
  shopId: string
  shopUrl: string
  accounts: Accounts
  formats: Formats
  products: readonly Product[]
  images: BannerImages
  now: number
}

/** Creates display campaigns with banners of every format, and moderates them. @returns campaign ids by key. */
export async function createDisplay(api: Api, shop: DisplayShop): Promise<Readonly<Record<string, LoadedCampaign>>> {
  const made: [string, LoadedCampaign][] = []
  for (const plan of DISPLAY) made.push([plan.key, await createCampaign(api, plan, shop)])
  return Object.fromEntries(made)
}

export interface LoadedCampaign {
  id: string
  bannerIds: Readonly<Record<FormatKey, string>>
}

/** The banners' images by `campaign-format`. */
export type BannerImages = ReadonlyMap<string, Buffer>

async function createCampaign(api: Api, plan: DisplayPlan, shop: DisplayShop): Promise<LoadedCampaign> {
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
  return { id: campaign.id, bannerIds: bannerIds as LoadedCampaign['bannerIds'] }
}

async function uploadBanner(
  api: Api,
  { key: campaign, scene, title, callToAction }: DisplayPlan,
  { key, accountId, formats, images }: { key: FormatKey; accountId: string; formats: Formats; images: BannerImages },
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

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** A child process draws them from SVG, because this process disables all image decoders except those for uploads. */
export async function bannerImages(): Promise<BannerImages> {
  const child = fileURLToPath(new URL('./banner-art.child.ts', import.meta.url))
  const options = { maxBuffer: OUTPUT_MAX_BYTES, timeout: TIMEOUT_MS }
  const { stdout } = await promisify(execFile)(process.execPath, [child], options)
  const images = Object.entries(JSON.parse(stdout) as Record<string, string>)
  return new Map(images.map(([name, base64]) => [name, Buffer.from(base64, 'base64')]))
}
