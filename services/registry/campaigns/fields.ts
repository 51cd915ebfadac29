import type { Static } from 'typebox'
import type { CampaignPatch, CampaignView } from '../../../schemas/http/panel/campaigns/campaigns.ts'
import type { BannerTargeting, Campaign, ProductRule } from '../../../schemas/records/entities.ts'
import { fromMicros, toMicros } from '../../domain/money/money.ts'
import { toEpochMs } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'

type Input = Static<typeof CampaignPatch>
type Products = NonNullable<Input['products']>
type Rule = NonNullable<Products['rule']>

export const NO_TARGETING: BannerTargeting = {
  phrases: [],
  categoryPaths: [],
  brands: [],
  productIds: [],
  profiles: [],
  refererPatterns: [],
}

/** The fields that only campaigns of one kind have, and whether a new one needs them. */
const fieldsOfKind: Readonly<Record<Campaign['kind'], Record<string, boolean>>> = {
  SPONSORED: { products: true, cpc: true },
  DISPLAY: { country: true, targetUrl: true, mobileDeepLink: false, cpm: true, banners: true, targeting: false },
}

/** @throws Problem INVALID for fields of the other kind, and for required fields that a new campaign lacks. */
export function checkKind(kind: Campaign['kind'], input: object, { isNew }: { isNew: boolean }): void {
  const fieldErrors = new FieldErrors()
  const other = kind === 'DISPLAY' ? 'SPONSORED' : 'DISPLAY'
  for (const name of Object.keys(fieldsOfKind[other])) {
    fieldErrors.check(!(name in input), `/${name}`, `can only be set for ${other} campaigns`)
  }
  for (const [name, isRequired] of Object.entries(fieldsOfKind[kind])) {
    fieldErrors.check(!isNew || !isRequired || name in input, `/${name}`, 'is required')
  }
  fieldErrors.throwIfAny()
}

/** The stored form of the fields in a body, except banners. Missing fields are missing in the result, too. */
export function campaignFields(input: Input, fieldErrors: FieldErrors): Partial<Campaign> {
  const { name, startAt, endAt, budget, dailyBudget, pacing, capping, attributionProductIds, status } = input
  const { products, cpc, country, targetUrl, mobileDeepLink, cpm, targeting } = input
  return given({
    name,
    startAt: startAt === undefined ? undefined : toEpochMs(startAt, '/startAt', fieldErrors),
    endAt: endAt == null ? endAt : toEpochMs(endAt, '/endAt', fieldErrors),
    budgetMicros: budget === undefined ? undefined : toMicros(budget),
    dailyBudgetMicros: dailyBudget == null ? dailyBudget : toMicros(dailyBudget),
    pacing,
    capping,
    attributionProductIds,
    status,
    cpcMicros: cpc === undefined ? undefined : toMicros(cpc),
    ...(products && { productIds: products.ids ?? null, productRule: products.rule ? toRule(products.rule) : null }),
    country,
    targetUrl,
    mobileDeepLink,
    cpmMicros: cpm === undefined ? undefined : toMicros(cpm),
    targeting: targeting && { ...NO_TARGETING, ...targeting },
  })
}

/** The products as the API shows them. */
export function productsView({ productIds, productRule }: Campaign): Static<typeof CampaignView>['products'] {
  return productRule ? { rule: ruleView(productRule) } : { ids: productIds ?? [] }
}

function toRule({ priceMin, priceMax, ...lists }: Rule): ProductRule {
  return {
    brands: [],
    categoryPaths: [],
    labels: [],
    sellerIds: [],
    ...lists,
    priceMinMicros: priceMin === undefined ? null : toMicros(priceMin),
    priceMaxMicros: priceMax === undefined ? null : toMicros(priceMax),
  }
}

function ruleView({ priceMinMicros, priceMaxMicros, ...lists }: ProductRule): Rule {
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
    ...(priceMinMicros === null ? {} : { priceMin: fromMicros(priceMinMicros) }),
    ...(priceMaxMicros === null ? {} : { priceMax: fromMicros(priceMaxMicros) }),
  }
}

/** The object without undefined properties, so that they override nothing when it is spread. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
