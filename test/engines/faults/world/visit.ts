import type { Ad } from '../../../journey/shop.ts'

/** What one person does after an ad request: a batch for `POST /v1/ev/batch`, and the name of each event in it. */
export interface Visit {
  cid: string
  events: unknown[]
  names: string[]
}

/** Part of the ids of purchases that an ad has earned. */
const CREDITED = 'credited'
const CLICKS = 2
const PURCHASES = 2

/**
 * Views every ad, clicks some, buys some, and views pages until the batch is full. Every event carries its time, as it should for a
 * caller that repeats unacknowledged batches: a purchase sent at first must not come before the click of the repetition.
 * @param options.again ads that were viewed before, and whose views are sent once more.
 */
export function visit(options: {
  shopId: string
  cid: string
  ads: readonly Ad[]
  again: readonly Ad[]
  events: number
  /** UTC epoch milliseconds. */
  now: number
}): Visit {
  const { shopId, cid, ads, again } = options
  const occurredAt = new Date(options.now).toISOString()
  const events: unknown[] = []
  const names: string[] = []
  const add = (name: string, event: object) => {
    names.push(name)
    events.push({ ...event, occurredAt })
  }
  for (const { showId, requestId, shopProductId } of [...ads, ...again]) {
    add(`VIEW ${requestId} ${shopProductId}`, { type: 'VIEW', showId })
  }
  for (const { showId, requestId, shopProductId } of ads.slice(0, CLICKS)) {
    add(`CLICK ${requestId} ${shopProductId}`, { type: 'CLICK', showId })
  }
  for (let i = 0; i < PURCHASES; i++) {
    const ad = ads[i]
    const eventId = `${cid}/${ad ? CREDITED : 'other'}/${i}`
    const products = [{ shopProductId: ad?.shopProductId ?? 'lamp-0', price: 10, quantity: 1 }]
    const data = { eventId, kind: 'PURCHASE', shopId, currency: 'EUR', cid, products }
    add(`TRANSACTION ${eventId}`, { type: 'TRANSACTION', data })
  }
  for (let i = 0; events.length < options.events; i++) {
    const id = `${cid}/page/${i}`
    add(`PAGE_VIEW ${id}`, { type: 'PAGE_VIEW', data: { id, cid, shopId, referer: 'https://shop.example/' } })
  }
  return { cid, events, names }
}

/** What a report must say about events with these names, however often each was sent. */
export function reported(names: Iterable<string>): { views: number; clicks: number; purchases: number } {
  const report = { views: 0, clicks: 0, purchases: 0 }
  for (const name of names) {
    if (name.startsWith('VIEW ')) report.views++
    if (name.startsWith('CLICK ')) report.clicks++
    if (name.startsWith('TRANSACTION ') && name.includes(`/${CREDITED}/`)) report.purchases++
  }
  return report
}
