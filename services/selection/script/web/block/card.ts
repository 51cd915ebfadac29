import type { AdLabels } from '../../../../domain/ad-labels.ts'
import type { Ad } from '../ads.ts'
import { el } from './element.ts'

/** Pixels. Only the ratio matters: the style sheet gives the box its size. */
const PICTURE_SIDE = 240

/** The link of one ad; null when its product has no http address. Feeds are untrusted, so everything is set as text. */
export function adLink(ad: Ad, labels: AdLabels, languages: readonly string[]): HTMLAnchorElement | null {
  const href = webAddress(ad.productHref)
  if (!href) return null
  // Isolated: a page that is written from right to left may sell products whose names are not, and the other way round.
  const title = el('span', 'title', el('bdi', '', ad.productTitle))
  title.lang = ad.lang
  const brand = ad.brand ? [el('span', 'brand', el('bdi', '', ad.brand))] : []
  const text = el('span', 'text', ...brand, title, prices(ad, labels, languages))
  const link = el('a', 'card', picture(ad), text)
  link.href = href
  return link
}

/** The picture has no alternative text: screen readers read the title next to it. */
function picture({ productImageUrl }: Ad): HTMLElement {
  const box = el('span', 'picture')
  const src = webAddress(productImageUrl)
  if (!src) return box
  const image = el('img', '')
  image.alt = ''
  image.loading = 'lazy'
  image.decoding = 'async'
  image.width = image.height = PICTURE_SIDE
  image.onerror = () => image.remove()
  image.src = src
  box.append(image)
  return box
}

function prices({ productPrice, productSalePrice, currency }: Ad, labels: AdLabels, languages: readonly string[]) {
  const text = (amount: number) => priceText(amount, currency, languages)
  if (productSalePrice >= productPrice) return el('span', 'price', text(productPrice))
  const now = el('span', 'sale', el('span', 'read', `${labels.priceNow} `), text(productSalePrice))
  const before = el('s', '', el('span', 'read', `${labels.priceBefore} `), text(productPrice))
  return el('span', 'price', now, ' ', before)
}

function webAddress(text: string): string | null {
  try {
    const { protocol, href } = new URL(text)
    return protocol === 'https:' || protocol === 'http:' ? href : null
  } catch {
    return null
  }
}

/** Formats an amount in the first of these languages that the browser knows. */
function priceText(amount: number, currency: string, languages: readonly string[]): string {
  const locales = languages.filter(isLocale)
  return new Intl.NumberFormat(locales.length > 0 ? locales : ['en'], { style: 'currency', currency }).format(amount)
}

function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
