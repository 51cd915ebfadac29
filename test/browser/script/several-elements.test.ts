import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScriptWorld, type ScriptWorld } from './shop.ts'
import { addScript, type ScriptSite } from './site.ts'

let world: ScriptWorld
let site: ScriptSite
beforeAll(async () => {
  world = await openScriptWorld()
  site = world.site
})
afterAll(() => world?.stop())

describe('several script elements on a page', () => {
  const shownBy = (visit: Awaited<ReturnType<ScriptSite['open']>>, id: string) =>
    visit.page.locator(`[id="${id}"] a`).evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))

  it('several script elements share one request, and show no product twice', async () => {
    const visit = await site.open(`<div id="a"></div><div id="b"></div>${site.tag('a', 1, 3)}${site.tag('b', 1, 3)}`)
    await visit.rendered(2)
    expect(visit.requests.map(({ targeting }) => targeting.length)).toEqual([2])
    const shown = [...(await shownBy(visit, 'a')), ...(await shownBy(visit, 'b'))]
    expect(new Set(shown).size).toBe(6)
    await visit.close()
  })

  it('a later script element or a rescan repeats no product', async () => {
    const visit = await site.open(`<div id="a"></div><div id="b"></div>${site.tag('a', 1, 3)}`)
    await visit.rendered(1)
    await addScript(visit.page, site.script('b', 1, 3))
    await visit.rendered(2)
    const [a, b] = [await shownBy(visit, 'a'), await shownBy(visit, 'b')]
    expect(new Set([...a, ...b]).size).toBe(6)

    // A single-page application replaces the element without loading the script again.
    await visit.page.evaluate(() => {
      const fresh = document.createElement('div')
      fresh.id = 'a'
      document.getElementById('a')!.replaceWith(fresh)
      ;(window as never as { endcap: { rescan(): void } }).endcap.rescan()
    })
    await visit.rendered(3)
    const again = await shownBy(visit, 'a')
    expect([again.length, again.filter((href) => b.includes(href))]).toEqual([3, []])
    expect(new Set(visit.requests.map(({ cid }) => cid)).size).toBe(1)
    await visit.close()
  })

  it('fills an element that is replaced during its request by the next request, and only once', async () => {
    const visit = await site.open('<div id="a"></div>')
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    await visit.page.route('**/v1/dsa/raw/batch', async (route) => {
      await promise
      await route.continue()
    })
    const asked = visit.page.waitForRequest('**/v1/dsa/raw/batch')
    await addScript(visit.page, site.script('a', 1, 3))
    await asked
    await visit.page.evaluate(() => {
      const fresh = document.createElement('div')
      fresh.id = 'a'
      document.getElementById('a')!.replaceWith(fresh)
      ;(window as never as { endcap: { rescan(): void } }).endcap.rescan()
    })
    answer()
    await expect.poll(() => visit.requests.length).toBe(2)
    await visit.rendered(1)
    await visit.page.waitForLoadState('networkidle')
    expect((await shownBy(visit, 'a')).length).toBe(3)
    expect(visit.requests.map(({ targeting }) => targeting[0]!.excludedShopProductIds)).toEqual([undefined, undefined])
    await visit.close()
  })

  it('a script element waits for its element, and another phrase replaces the ads in it', async () => {
    const visit = await site.open(site.tag('late', 1, 2))
    await visit.page.evaluate(() => {
      const late = document.createElement('section')
      late.id = 'late'
      document.body.append(late)
    })
    await visit.rendered(1)
    expect(await visit.page.getByRole('link').count()).toBe(2)
    await addScript(visit.page, site.script('late', 1, 1, { searchData: 'desk lamp teal' }))
    await visit.rendered(2)
    expect(await visit.page.getByRole('link').textContent()).toContain('teal')
    await visit.close()
  })
})
