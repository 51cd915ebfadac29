import type { Campaign } from '../../../../client/types.ts'

/** An amount, or '' while its field is empty. */
export type AmountValue = number | ''

export interface RuleValues {
  brands: string[]
  categoryPaths: string[]
  labels: string[]
  sellerIds: string[]
  priceMin: AmountValue
  priceMax: AmountValue
}

/** The part of the form that chooses what a sponsored campaign promotes. */
export interface ProductsChoice {
  /** Which part of `products` is sent. */
  productsBy: 'ids' | 'rule'
  products: { ids: string[]; rule: RuleValues }
}

export const NO_RULE: RuleValues = {
  brands: [],
  categoryPaths: [],
  labels: [],
  sellerIds: [],
  priceMin: '',
  priceMax: '',
}

/** The form's values for the products of a campaign. */
export const productsOf = ({ products }: Campaign): ProductsChoice => ({
  productsBy: products?.rule ? 'rule' : 'ids',
  products: { ids: products?.ids ?? [], rule: { ...NO_RULE, ...products?.rule } },
})

/** The products as the API expects them: by ids, or by a rule. */
export function productsBody({ productsBy, products }: ProductsChoice) {
  return productsBy === 'ids' ? { ids: products.ids } : { rule: ruleBody(products.rule) }
}

/** The parts of the rule that are set. */
function ruleBody(rule: RuleValues) {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== '' && !isEmptyList(value)))
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
