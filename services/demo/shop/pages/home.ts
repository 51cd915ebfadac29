import { picturePath } from '../../catalogue/feed.ts'
import { adRow, bannerPlace, grid } from '../cards.ts'
import type { ShopVisit } from '../context.ts'
import { counted } from '../format.ts'
import { html } from '../html.ts'
import type { ShopPage } from '../layout.ts'

const PICKS = 8
const ROW = 5

export function home(visit: ShopVisit): ShopPage {
  const { shelf } = visit
  const models = shelf.departments.flatMap(({ path }) => shelf.inCategory(path))
  const deals = models.filter(({ salePrice, available }) => salePrice !== null && available)
  return {
    title: 'Good things for every day',
    body: html`<h1 class="hidden">Northwind Market</h1>
${bannerPlace(visit, { unit: 'hero', shape: 'native', targeting: {}, own: ownHero })}
${adRow(visit, { id: 'bestsellers', title: 'Bestsellers', unit: 'home', count: ROW, targeting: {}, instead: models.filter((_, i) => i % 17 === 3) })}
<section class="wide-section"><h2>Departments</h2><ul class="doors">${shelf.departments.map(
      ({ href, name, path, count }, index) => {
        const shown = shelf.inCategory(path)[index % 5]!
        return html`<li><a href="${href}"><img src="${picturePath(shown.id)}" alt="" width="400" height="400" loading="lazy" decoding="async"><span>${name}</span><small>${counted(count, 'product')}</small></a></li>`
      },
    )}</ul></section>
<section class="wide-section"><h2>On sale</h2>${grid(deals.filter((_, i) => i % 4 === 1).slice(0, PICKS))}</section>`,
  }
}

const ownHero = html`<a class="own" href="/c/living"><span class="words"><strong>Good things for every day</strong><span class="button">Look around</span></span></a>`
