import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { JourneyShop } from '../../journey/shop.ts'
import type { Program } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'

/** A shop's page on its own origin, with a strict policy and the emission script. */
export interface ScriptSite {
  program: Program
  shop: JourneyShop
  /** The address of the emission script for these parameters. */
  script(elementId: string, rows: number, cols: number, query?: Record<string, string>): string
  /** Its script element, with the page's nonce. */
  tag(...parameters: Parameters<ScriptSite['script']>): string
  /** Opens a page with this body. */
  open(body: string, options?: OpenOptions): Promise<Visit>
  close(): Promise<void>
}

export interface OpenOptions extends BrowserContextOptions {
  /** Further directives of the page's Content-Security-Policy. */
  policy?: string
  css?: string
  /** Runs before the page's own scripts. */
  before?: () => void
  /** The page's timers are driven by `page.clock`. */
  ownClock?: boolean
}

export interface Visit {
  page: Page
  /** `VIEW` or `CLICK` with the showId, in the order of sending. */
  events: string[]
  /** Bodies of the ad requests, with their cid. */
  requests: { cid: string; targeting: Record<string, unknown>[] }[]
  /** Violations of the policy, and errors. */
  errors: string[]
  /** The sum of all layout shifts so far. */
  layoutShift(): Promise<number>
  /** Waits until this many elements of the page have been filled. */
  rendered(count: number): Promise<void>
  close(): Promise<void>
}

const NONCE = 'n0nce'
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="3" fill="#e8b04b"/></svg>'
const watch = () => {
  const seen = { shift: 0, rendered: 0 }
  Object.assign(window, { seen })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  addEventListener('endcap:rendered', () => {
    seen.rendered += 1
  })
}

export async function openScriptSite(browser: Browser, program: Program, shop: JourneyShop): Promise<ScriptSite> {
  const pages: { body: string; policy: string }[] = []
  const server = createServer((request, response) => {
    const page = pages[Number(request.url!.slice(1))]
    if (!page) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', page.policy)
    response.end(page.body)
  })
  const url = await listen(server)
  const script: ScriptSite['script'] = (elementId, rows, cols, query = { searchData: 'desk lamp' }) =>
    `${program.url}/v1/dsa/formatted/${shop.slotHash}/${encodeURIComponent(elementId)}/${rows}/${cols}?${new URLSearchParams(query)}`

  return {
    program,
    shop,
    script,
    tag: (...parameters) =>
      `<script async crossorigin nonce="${NONCE}" src="${script(...parameters).replaceAll('&', '&amp;')}"></script>`,
    async open(html, { policy: more = '', css = '', before, ownClock = false, ...options } = {}) {
      const body = `<!doctype html><html lang="en"><title>Shop</title><style nonce="${NONCE}">${css}</style><main>${html}</main>`
      const policy = `default-src 'none'; base-uri 'none'; script-src 'nonce-${NONCE}'; style-src 'nonce-${NONCE}'; connect-src ${program.url}; img-src https://shop.example; ${more}`
      const context = await browser.newContext(options)
      await context.route('https://shop.example/**', (route) =>
        route.request().resourceType() === 'image'
          ? route.fulfill({ contentType: 'image/svg+xml', body: PICTURE })
          : route.fulfill({ contentType: 'text/html', body: '<title>Product</title>' }),
      )
      await context.addInitScript(watch)
      if (ownClock) {
        const time = Date.now()
        await context.clock.install({ time })
        await context.clock.pauseAt(time + 1)
      }
      if (before) await context.addInitScript(before)
      const page = await context.newPage()
      const visit = { events: [] as string[], requests: [] as Visit['requests'], errors: [] as string[] }
      page.on('pageerror', (error) => visit.errors.push(error.message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) visit.errors.push(message.text())
      })
      context.on('request', (request) => {
        if (request.method() !== 'POST') return
        const sent = JSON.parse(request.postData()!)
        if (request.url().endsWith('/v1/ev/batch')) {
          for (const { type, showId } of sent.events) visit.events.push(`${type} ${showId}`)
        } else visit.requests.push({ cid: request.headers().cid!, targeting: sent.targeting })
      })
      const path = pages.push({ body, policy }) - 1
      await page.goto(`${url}/${path}`)
      const seen = (name: string) => page.evaluate(`seen.${name}`) as Promise<number>
      return {
        ...visit,
        page,
        layoutShift: () => seen('shift'),
        rendered: async (count) => {
          await waitFor(async () => (await seen('rendered')) >= count)
        },
        close: () => context.close(),
      }
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, () => resolve(`http://localhost:${(server.address() as AddressInfo).port}`))
  })
}

/** Adds a script element as a page's own code does. */
export function addScript(
  page: { evaluate(fn: (src: string) => void, src: string): Promise<void> },
  src: string,
): Promise<void> {
  return page.evaluate((address) => {
    const script = document.createElement('script')
    script.src = address
    script.nonce = 'n0nce'
    document.body.append(script)
  }, src)
}
