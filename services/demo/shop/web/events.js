import { facts } from './facts.js'
import { noteEvent } from './notes.js'

const headers = {
  'content-type': 'application/json',
  cid: facts.cid,
  ...(facts.uid === null ? {} : { uid: facts.uid }),
}

/** Posts to the ad server. The request outlives the page, so that a click is reported while the product page loads. */
export function post(path, body) {
  return fetch(facts.adServer + path, { method: 'POST', headers, body: JSON.stringify(body), keepalive: true })
}

/** Reports an event to the ad server, and lists it for the shopper. */
async function report(name, path, body) {
  const answer = await post(path, body).catch(() => null)
  noteEvent({ name, status: answer?.status ?? 0 })
}

const kindOf = { sponsored: '/v1/dsa', display: '/v1/banner/dsa' }
export const reportView = (kind, ad) => report(`View · ${ad.name}`, `${kindOf[kind]}/view-event`, { showId: ad.showId })
export const reportClick = (kind, ad) =>
  report(`Click · ${ad.name}`, `${kindOf[kind]}/click-event`, { showId: ad.showId })

/** Reports a page view, with the campaign parameters of the address. */
export function reportPageView() {
  const query = new URLSearchParams(location.search)
  const { cid, uid, shopId, productId } = facts
  const body = { id: crypto.randomUUID(), cid, shopId, referer: location.href }
  if (uid !== null) body.uid = uid
  if (productId !== null) body.shopProductId = productId
  for (const [name, key] of Object.entries({
    utmSource: 'utm_source',
    utmMedium: 'utm_medium',
    utmCampaign: 'utm_campaign',
    gclid: 'gclid',
  })) {
    if (query.has(key)) body[name] = query.get(key)
  }
  return report('Page view', '/v1/ev/page-view', body)
}

/** @param kind CART, WISHLIST or PURCHASE. @param products of { shopProductId, price (of all units), quantity } */
export function reportTransaction(kind, products, eventId = crypto.randomUUID()) {
  const body = { eventId, kind, shopId: facts.shopId, currency: 'EUR', locale: 'en_DE', products }
  return report(
    `${kind[0]}${kind.slice(1).toLowerCase()} · ${products.map((line) => line.shopProductId).join(', ')}`,
    '/v1/ev/transaction',
    body,
  )
}
