import { openShop } from '../../journey/shop.ts'
import { waitFor } from '../../wait-for.ts'
import { openWorld } from '../harness.ts'
import { openScriptSite, type ScriptSite } from './site.ts'

const COLORS = ['red', 'green', 'blue', 'amber', 'teal', 'pink', 'white', 'black']

export interface ScriptWorld {
  site: ScriptSite
  /** Adds products that the campaign promotes, and waits until `searchData` finds that many. */
  addProducts(products: Record<string, unknown>[], searchData: string): Promise<void>
  stop(): Promise<void>
}

/** The program with a shop of eight lamps, and a page on another origin that shows ads with the emission script. */
export async function openScriptWorld(): Promise<ScriptWorld> {
  const world = await openWorld()
  const { program, browser } = world
  const shop = await openShop(program, { lamps: COLORS, budget: 1_000 })
  const site = await openScriptSite(browser, program, shop)
  return {
    site,
    async addProducts(products, searchData) {
      const entries = products.map((product, index) => ({
        batchId: String(index),
        method: 'UPSERT',
        product: { feedId: shop.feedId, isAvailable: true, price: 20, brand: 'Solvik', ...product },
      }))
      await shop.post('/v1/feed/product', { entries })
      const found = async () => {
        const targeting = [{ slotHash: shop.slotHash, adCount: 10, searchData }]
        const answer = await shop.post<{ data: { ads: unknown[] }[] }>('/v1/dsa/raw/batch', { targeting })
        return answer.data[0]!.ads.length === products.length
      }
      await waitFor(found)
    },
    async stop() {
      await site.close()
      await world.stop()
    },
  }
}
