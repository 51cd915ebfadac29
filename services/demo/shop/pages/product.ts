import { picturePath, productPath } from '../../catalogue/feed.ts'
import type { Product } from '../../catalogue/products.ts'
import { VIEWS } from '../../pictures/picture.ts'
import { adRow, bannerPlace, priceHtml } from '../cards.ts'
import type { ShopVisit } from '../context.ts'
import { capital } from '../format.ts'
import { type Html, html } from '../html.ts'
import { icons } from '../icons.ts'
import type { ShopPage } from '../layout.ts'
import { crumbs, swatch } from './listing.ts'

const ROW = 4
const SIMILAR_ELEMENT = 'similar-products'
const viewPaths = (id: string) =>
  VIEWS.map((view) => (view === 'front' ? picturePath(id) : `/pictures/${id}-${view}.svg`))

export function productPage(visit: ShopVisit, product: Product): ShopPage {
  const related = visit.shelf
    .inCategory(product.category.split(' > ')[0]!)
    .filter(({ groupId }) => groupId !== product.groupId)
  return {
    title: product.title,
    productId: product.id,
    body: html`<div class="wide">${crumbs(product.category, visit)}
<article class="product">${gallery(product)}${facts(visit, product)}</article>
${similarByScript(visit, product)}
${adRow(visit, { id: 'also-bought', title: 'Others also bought', unit: 'alsoBought', count: ROW, targeting: { shopProductId: product.id }, instead: related })}
</div>`,
  }
}

const gallery = ({ id, title }: Product) => html`<div class="gallery" data-gallery>
<img src="${viewPaths(id)[0]!}" alt="${title}" width="800" height="800" fetchpriority="high">
<ul>${viewPaths(id).map((path, index) => html`<li><a href="${path}" ${index === 0 && html`aria-current="true"`}><img src="${path}" alt="View ${index + 1}" width="96" height="96" loading="lazy"></a></li>`)}</ul>
</div>`

const facts = (visit: ShopVisit, product: Product) => html`<div class="facts">
<p class="brand">${product.brand}</p>
<h1>${product.title}</h1>
<p class="prices big">${priceHtml(product)}</p>
<p class="small">Including VAT. ${product.sellerId === 'seller-northwind' ? 'Sold and shipped by Northwind Market.' : `Sold by ${product.sellerName}, shipped by Northwind Market.`}</p>
${variants(visit, product)}
<form method="post" action="/cart/add" class="buy" data-add="${product.id}">
<input type="hidden" name="id" value="${product.id}">
<button class="button" ${!product.available && html`disabled`}>${product.available ? 'Add to cart' : 'Sold out'}</button>
<button class="button quiet heart" type="button" data-wish="${product.id}" aria-pressed="false" aria-label="Add to wishlist">${icons.heart}</button>
</form>
<p class="added" role="status" data-added></p>
<ul class="promises"><li>${icons.truck} At your door in two days</li><li>${icons.back} 30 days to think it over</li></ul>
<h2>About this product</h2><p>${product.description}</p>
<dl>${[{ name: 'Material', value: product.material }, ...product.details].map(({ name, value }) => html`<div><dt>${name}</dt><dd>${capital(value)}</dd></div>`)}</dl>
${bannerPlace(visit, { unit: 'rectangle', shape: 'rectangle', targeting: { categoryPaths: [product.category], productId: product.id }, own: ownBox })}
</div>`

function variants(visit: ShopVisit, product: Product): Html {
  const all = visit.shelf.variants(product)
  const inSize = all.filter(({ size }) => size === product.size)
  const inColor = all.filter(({ color }) => color === product.color)
  return html`<div class="variants"><p>Colour: <strong>${capital(product.color)}</strong></p>
<ul>${inSize.map((each) => html`<li><a href="${productPath(each.id)}" aria-label="${capital(each.color)}" ${each.id === product.id && html`aria-current="true"`}>${swatch(each.color)}</a></li>`)}</ul>
${product.size !== null && html`<p>Size</p><ul>${inColor.map((each) => html`<li><a class="size" href="${productPath(each.id)}" ${each.id === product.id && html`aria-current="true"`}>${each.size}</a></li>`)}</ul>`}</div>`
}

/** A section that the emission script fills. The script requests, draws and reports the ads. */
function similarByScript({ adServer, units, labels }: ShopVisit, product: Product): Html {
  const query = new URLSearchParams({
    productTitle: product.model,
    categoryId: product.category.split(' > ')[0]!,
    excludedShopProductsIds: product.id,
    currency: 'EUR',
  })
  const source = `${adServer}/v1/dsa/formatted/${units.similar}/${SIMILAR_ELEMENT}/1/${ROW}?${query}`
  return html`<section class="row" aria-labelledby="similar"><h2 id="similar">Similar products</h2><div id="${SIMILAR_ELEMENT}" class="scripted" lang="${labels.lang}"></div><script async src="${source}"></script></section>`
}

const ownBox = html`<a class="own" href="/c/kids"><span class="words"><strong>Something small for someone small</strong><span class="button">Browse toys</span></span></a>`
