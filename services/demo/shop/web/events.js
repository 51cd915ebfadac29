import { facts } from './facts.js'
import { noteEvent } from './notes.js'
import { uuid } from './uuid.js'

const headers = {
  'content-type': 'application/json',
  cid: facts.cid,
  ...(facts.uid === null ? {} : { uid: facts.uid }),
}

/** Posts to the ad server. The request outlives the page. */
export function post(path, body) {
  return fetch(facts.adServer + path, { method: 'POST', headers, body: JSON.stringify(body), keepalive: true })
}

/** A page that is being left rejects its requests, even those that the browser goes on sending. Wait this long to find out. */
const LEAVING_MS = 500
let isLeft = false
addEventListener('pagehide', () => {
  isLeft = true
})
addEventListener('pageshow', () => {
  isLeft = false
})

/** Reports an event to the ad server, and lists it for the shopper. */
async function report(name, path, body) {
  const settle = noteEvent(name)
  try {
    const { status } = await post(path, body)
    settle(status === 202 ? 'accepted' : 'refused', status)
  } catch {
    setTimeout(() => isLeft || settle('lost'), LEAVING_MS)
  }
}

export const reportView = (kind, ad) =>
  report(`View · ${ad.name}`, `${kind === 'display' ? '/v1/banner/dsa' : '/v1/dsa'}/view-event`, { showId: ad.showId })

/**
 * Reports a click. The page is about to be left, so the event goes by beacon: the browser sends it in any case, and as plain
 * text it needs no CORS preflight. The showId says who was shown the ad. No answer reaches the page.
 */
export function reportClick(ad) {
  const body = JSON.stringify({ events: [{ type: 'CLICK', showId: ad.showId }] })
  const settle = noteEvent(`Click · ${ad.name}`)
  if (!navigator.sendBeacon(`${facts.adServer}/v1/ev/batch`, body)) settle('lost')
}

/** Reports a page view, with the campaign parameters of the address. */
export function reportPageView() {
  const query = new URLSearchParams(location.search)
  const { cid, uid, shopId, productId } = facts
  const body = { id: uuid(), cid, shopId, referer: location.href }
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
export function reportTransaction(kind, products, eventId = uuid()) {
  const body = { eventId, kind, shopId: facts.shopId, currency: 'EUR', locale: 'en_DE', products }
  return report(
    `${kind[0]}${kind.slice(1).toLowerCase()} · ${products.map((line) => line.shopProductId).join(', ')}`,
    '/v1/ev/transaction',
    body,
  )
}
