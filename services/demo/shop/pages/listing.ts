import type { Product } from '../../catalogue/products.ts'
import { hexOf } from '../../pictures/colors.ts'
import { adRow, bannerPlace, grid } from '../cards.ts'
import type { ShopVisit } from '../context.ts'
import { capital, counted } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { ShopPage } from '../layout.ts'
import { type Category, type Filters, filtered, SORTS, slug } from '../shelf.ts'

const PAGE_SIZE = 24
const ROW = 4
const PRICE_STEPS = [25, 50, 100, 200]

export interface Listing {
  filters: Filters
  /** The page number, from 1. */
  page: number
}

/** The page of a department or of a category below it. */
export function categoryPage(visit: ShopVisit, category: Category, listing: Listing): ShopPage {
  const all = visit.shelf.inCategory(category.path)
  const targeting = { categoryPaths: [category.path] }
  const top = html`${crumbs(category.path, visit)}<h1>${category.name}</h1>
${category.children.length > 0 && html`<ul class="chips">${category.children.map(({ href, name, count }) => html`<li><a href="${href}">${name} <small>${count}</small></a></li>`)}</ul>`}
${bannerPlace(visit, { unit: 'leaderboard', shape: 'leaderboard', targeting, own: ownStrip })}
${adRow(visit, { id: 'sponsored', title: `Popular in ${category.name}`, unit: 'listing', count: ROW, targeting, instead: all })}`
  return { title: category.name, body: html`<div class="wide">${top}${shelves(visit, all, listing)}</div>` }
}

/** The page of search results. */
export function searchPage(visit: ShopVisit, phrase: string, listing: Listing): ShopPage {
  const all = visit.shelf.search(phrase)
  const instead = all.length > 0 ? all.slice(ROW) : visit.shelf.inCategory('Kitchen')
  const body = html`<div class="wide"><h1>${all.length > 0 ? `“${phrase}”` : `No results for “${phrase}”`}</h1>
${adRow(visit, { id: 'sponsored', title: 'Matches your search', unit: 'searchWide', count: ROW, targeting: { searchData: phrase }, instead })}
${all.length > 0 ? shelves(visit, all, listing) : html`<p>Try fewer words, or browse the departments above.</p>`}</div>`
  return { title: `“${phrase}”`, body, phrase }
}

function shelves(visit: ShopVisit, all: readonly Product[], { filters, page }: Listing): Html {
  const found = filtered(all, filters)
  const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  const more = found.length > page * PAGE_SIZE && linkTo(visit.url, page + 1)
  const less = page > 1 && linkTo(visit.url, page - 1)
  return html`<div class="listing">
${filterForm(visit.url, all, filters)}
<section aria-label="Products"><p class="found" role="status">${counted(found.length, 'product')}</p>
${shown.length > 0 ? grid(shown) : html`<p>No products match these filters. <a href="${visit.url.split('?')[0]!}">Clear them</a></p>`}
<p class="pages">${less && html`<a class="button quiet" href="${less}" rel="prev">Previous</a>`} ${more && html`<a class="button quiet" href="${more}" rel="next">Next</a>`}</p></section>
</div>`
}

function filterForm(url: string, all: readonly Product[], filters: Filters): Html {
  const brands = [...new Set(all.map(({ brand }) => brand))].sort()
  const colors = [...new Set(all.map(({ color }) => color))].sort()
  const phrase = new URL(url, 'http://shop').searchParams.get('q')
  const box = (name: string, value: string, checked: boolean, label: string | Html) =>
    html`<label><input type="checkbox" name="${name}" value="${value}" ${checked && html`checked`}> ${label}</label>`
  return html`<details class="filters" data-filters><summary class="button quiet">Filter and sort</summary><form>
${phrase !== null && html`<input type="hidden" name="q" value="${phrase}">`}
<label class="field">Sort by <select name="sort">${Object.entries(SORTS).map(([value, name]) => html`<option value="${value}" ${filters.sort === value && html`selected`}>${name}</option>`)}</select></label>
<fieldset><legend>Brand</legend>${brands.map((brand) => box('brand', brand, filters.brands.includes(brand), brand))}</fieldset>
<fieldset><legend>Colour</legend>${colors.map((color) => box('color', color, filters.colors.includes(color), html`${swatch(color)} ${capital(color)}`))}</fieldset>
<label class="field">Price <select name="max"><option value="">Any</option>${PRICE_STEPS.map((step) => html`<option value="${step}" ${filters.priceMax === step && html`selected`}>up to €${step}</option>`)}</select></label>
${box('sale', '1', filters.onSale, 'On sale')}
<button class="button">Show</button>
</form></details>`
}

/** A dot in a colour. */
export const swatch = (color: string): Html =>
  html`<svg class="swatch" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="7.5" fill="${hexOf(color)}"/></svg>`

/** The breadcrumbs from the home page to a category. */
export function crumbs(path: string, { shelf }: ShopVisit): Html {
  const names = path.split(' > ')
  const steps = names.map((_, index) => shelf.category(names.slice(0, index + 1).map(slug))!)
  return html`<nav class="crumbs" aria-label="Breadcrumbs"><a href="/">Home</a>${steps.map(({ href, name }) => html` › <a href="${href}">${name}</a>`)}</nav>`
}

function linkTo(url: string, page: number): string {
  const next = new URL(url, 'http://shop')
  next.searchParams.set('page', String(page))
  return next.pathname + next.search
}

const ownStrip = html`<a class="own" href="/search?q=blanket"><span class="words"><strong>Free delivery from €49</strong><span class="button">Find something warm</span></span></a>`
