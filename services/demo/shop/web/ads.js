import { post, reportClick, reportView } from './events.js'
import { onceSeen } from './seen.js'

const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
const MIDDLE_BUTTON = 1

const placesOf = (selector) =>
  [...document.querySelectorAll(selector)].map((element) => ({
    element,
    targeting: JSON.parse(element.querySelector('script').textContent),
  }))

/** Requests the ads of all places of one kind at once, so that no ad appears twice. Without an answer there are no ads. */
async function select(path, places) {
  if (places.length === 0) return []
  const answer = await post(path, { targeting: places.map(({ targeting }) => targeting) }).catch(() => null)
  if (!answer?.ok) return places.map(() => [])
  return (await answer.json()).data.map(({ ads }) => ads)
}

function report(kind, ad, link) {
  onceSeen(link, () => reportView(kind, ad))
  const onClick = (event) => {
    if (event.type === 'auxclick' && event.button !== MIDDLE_BUTTON) return
    for (const type of ['click', 'auxclick']) link.removeEventListener(type, onClick)
    reportClick(ad)
  }
  for (const type of ['click', 'auxclick']) link.addEventListener(type, onClick)
}

/** Fills every row of products. Places without an ad show the page's own products. */
export async function fillRows() {
  const places = placesOf('[data-ads]')
  const answers = await select('/v1/dsa/raw/batch', places)
  for (const [index, { element, targeting }] of places.entries()) {
    const cards = answers[index].map(cardOf)
    const shown = new Set(answers[index].map(({ productHref }) => new URL(productHref).pathname))
    const own = [...document.importNode(element.querySelector('template').content, true).querySelectorAll('li')]
    const others = own.filter((card) => !shown.has(card.querySelector('a').getAttribute('href')))
    element.querySelector('.track').replaceChildren(...[...cards, ...others].slice(0, targeting.adCount))
  }
}

function cardOf(ad) {
  const card = document.importNode(document.getElementById('ad-card').content, true).firstElementChild
  const link = card.querySelector('a')
  link.href = ad.productHref
  link.dataset.ad = ad.shopProductId
  card.querySelector('img').src = ad.productImageUrl
  card.querySelector('.brand').textContent = ad.brand
  card.querySelector('.title').textContent = ad.productTitle
  card.querySelector('.prices').append(...pricesOf(ad))
  report('sponsored', { showId: ad.showId, name: ad.productTitle }, link)
  return card
}

function pricesOf({ productPrice, productSalePrice }) {
  const price = document.createElement('span')
  const isOnSale = productSalePrice < productPrice
  price.className = isOnSale ? 'price sale' : 'price'
  price.textContent = euros.format(productSalePrice)
  if (!isOnSale) return [price]
  const was = document.createElement('s')
  was.className = 'was'
  was.textContent = euros.format(productPrice)
  return [price, ' ', was]
}

/** Fills every banner place. */
export async function fillBanners() {
  const places = placesOf('[data-banner]')
  const answers = await select('/v1/banner/dsa/raw/batch', places)
  for (const [index, { element }] of places.entries()) {
    const [ad] = answers[index]
    if (ad) element.append(bannerOf(ad, element.ariaLabel))
    else element.append(document.importNode(element.querySelector('template').content, true))
    element.classList.add('filled')
  }
}

function bannerOf(ad, label) {
  const textOf = (type) => ad.textFields.find((field) => field.type === type)?.value
  const link = document.createElement('a')
  link.href = ad.bannerUrl
  link.dataset.banner = ad.bannerId
  const color = textOf('BG_COLOR')
  if (color) link.style.setProperty('--banner-color', color)
  const image = document.createElement('img')
  const { imageUrl, width, height } = ad.images[0]
  Object.assign(image, { src: imageUrl, width, height, alt: '' })
  const words = document.createElement('span')
  words.className = 'words'
  words.lang = 'en'
  for (const [name, text] of [
    ['strong', textOf('TITLE')],
    ['span', textOf('CTA')],
  ]) {
    if (!text) continue
    const part = document.createElement(name)
    part.textContent = text
    if (name === 'span') part.className = 'button'
    words.append(part)
  }
  const tag = document.createElement('span')
  tag.className = 'tag'
  tag.textContent = label
  link.append(image, words, tag)
  report('display', { showId: ad.showId, name: textOf('TITLE') ?? 'banner' }, link)
  return link
}
