import type { paths } from '../../../../client/schema.d.ts'
import { changedFields } from '../../../../data/changes/changed-fields.ts'
import type { BannerValues, CampaignValues } from './campaign-values.ts'
import { productsBody } from './products-choice.ts'
import { fromZoneTime } from './zone-time.ts'

export type CampaignCreate = paths['/v1/panel/campaigns']['post']['requestBody']['content']['application/json']
export type CampaignPatch = NonNullable<
  paths['/v1/panel/campaigns/{id}']['patch']['requestBody']
>['content']['application/json']

/** The changeable fields that both kinds of campaign have. */
function commonBody(values: CampaignValues, timeZone: string) {
  const { name, startAt, endAt, budget, dailyBudget, pacing, capping, attributionProductIds, status } = values
  return {
    name,
    ...(startAt === '' ? {} : { startAt: fromZoneTime(startAt, timeZone) }),
    endAt: endAt === '' ? null : fromZoneTime(endAt, timeZone),
    budget: Number(budget),
    dailyBudget: dailyBudget === '' ? null : dailyBudget,
    pacing,
    capping: capping === '' ? null : capping,
    attributionProductIds,
    status,
  }
}

function kindBody(values: CampaignValues) {
  if (values.kind === 'SPONSORED') return { products: productsBody(values), cpc: Number(values.cpc) }
  const { country, targetUrl, mobileDeepLink, targeting, cpm, banners } = values
  return {
    country,
    targetUrl,
    mobileDeepLink: mobileDeepLink === '' ? null : mobileDeepLink,
    targeting,
    cpm: Number(cpm),
    banners: banners.map(bannerBody),
  }
}

function bannerBody({ id, adFormatId, images, logoImageId, textFields, lang }: BannerValues) {
  return {
    ...(id === null ? {} : { id }),
    adFormatId,
    images: images.map(({ imageId }) => ({ imageId })),
    logoImageId,
    textFields: textFields.filter(({ value }) => value !== ''),
    lang: lang === '' ? null : lang,
  }
}

/** The body that creates the campaign. */
export function createBody(values: CampaignValues, timeZone: string): CampaignCreate {
  const { kind, accountId, shopId, autoPromo } = values
  return {
    kind,
    ...(accountId === '' ? {} : { accountId }),
    shopId,
    ...(autoPromo ? { autoPromo } : {}),
    ...commonBody(values, timeZone),
    ...kindBody(values),
  }
}

/** Contains only the fields that differ, so that concurrent changes by others are kept. */
export function patchBody(before: CampaignValues, after: CampaignValues, timeZone: string): CampaignPatch {
  const bodyOf = (values: CampaignValues) => ({ ...commonBody(values, timeZone), ...kindBody(values) })
  return changedFields<CampaignPatch>(bodyOf(before), bodyOf(after))
}
