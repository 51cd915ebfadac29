import type { DisplayTargeting } from '../../../schemas/http/display.ts'
import type { DisplayAlgorithm } from '../../../schemas/records/entities.ts'
import { normalBrand } from '../../domain/campaign/promotion.ts'
import { refererForms } from '../../domain/campaign/referer.ts'
import type { Page } from '../../domain/campaign/targeting.ts'
import { pathAndAbove } from '../../domain/catalogue/categories.ts'
import { indexTerms } from '../../domain/catalogue/text.ts'
import { given, givenAll } from '../candidates/filters.ts'
import type { Slot } from '../slots.ts'

export type DisplaySlot = Slot<DisplayTargeting, DisplayAlgorithm>

/** What a request says of the page and the person: of that only what was chosen as targeting on the ad unit. */
export function pageOf({ targeting, adUnit, algorithm, shop }: DisplaySlot, referer: string | null): Page {
  const chosen = new Set(adUnit.targeting)
  const list = (name: string, values: readonly (string | undefined)[] | undefined = []) =>
    chosen.has(name) ? givenAll(values.filter((value) => value !== undefined)) : []
  const { searchData, productTitle, categoryPaths, brand, productId, profiles } = targeting
  // The title of the page's product is sought in as well, where the algorithm takes one.
  const texts = list('searchData', [searchData, algorithm === 'DISPLAY' ? productTitle : undefined])
  const address = chosen.has('referer') ? given(referer ?? undefined) : null
  return {
    texts: texts.map((text) => new Set(indexTerms(text, shop.lang))),
    categories: new Set(list('categoryPaths', categoryPaths).flatMap(pathAndAbove)),
    brands: new Set(list('brand', [brand]).map(normalBrand)),
    productIds: new Set(list('productId', [productId])),
    profiles: new Set(list('profiles', profiles)),
    refererForms: address === null ? [] : refererForms(address),
  }
}
