import type { Page } from 'playwright-core'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import type { Person, World } from '../harness.ts'

interface Created {
  id: string
}

export interface AdvertiserShop {
  shopId: string
  advertiserId: string
  /** The user of the advertiser that sells the lamps. */
  person: Person
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<T>
  /** Requests ads for a search. @returns the feed ids of their products. */
  productAds(): Promise<string[]>
  /** Requests the banners of a page. */
  bannerAds(): Promise<{ bannerId: string; bannerUrl: string }[]>
}

/** The address of the products' pictures. */
export const SHOP_SITE = 'https://shop.example'
const LAMPS = ['red', 'green', 'blue', 'white']

const item = (id: string, rest: string) =>
  `<item><g:id>${id}</g:id><g:title>Desk ${id}</g:title><g:link>${SHOP_SITE}/p/${id}</g:link>
<g:image_link>${SHOP_SITE}/i/${id}.png</g:image_link><g:product_type>Home &gt; Lamps</g:product_type>${rest}</item>`

const feedXml = `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title><link>https://shop.example</link>
${LAMPS.map((colour, i) =>
  item(
    `lamp-${colour}`,
    `<g:price>${20 + 10 * i}.00 EUR</g:price><g:availability>${i < 3 ? 'in_stock' : 'out_of_stock'}</g:availability>
     <g:brand>Solvik</g:brand><g:external_seller_id>SOLVIK</g:external_seller_id>`,
  ),
).join('\n')}
${item('lamp-other', '<g:price>9.00 EUR</g:price><g:availability>in_stock</g:availability><g:brand>Solvik</g:brand>')}
</channel></rss>`

/** Chooses a shop in the form of a new campaign: an advertiser sees all shops. */
export async function chooseShop(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('combobox', { name: 'Shop' }).click()
  await page.getByRole('option', { name }).click()
}

/** A shop with an advertiser's lamps, an ad unit for products and one for banners, and no campaigns. */
export async function openAdvertiserShop({ program, makeUser }: World, name: string): Promise<AdvertiserShop> {
  const post = <T>(path: string, body: unknown, headers?: Record<string, string>) =>
    must(program.call<T>('POST', path, body, headers))
  const get = <T>(path: string) => must(program.call<T>('GET', path))
  const account = (kind: string, name: string, sellerIds: string[] = []) =>
    post<Created>('/v1/panel/accounts', { kind, name, sellerIds, displayEnabled: true })
  const publisher = await account('PUBLISHER', 'Shop')
  const advertiser = await account('ADVERTISER', 'Solvik', ['SOLVIK'])
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  const { id: shopId } = await post<Created>('/v1/panel/shops', {
    ...{ accountId: publisher.id, name, reserveCpc: 0.05 },
    ...locale,
  })
  const format = await post<Created>('/v1/panel/ad-formats', {
    ...{ shopId, name: 'Small', images: [{ width: 60, height: 30 }] },
    textFields: [{ type: 'TITLE', required: true, maxLength: 20 }],
  })
  const unit = async (kind: string, body: object) => {
    const placement = await post<Created>('/v1/panel/placements', { shopId, name: kind, kind })
    return post<{ slotHash: string }>('/v1/panel/ad-units', { placementId: placement.id, name: 'Top', ...body })
  }
  const products = await unit('PRODUCT', { algorithm: 'CONTEXT_MATCH' })
  const banners = await unit('DISPLAY', { algorithm: 'DISPLAY', targeting: ['searchData'], adFormatIds: [format.id] })
  const feed = await post<Created>('/v1/panel/feeds', { shopId, name: 'Feed', currency: 'EUR', lang: 'en' })
  await post(`/v1/panel/feeds/${feed.id}/content`, feedXml)
  // The run ends before its products can be found, and a page that counts them counts once.
  const listed = async () => (await get<{ items: unknown[] }>(`/v1/panel/products?shopId=${shopId}`)).items.length
  await waitFor(async () => (await listed()) === LAMPS.length + 1)

  const ask = async <Ad>(path: string, asked: object) => {
    const body = { targeting: [{ ...asked, searchData: 'desk lamp', adCount: 3 }] }
    return (await post<{ data: { ads: Ad[] }[] }>(path, body, { cid: 'ann' })).data[0]!.ads
  }
  return {
    shopId,
    advertiserId: advertiser.id,
    person: await makeUser({ name: 'Solvik', role: 'ADVERTISER', accountId: advertiser.id }),
    get,
    post,
    async productAds() {
      const ads = await ask<{ shopProductId: string }>('/v1/dsa/raw/batch', { slotHash: products.slotHash })
      return ads.map(({ shopProductId }) => shopProductId)
    },
    bannerAds: () => ask('/v1/banner/dsa/raw/batch', { slotHash: banners.slotHash, country: 'DE' }),
  }
}
