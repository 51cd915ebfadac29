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
const card = (product: Product): Html => html`<li class="card">
  <a href="${productPath(product.id)}">
    <img src="${picturePath(product.id)}" alt="" width="400" height="400" loading="lazy" decoding="async">
    <span class="brand">${product.brand}</span>
    <span class="title">${product.title}</span>
    <span class="prices">${priceHtml(product)}</span>
  </a>
</li>`

/** A placeholder as tall as any card. */
const emptyCard = html`<li class="card empty" aria-hidden="true"><a><span class="picture"></span><span class="brand"></span><span class="title"></span><span class="prices"></span></a></li>`

export interface AdRow {
  id: string
  title: string
  unit: UnitKey
  count: number
  /** The parameters of the unit's algorithm, besides the slot and the count. */
  targeting: object
  /** Products shown in places without an ad, and when the ad server does not answer. */
  instead: readonly Product[]
}

/** A row that the browser fills with ads. Its space is reserved, so that the page does not shift. */
export function adRow({ units }: ShopVisit, row: AdRow): Html {
  const targeting = { slotHash: units[row.unit], adCount: row.count, ...row.targeting }
  return html`<section class="row" aria-labelledby="${row.id}" data-ads>
  <h2 id="${row.id}">${row.title}</h2>
  <script type="application/json">${json(targeting)}</script>
  <ul class="track">${Array.from({ length: row.count }, () => emptyCard)}</ul>
  <template>${row.instead.slice(0, row.count).map(card)}</template>
</section>`
}

/** A place for a banner. Without one it shows the shop's own content. */
export function bannerPlace(
  { units, labels }: ShopVisit,
  place: { unit: UnitKey; shape: string; targeting: object; own: Html },
): Html {
  const targeting = { slotHash: units[place.unit], adCount: 1, country: 'DE', ...place.targeting }
  return html`<aside class="banner ${place.shape}" lang="${labels.lang}" aria-label="${labels.sponsored}" data-banner>
  <script type="application/json">${json(targeting)}</script>
  <template>${place.own}</template>
</aside>`
}

export const grid = (products: readonly Product[]): Html => html`<ul class="grid">${products.map(card)}</ul>`
