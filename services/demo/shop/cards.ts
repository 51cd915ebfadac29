import { picturePath, productPath } from '../catalogue/feed.ts'
import type { Product } from '../catalogue/products.ts'
import type { UnitKey } from '../load/units.ts'
import type { ShopVisit } from './context.ts'
import { money } from './format.ts'
import { type Html, html, json } from './html.ts'

export const priceHtml = ({ price, salePrice }: Pick<Product, 'price' | 'salePrice'>): Html =>
  salePrice === null
    ? html`<span class="price">${money(price)}</span>`
    : html`<span class="price sale">${money(salePrice)}</span> <s class="was"><span class="hidden">was </span>${money(price)}</s>`

/** A product in a grid or a row. */
export const card = (product: Product): Html => html`<li class="card">
  <a href="${productPath(product.id)}">
    <img src="${picturePath(product.id)}" alt="" width="400" height="400" loading="lazy" decoding="async">
    <span class="brand">${product.brand}</span>
    <span class="title">${product.title}</span>
    <span class="prices">${priceHtml(product)}</span>
  </a>
</li>`

/** As high as any other. */
const emptyCard = html`<li class="card empty" aria-hidden="true"><a><span class="picture"></span><span class="brand"></span><span class="title"></span><span class="prices"></span></a></li>`

export interface AdRow {
  id: string
  title: string
  unit: UnitKey
  count: number
  /** What the unit's algorithm needs, besides the slot and the count. */
  targeting: object
  /** Shown where ads leave places, and where the ad server does not answer. */
  instead: readonly Product[]
}

/** A row that the browser fills with ads: its places are reserved, so that nothing moves when they come. */
export function adRow({ units }: ShopVisit, row: AdRow): Html {
  const targeting = { slotHash: units[row.unit], adCount: row.count, ...row.targeting }
  return html`<section class="row" aria-labelledby="${row.id}" data-ads>
  <h2 id="${row.id}">${row.title}</h2>
  <script type="application/json">${json(targeting)}</script>
  <ul class="track">${Array.from({ length: row.count }, () => emptyCard)}</ul>
  <template>${row.instead.slice(0, row.count).map(card)}</template>
</section>`
}

/** A place for a banner. What stands in it until one comes, or when none does, is the shop's own. */
export function bannerPlace(
  { units }: ShopVisit,
  place: { unit: UnitKey; shape: string; targeting: object; own: Html },
): Html {
  const targeting = { slotHash: units[place.unit], adCount: 1, country: 'DE', ...place.targeting }
  return html`<aside class="banner ${place.shape}" aria-label="Advertisement" data-banner>
  <script type="application/json">${json(targeting)}</script>
  <template>${place.own}</template>
</aside>`
}

export const grid = (products: readonly Product[]): Html => html`<ul class="grid">${products.map(card)}</ul>`
