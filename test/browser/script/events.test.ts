import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dateIn } from '../../date-in.ts'
import { waitFor } from '../../wait-for.ts'
import { openScriptWorld, type ScriptWorld } from './shop.ts'
import type { ScriptSite, Visit } from './site.ts'

let world: ScriptWorld
let site: ScriptSite
beforeAll(async () => {
  world = await openScriptWorld()
  site = world.site
  told = await taken()
})
afterAll(() => world?.stop())

const VIEW_MS = 1_000
/** Longer than the time for which the script gathers views. */
const GATHER_MS = 600
const LONG_MS = 10_000

const CSS = '#top, #end { height: 300vh }'
const BODY = '<div id="top">Top</div><div id="ads"></div><div id="end">End</div>'

/** Opens a page with two ads below the viewport, whose clock the test controls. */
async function openBelow() {
  const options = { css: CSS, viewport: { width: 600, height: 600 }, ownClock: true }
  const visit = await site.open(BODY + site.tag('ads', 1, 2), options)
  await visit.rendered(1)
  return { ...visit, run: (ms: number) => visit.page.clock.runFor(ms) }
}

/**
 * Waits until the script has noticed which cards are visible. For one frame, observers are notified in the order of their creation,
 * so the script's own observer is notified before this one.
 */
const noticed = ({ page }: Visit) =>
  page.evaluate(async () => {
    const card = document.querySelector('#ads')!.shadowRoot!.querySelector('a')!
    await new Promise((resolve) => new IntersectionObserver(resolve, { threshold: 0.5 }).observe(card))
  })

/** Scrolls until this many pixels of the cards (286 tall) are visible, and waits until the script has noticed. */
async function showPixels(visit: Visit, pixels: number): Promise<void> {
  await visit.page.evaluate((shown) => {
    const card = document.querySelector('#ads')!.shadowRoot!.querySelector('a')!
    scrollBy(0, card.getBoundingClientRect().top - innerHeight + shown)
  }, pixels)
  await noticed(visit)
}

/** How many events have been sent to the program. */
let told = 0
async function taken(): Promise<number> {
  const metrics = await site.program.metrics()
  return Number(/^endcap_events_accepted_total\{type="ad-events"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}
/** Waits until the program has received this many more events: those in flight when a browser closes may be lost. */
async function untilTaken(count: number): Promise<void> {
  told += count
  await waitFor(async () => (await taken()) >= told)
}

const untilEvents = (visit: Visit, count: number) => waitFor(async () => visit.events.length >= count)

describe('a view', () => {
  it('reports a view once for each ad that was half visible for a second', async () => {
    const visit = await openBelow()
    await showPixels(visit, 150)
    await visit.run(VIEW_MS + GATHER_MS)
    await untilEvents(visit, 2)
    await showPixels(visit, -100)
    await showPixels(visit, 280)
    await visit.run(LONG_MS)
    expect(visit.events).toEqual([expect.stringMatching(/^VIEW /), expect.stringMatching(/^VIEW /)])
    expect(new Set(visit.events).size).toBe(2)
    await untilTaken(2)
    await visit.close()
  })

  it('reports no view of ads that are below the screen, less than half visible, or scrolled past', async () => {
    const visit = await openBelow()
    await visit.run(LONG_MS)
    await showPixels(visit, 135)
    await visit.run(LONG_MS)
    await showPixels(visit, 280)
    await visit.run(VIEW_MS - 100)
    await showPixels(visit, 1_000)
    await visit.run(LONG_MS)
    expect(visit.events).toEqual([])
    await visit.close()
  })

  it.each([
    ['the tab is hidden', 'visibilitychange'],
    ['the window does not have the focus', 'blur'],
  ])('reports no view while %s, and measures a whole second afterwards', async (_why, change) => {
    const visit = await openBelow()
    await showPixels(visit, 250)
    await visit.run(VIEW_MS - 100)
    await visit.page.evaluate((name) => {
      const [property, value] = name === 'blur' ? ['hasFocus', () => false] : ['visibilityState', 'hidden']
      Object.defineProperty(document, property as string, { value, configurable: true })
      document.dispatchEvent(new Event(name))
      dispatchEvent(new Event(name))
    }, change)
    await visit.run(LONG_MS)
    await visit.page.evaluate(() => {
      for (const name of ['visibilityState', 'hasFocus']) Reflect.deleteProperty(document, name)
      document.dispatchEvent(new Event('visibilitychange'))
      dispatchEvent(new Event('focus'))
    })
    await visit.run(VIEW_MS - 100)
    expect(visit.events).toEqual([])
    await visit.run(100 + GATHER_MS)
    await untilEvents(visit, 2)
    await untilTaken(2)
    await visit.close()
  })

  it('reports a view again, once, when the request failed', async () => {
    const visit = await openBelow()
    await visit.page.route('**/v1/ev/batch', (route) =>
      route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' } }),
    )
    await showPixels(visit, 280)
    await visit.run(VIEW_MS + GATHER_MS)
    await untilEvents(visit, 2)
    await waitFor(async () => {
      await visit.run(VIEW_MS)
      return visit.events.length >= 4
    })
    await visit.run(LONG_MS)
    expect([visit.events.length, new Set(visit.events).size]).toEqual([4, 2])
    await visit.close()
  })

  it('sends waiting views when the page is left', async () => {
    const visit = await openBelow()
    await showPixels(visit, 280)
    await visit.run(VIEW_MS)
    expect(visit.events).toEqual([])
    // Playwright does not see requests that are sent while a page is left.
    await visit.page.goto('https://shop.example/elsewhere')
    await untilTaken(2)
    await visit.close()
  })
})

describe('a click', () => {
  async function openTop() {
    const visit = await site.open(`<div id="ads"></div>${site.tag('ads', 1, 2)}`, { ownClock: true })
    await visit.rendered(1)
    await noticed(visit)
    return { ...visit, link: visit.page.getByRole('link').first() }
  }
  type Top = Awaited<ReturnType<typeof openTop>>

  it.each([
    ['the mouse', ({ link }: Top) => link.click()],
    ['the keyboard', ({ link }: Top) => link.press('Enter')],
  ])('reports a click by %s, which opens the product', async (_by, click) => {
    const visit = await openTop()
    const href = await visit.link.getAttribute('href')
    await click(visit)
    await visit.page.waitForURL(href!)
    await untilEvents(visit, 1)
    expect(visit.events).toEqual([expect.stringMatching(/^CLICK /)])
    await untilTaken(1)
    await visit.close()
  })

  it('reports a click that leaves the page at once, and the views that wait, with nothing lost', async () => {
    const visit = await openTop()
    await visit.page.clock.runFor(VIEW_MS)
    expect(visit.events).toEqual([])
    await visit.link.evaluate((link) => {
      // The browser navigates in the same task as the script's own listener runs.
      link.addEventListener('click', () => location.assign('https://shop.example/elsewhere'))
    })
    await visit.link.click()
    await visit.page.waitForURL('https://shop.example/**')
    await untilTaken(3)
    await visit.close()
  })

  it('reports repeated clicks by the middle button once, and leaves the new tab to the browser', async () => {
    const visit = await openTop()
    const prevented = await visit.page.evaluateHandle(() => {
      const seen: boolean[] = []
      addEventListener('auxclick', ({ button, defaultPrevented }) => {
        if (button === 1) seen.push(defaultPrevented)
      })
      return seen
    })
    await visit.link.click({ button: 'middle' })
    await visit.link.click({ button: 'middle' })
    expect(await prevented.jsonValue()).toEqual([false, false])
    await visit.page.bringToFront()
    await visit.link.click({ button: 'right' })
    await untilEvents(visit, 1)
    expect(visit.events).toEqual([expect.stringMatching(/^CLICK /)])
    await untilTaken(1)
    await visit.close()
  })

  it('reports no click that a script or the right button made', async () => {
    const visit = await openTop()
    await visit.link.click({ button: 'right' })
    await visit.link.evaluate((link) => link.dispatchEvent(new MouseEvent('click', { cancelable: true })))
    await visit.page.clock.runFor(GATHER_MS)
    expect(visit.events).toEqual([])
    await visit.close()
  })
})

it('has every reported event judged valid and counted in the report', async () => {
  const query = new URLSearchParams({
    shopId: site.shop.shopId,
    from: dateIn(-1),
    to: dateIn(2),
    metrics: 'views,clicks,invalid',
  })
  const totals = async () =>
    (await site.shop.get<{ totals: Record<string, number> }>(`/v1/panel/reports?${query}`)).totals
  // Two for each test above that reports views, and one for each that reports a click.
  const expected = { views: 10, clicks: 4, invalid: 0 }
  await expect.poll(totals).toMatchObject(expected)
})
