import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JourneyShop, openShop } from '../../journey/shop.ts'
import { waitFor } from '../../wait-for.ts'
import { openWorld, type World } from '../harness.ts'

/** What browsers let a shop's page on another site than the program send and read. */

let world: World
let shop: JourneyShop
let page: Page
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>Shop</title>')
})
beforeAll(async () => {
  world = await openWorld()
  shop = await openShop(world.program, { lamps: ['red'], budget: 1_000 })
  await new Promise<void>((resolve) => site.listen(0, resolve))
  page = await world.browser.newPage()
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
})
afterAll(async () => {
  await world?.stop()
  site.close()
})

let pageViews = 0
/** The body of a new page view. */
const pageView = () => ({ id: `pv-${++pageViews}`, cid: 'c', referer: 'https://shop.example/', shopId: shop.shopId })
async function taken(): Promise<number> {
  const metrics = await world.program.metrics()
  return Number(/^endcap_events_accepted_total\{type="page-views"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}

describe('a page of another site', () => {
  it('lets a page of another site send a beacon of JSON', async () => {
    const before = await taken()
    const body = JSON.stringify({ events: [{ type: 'PAGE_VIEW', data: pageView() }] })
    const isQueued = await page.evaluate(
      ([url, text]) => navigator.sendBeacon(url!, new Blob([text!], { type: 'application/json' })),
      [`${world.program.url}/v1/ev/batch`, body],
    )
    expect(isQueued).toBe(true)
    await waitFor(async () => (await taken()) === before + 1)
  })

  it.each([{ credentials: 'include' }, { keepalive: true }, { credentials: 'include', keepalive: true }])(
    'lets a page of another site fetch with %j and the headers of tracing and signing',
    async (options) => {
      const read = await page.evaluate(
        async ([url, body, init]) => {
          const headers = {
            'content-type': 'application/json',
            cid: 'c',
            uid: 'u',
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
            tracestate: 'a=1',
            'x-requested-with': 'XMLHttpRequest',
          }
          const response = await fetch(url as string, {
            ...(init as RequestInit),
            method: 'POST',
            headers,
            body: JSON.stringify(body),
          })
          const { status } = response
          return { status, requestId: response.headers.get('request-id'), answer: await response.json() }
        },
        [`${world.program.url}/v1/ev/page-view`, pageView(), options] as const,
      )
      expect(read).toEqual({
        status: 202,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        answer: { clientId: 'c', accepted: 1, rejected: [] },
      })
    },
  )

  it('lets a page of another site request ads with credentials, and read them and the dropped parameters', async () => {
    const targeting = [{ slotHash: shop.slotHash, adCount: 101, searchData: 'desk lamp' }]
    const read = await page.evaluate(
      async ([url, body]) => {
        const headers = { 'content-type': 'application/json', cid: 'c' }
        const init = { method: 'POST', credentials: 'include', headers, body: JSON.stringify(body) } as const
        const response = await fetch(url as string, init)
        return { status: response.status, limits: response.headers.get('endcap-limits'), answer: await response.json() }
      },
      [`${world.program.url}/v1/dsa/raw/batch`, { targeting }] as const,
    )
    expect(read).toMatchObject({ status: 200, limits: 'targeting[0].adCount=100', answer: { clientId: 'c' } })
  })

  it('keeps the management API unreadable for a page of another site, whatever it sends', async () => {
    const tried = await page.evaluate(async (url) => {
      const ask = (init: RequestInit) =>
        fetch(`${url}/v1/panel/session`, init).then(
          ({ status }) => status,
          (error: Error) => error.name,
        )
      return [
        await ask({}),
        await ask({ credentials: 'include' }),
        await ask({ headers: { authorization: 'Bearer x' } }),
        await ask({ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
      ]
    }, world.program.url)
    expect(tried).toEqual(Array(4).fill('TypeError'))
  })
})
