import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { must, type Program } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import type { World } from '../harness.ts'

/** A shop with advertised products and a display campaign that waits for moderation. */
export interface Stock {
  publisherId: string
  shopId: string
  feedId: string
  campaignIds: string[]
}

const BANNER = { width: 300, height: 250 }

const element = ([name, text]: [string, string]) => `<g:${name}>${text}</g:${name}>`

export const feedXml = (items: readonly Record<string, string>[]): string =>
  `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>
${items.map((item) => `<item>${Object.entries(item).map(element).join('')}</item>`).join('\n')}
</channel></rss>`

export const lamp = (id: string, title: string): Record<string, string> => ({
  id,
  title,
  description: 'Gives light',
  link: `https://shop.example/p/${id}`,
  image_link: `https://shop.example/i/${id}.jpg`,
  price: '49.90 EUR',
  availability: 'in_stock',
  external_seller_id: 'lumbra',
})

export async function stockShop(program: Program): Promise<Stock> {
  const make = <T = { id: string }>(path: string, body: object) =>
    must(program.call<T>('POST', `/v1/panel/${path}`, body))
  const account = { companyName: 'Company', displayEnabled: true }
  const publisher = await make('accounts', { ...account, kind: 'PUBLISHER', name: 'Northwind' })
  const advertiser = await make('accounts', { ...account, kind: 'ADVERTISER', name: 'Lumbra', sellerIds: ['lumbra'] })
  const home = { currency: 'EUR', lang: 'en', country: 'DE' }
  const shop = await make('shops', { accountId: publisher.id, name: 'Northwind Market', ...home })
  const own = { accountId: advertiser.id, shopId: shop.id, budget: 100 }

  const feed = await make('feeds', { shopId: shop.id, name: 'Catalogue' })
  const items = [lamp('L-1', 'Desk lamp Borea'), lamp('L-2', 'Floor lamp Dune')]
  await must(program.call('POST', `/v1/panel/feeds/${feed.id}/content`, feedXml(items)))
  const rule = { sellerIds: ['lumbra'] }
  await make('campaigns', { ...own, kind: 'SPONSORED', name: 'Lamps', cpc: 0.5, products: { rule } })

  const format = await make('ad-formats', { shopId: shop.id, name: 'Box', images: [BANNER], textFields: [] })
  const imageId = await uploadPicture(program, advertiser.id)
  const campaignIds: string[] = []
  for (const name of ['Light for long evenings', 'Warm rooms']) {
    const banners = [{ adFormatId: format.id, images: [{ imageId }] }]
    const display = { kind: 'DISPLAY', cpm: 2, country: 'DE', targetUrl: 'https://shop.example/lamps', banners }
    campaignIds.push((await make('campaigns', { ...own, ...display, name })).id)
  }
  await waitFor(async () => (await productsOf(program, shop.id)) === items.length)
  return { publisherId: publisher.id, shopId: shop.id, feedId: feed.id, campaignIds }
}

async function productsOf(program: Program, shopId: string): Promise<number> {
  const { items } = await must(
    program.call<{ items: { whyNot: unknown[] }[] }>('GET', `/v1/panel/products?shopId=${shopId}`),
  )
  return items.filter(({ whyNot }) => whyNot.length === 0).length
}

async function uploadPicture(program: Program, accountId: string): Promise<string> {
  const picture = await sharp({ create: { ...BANNER, channels: 3, background: '#e8a33d' } })
    .png()
    .toBuffer()
  const form = new FormData()
  form.append('accountId', accountId)
  form.append('file', new Blob([new Uint8Array(picture)]), 'banner.png')
  const headers = { authorization: `Bearer ${program.token}` }
  const answer = await fetch(`${program.url}/v1/panel/images`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { id: string }).id
}

/** A stocked shop, and a page in which its publisher is signed in. */
export async function openPublisherShop(world: World): Promise<{ stock: Stock; page: Page }> {
  const stock = await stockShop(world.program)
  const person = await world.makeUser({ name: 'Petra', role: 'PUBLISHER', accountId: stock.publisherId })
  return { stock, page: await world.signedIn(person) }
}
