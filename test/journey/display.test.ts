import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must, type Program, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'

/** A banner from the uploaded image to the billed view, through the public API of the real program. */

interface Created {
  id: string
}
interface DisplayAd {
  bannerId: string
  showId: string
  requestId: string
  bannerUrl: string
  images: { imageUrl: string }[]
}

let program: Program
let publisherId: string
let shopId: string
let slotHash: string
let campaign: Created & { state: string; banners: Created[] }
const post = <T>(path: string, body: unknown, headers?: Record<string, string>) =>
  must(program.call<T>('POST', path, body, headers))
const get = <T>(path: string) => must(program.call<T>('GET', path))

async function ask(): Promise<DisplayAd[]> {
  const asked = { slotHash, adCount: 2, country: 'DE', searchData: 'Desk lamps for kids' }
  const answer = await post<{ data: { ads: DisplayAd[] }[] }>(
    '/v1/banner/dsa/raw/batch',
    { targeting: [asked] },
    { cid: 'ann', referer: 'https://shop.example/lamps?page=2' },
  )
  return answer.data[0]!.ads
}

async function upload(): Promise<string> {
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background: '#fc0' } })
  const form = new FormData()
  form.set('accountId', publisherId)
  form.set('file', new Blob([await image.png().toBuffer()]), 'banner.png')
  const request = new Request(program.url, { method: 'POST', body: form })
  const body = Buffer.from(await request.arrayBuffer())
  const { id } = await must(
    program.call<Created>('POST', '/v1/panel/images', body, { 'content-type': request.headers.get('content-type')! }),
  )
  return id
}

beforeAll(async () => {
  program = await startProgram()
  const company = { name: 'Shop', companyName: 'Shop SA', taxNumber: 'PL1' }
  const publisher = { kind: 'PUBLISHER', ...company, displayEnabled: true }
  publisherId = (await post<Created>('/v1/panel/accounts', publisher)).id
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  shopId = (await post<Created>('/v1/panel/shops', { accountId: publisherId, name: 'Shop', ...locale })).id
  const textFields = [{ type: 'TITLE', required: true, maxLength: 20 }]
  const sizes = [{ width: 40, height: 20 }]
  const format = await post<Created>('/v1/panel/ad-formats', { shopId, name: 'Small', images: sizes, textFields })
  const placement = await post<Created>('/v1/panel/placements', { shopId, name: 'Side', kind: 'DISPLAY' })
  const unit = { placementId: placement.id, name: 'Top', algorithm: 'DISPLAY', targeting: ['searchData', 'referer'] }
  slotHash = (await post<{ slotHash: string }>('/v1/panel/ad-units', { ...unit, adFormatIds: [format.id] })).slotHash
  campaign = await post('/v1/panel/campaigns', {
    ...{ kind: 'DISPLAY', accountId: publisherId, shopId, name: 'Lamps', budget: 10, cpm: 2.5, country: 'DE' },
    targetUrl: 'https://shop.example/sale',
    banners: [
      {
        adFormatId: format.id,
        images: [{ imageId: await upload() }],
        textFields: [{ type: 'TITLE', value: 'Lamps!' }],
      },
    ],
    targeting: { phrases: ['desk lamp'], refererPatterns: ['/lamps*'] },
  })
})
afterAll(() => program?.stop())

it('a banner is shown seconds after it was accepted, and its view and click are counted and billed', async () => {
  expect(campaign.state).toBe('IN_MODERATION')
  expect(await ask()).toEqual([])
  await post(`/v1/panel/moderation/${campaign.id}/accept`, {})
  await waitFor(async () => (await ask()).length === 1)

  const [ad] = await ask()
  expect(ad).toMatchObject({ bannerId: campaign.banners[0]!.id, bannerUrl: 'https://shop.example/sale' })
  const image = await program.call('GET', new URL(ad!.images[0]!.imageUrl).pathname)
  expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png'])
  for (const path of ['/v1/banner/dsa/view-event', '/v1/banner/dsa/click-event']) {
    await post(path, { showId: ad!.showId }, { cid: 'ann' })
  }
  const info = await post<{ advertiserName: string }>('/v1/banner/dsa/emissionInfo', { showId: ad!.showId })
  expect(info).toMatchObject({ sellerName: '', advertiserName: 'Shop', companyName: 'Shop SA' })

  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const report = `/v1/panel/reports?shopId=${shopId}&from=${at(-86_400_000)}&to=${at(86_400_000)}&groupBy=banner`
  let rows: Record<string, unknown>[] = []
  await waitFor(async () => {
    rows = (await get<{ rows: typeof rows }>(`${report}&metrics=emissions,views,clicks,spend`)).rows
    return rows[0]?.clicks === 1 && rows[0].views === 1 && Number(rows[0].emissions) >= 2
  })
  expect(rows).toMatchObject([{ banner: ad!.bannerId, spend: 0.0025 }])

  const path = `/v1/panel/explain/emission/${ad!.requestId}`
  await expect.poll(async () => (await program.call('GET', path)).status).toBe(200)
  const explained = await get<{ kind: string; slots: { ads: object[] }[] }>(path)
  expect(explained).toMatchObject({ kind: 'DISPLAY', slots: [{ algorithm: 'DISPLAY', shortfall: 'NO_CANDIDATES' }] })
  expect(explained.slots[0]!.ads).toMatchObject([{ adId: ad!.bannerId, bid: 2.5, price: 2.5, rankScore: 2.5 }])
})
