import { expect, it } from 'vitest'
import { bannersFor, type DisplaySlot } from '../../../../services/selection/display/banners.ts'
import type { DisplayBanner, DisplayCampaign } from '../../../../services/selection/display/display-campaigns.ts'
import { createDisplayWorld } from './display-world.ts'

it('a page is compared with a campaign once, however many banners the campaign has', async () => {
  const { world, shopId, shop, snapshot, banner, slot } = await createDisplayWorld()
  const adUnit = snapshot.body('AdUnit', slot())!
  const targeting = { slotHash: '', adCount: 1 }
  const asked = { targeting, adUnit, technical: null, shopId, shop, algorithm: 'DISPLAY', country: 'DE' } as DisplaySlot
  let compared = 0
  const banners: DisplayBanner[] = []
  const campaign = {
    banners,
    get targeting() {
      compared++
      return { productIds: new Set(['p1']), phrases: null, categories: null, brands: null, profiles: null }
    },
  } as unknown as DisplayCampaign
  for (let hash = 0; hash < 100; hash++) banners.push({ campaign, banner: banner(), hash })
  const displayCampaigns = { find: () => [[campaign]] }
  const found = bannersFor(asked, 'PAID', { referer: null, tieSeed: 1 }, { snapshot, displayCampaigns })
  expect(found.next().done).toBe(true)
  expect(compared).toBe(1)
  await world.close()
})
