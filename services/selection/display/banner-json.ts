import type { Banner, Campaign } from '../../../schemas/records/entities.ts'
import { imageUrl } from '../../domain/campaign/image.ts'

/** The part of a banner's ad that is the same whoever asks, as JSON members without braces. */
export function bannerMembersJson(banner: Banner, campaign: Campaign, publicUrl: string): string {
  const urlOf = (imageId: string) => imageUrl(publicUrl, imageId)
  const images = banner.images.map((image) => ({ ...image, imageUrl: urlOf(image.imageId) }))
  const members = {
    bannerId: banner.id,
    bannerUrl: campaign.targetUrl,
    mobileDeepLink: campaign.mobileDeepLink ?? campaign.targetUrl,
    shopId: campaign.shopId,
    lang: banner.lang,
    bannerLogoUrl: banner.logoImageId && urlOf(banner.logoImageId),
    bannerImageUrl: images[0]?.imageUrl ?? null,
    adFormatId: banner.adFormatId,
    bannerProducts: null,
    images,
    textFields: banner.textFields,
  }
  return JSON.stringify(members).slice(1, -1)
}
