import type { Static } from 'typebox'
import type { CampaignPatch, CampaignView } from '../../schemas/http/panel/campaigns.ts'
import type { Campaign, ProductRule } from '../../schemas/records.ts'
import { fromMicros, toMicros } from '../domain/money.ts'
import { toEpochMs } from './edge.ts'
import type { Findings } from './findings.ts'

type Input = Static<typeof CampaignPatch>
type Products = NonNullable<Input['products']>
type Rule = NonNullable<Products['rule']>

/** The stored form of those fields that a body gives; the others are not in the answer. */
export function campaignFields(input: Input, findings: Findings): Partial<Campaign> {
  const { name, startAt, endAt, budget, dailyBudget, pacing, capping, attributionProductIds, status, products, cpc } =
    input
  return given({
    name,
    startAt: startAt === undefined ? undefined : toEpochMs(startAt, '/startAt', findings),
    endAt: endAt == null ? endAt : toEpochMs(endAt, '/endAt', findings),
    budgetMicros: budget === undefined ? undefined : toMicros(budget),
    dailyBudgetMicros: dailyBudget == null ? dailyBudget : toMicros(dailyBudget),
    pacing,
    capping,
    attributionProductIds,
    status,
    cpcMicros: cpc === undefined ? undefined : toMicros(cpc),
    ...(products && { productIds: products.ids ?? null, productRule: products.rule ? toRule(products.rule) : null }),
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

/** Without the properties that are undefined, so that they cover nothing when spread. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
