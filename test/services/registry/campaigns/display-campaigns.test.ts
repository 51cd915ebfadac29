import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { picture, upload } from '../images/pictures.ts'
import {
  campaignBody,
  discard,
  displayBody,
  formatBody,
  type Json,
  NOW,
  type Office,
  openAccount,
  openOffice,
  openPublisher,
  paths,
} from '../office.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const iso = (offsetMs: number) => new Date(NOW + offsetMs).toISOString()

describe('display campaigns', () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>
  let brand: Awaited<ReturnType<typeof openAccount>>
  let given: Parameters<typeof displayBody>[0]
  /** An image of another account, and an image of another size. */
  let foreignId: string
  let squareId: string
  const post = (extra: object = {}, token = brand.token) =>
    office.call('POST', '/v1/panel/campaigns', displayBody(given, extra), token)
  const patch = (id: string, body: object) => office.call('PATCH', `/v1/panel/campaigns/${id}`, body, brand.token)
  const imageOf = async (token: string, size = { width: 40, height: 20 }, background = { r: 1, g: 2, b: 3 }) =>
    (await upload(office, token, await picture('png', size, background))).body.id as string

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office, { displayEnabled: true })
    brand = await openAccount(office, 'ADVERTISER', { displayEnabled: true })
    const imageId = await imageOf(brand.token)
    given = { shopId: publisher.shopId, formatId: publisher.formatId, imageId }
    foreignId = await imageOf(publisher.token, { width: 40, height: 20 }, { r: 9, g: 9, b: 9 })
    squareId = await imageOf(brand.token, { width: 20, height: 20 })
  })
  afterAll(() => discard(office))

  it('have defaults, wait for moderation and show what they hold', async () => {
    const { status, body } = await post()
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      version: 1,
      updatedAt: iso(0),
      kind: 'DISPLAY',
      accountId: brand.id,
      accountName: 'ADVERTISER account',
      shopId: publisher.shopId,
      name: 'Autumn',
      status: 'ACTIVE',
      state: 'IN_MODERATION',
      startAt: iso(0),
      endAt: null,
      archivedAt: null,
      budget: 100,
      dailyBudget: null,
      spent: 0,
      pacing: 'ASAP',
      capping: null,
      cpm: 2.5,
      autoPromo: false,
      country: 'DE',
      targetUrl: 'https://shop.example/lamps',
      mobileDeepLink: null,
      banners: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          adFormatId: publisher.formatId,
          images: [{ imageId: given.imageId, width: 40, height: 20 }],
          logoImageId: null,
          textFields: [{ type: 'TITLE', value: 'Żółte lampy' }],
          lang: null,
        },
      ],
      targeting: { phrases: [], categoryPaths: [], brands: [], productIds: [], profiles: [], refererPatterns: [] },
      moderation: {
        state: 'IN_MODERATION',
        reason: null,
        decidedAt: null,
        decidedBy: null,
        decidedByName: null,
        history: [],
        submittedAt: new Date(NOW).toISOString(),
      },
      attributionProductIds: [],
    })
    expect((await office.call('GET', `/v1/panel/campaigns/${body.id}`, undefined, brand.token)).body).toEqual(body)
    const list = await office.call('GET', '/v1/panel/campaigns?kind=DISPLAY', undefined, publisher.token)
    expect(list.body.items.map(({ id }: Json) => id)).toContain(body.id)
  })

  it('keep what they are given', async () => {
    const [banner] = displayBody(given).banners
    const textFields = [
      { type: 'BG_COLOR', value: '#1A2b3c' },
      { type: 'CTA', value: 'See more' },
      { type: 'TITLE', value: '💡'.repeat(20) },
    ]
    const extra = {
      mobileDeepLink: 'brandapp://lamps?x=1',
      capping: 3,
      dailyBudget: 10,
      pacing: 'EVEN',
      status: 'PAUSED',
      attributionProductIds: ['sku-1'],
      targeting: { phrases: ['desk lamp'], refererPatterns: ['/lamps/*', 'https://shop.example/*'] },
    }
    const whole = { ...banner, textFields, logoImageId: squareId, lang: 'pl' }
    const { body } = await post({ ...extra, banners: [whole, banner] })
    expect(body).toMatchObject({ ...extra, banners: [whole, banner] })
    expect(office.registry.snapshot.body('Campaign', body.id)).toMatchObject({
      kind: 'DISPLAY',
      cpmMicros: 2_500_000,
      cpcMicros: 0,
      productIds: null,
      productRule: null,
      autoPromo: false,
      targeting: { ...extra.targeting, brands: [], profiles: [] },
    })
  })

  it("of the shop's own publisher promote it for nothing if it likes, once accepted", async () => {
    const imageId = await imageOf(publisher.token)
    const body = displayBody({ ...given, imageId }, { autoPromo: true, cpm: 0, budget: 0 })
    const own = await office.call('POST', '/v1/panel/campaigns', body, publisher.token)
    expect(own).toMatchObject({ status: 201, body: { autoPromo: true, cpm: 0, budget: 0, state: 'IN_MODERATION' } })
    const accepted = await office.call('POST', `/v1/panel/moderation/${own.body.id}/accept`, {}, publisher.token)
    expect(accepted.body.state).toBe('RUNNING')
    expect(paths(await post({ autoPromo: true, cpm: 0 }))).toEqual(['/autoPromo'])
    expect(paths(await post({ cpm: 0, budget: 0 })).toSorted()).toEqual(['/budget', '/cpm'])
    expect(paths(await patch((await post()).body.id, { autoPromo: true }))).toEqual(['/autoPromo'])
  })

  it('keep the ids of their banners over edits', async () => {
    const { body } = await post()
    const [first] = body.banners
    const added = displayBody(given).banners[0]!
    const edited = { ...first, lang: 'de' }
    const after = await patch(body.id, { banners: [added, edited] })
    expect(after.body.banners).toEqual([{ ...first, id: expect.any(String) }, edited])
    expect(after.body.banners[0].id).not.toBe(first.id)
    expect((await patch(body.id, { banners: after.body.banners })).body.banners).toEqual(after.body.banners)
    const other = await post({ banners: [first] })
    expect(paths(other)).toEqual(['/banners/0/id'])
    expect(paths(await patch(body.id, { banners: [edited, edited] }))).toEqual(['/banners/1/id'])
  })

  const banner = (change: object) => () => ({ banners: [{ ...displayBody(given).banners[0], ...change }] })
  const texts = (...textFields: [type: string, value: string][]) =>
    banner({ textFields: [['TITLE', 'Lamps'], ...textFields].map(([type, value]) => ({ type, value })) })
  const images =
    (...ids: (() => string)[]) =>
    () =>
      banner({ images: ids.map((id) => ({ imageId: id() })) })()
  const image = () => given.imageId

  it.each<[string, () => object, string[]]>([
    ['a script as target', () => ({ targetUrl: 'javascript:alert(1)' }), ['/targetUrl']],
    ['a hidden script as target', () => ({ targetUrl: ' javascript:alert(1)' }), ['/targetUrl']],
    ['a file as target', () => ({ targetUrl: 'file:///etc/passwd' }), ['/targetUrl']],
    ['no URL as target', () => ({ targetUrl: 'shop.example' }), ['/targetUrl']],
    ['a script as deep link', () => ({ mobileDeepLink: 'JavaScript:alert(1)' }), ['/mobileDeepLink']],
    ['data as deep link', () => ({ mobileDeepLink: 'data:text/html,x' }), ['/mobileDeepLink']],
    ['a deep link without scheme', () => ({ mobileDeepLink: '/lamps' }), ['/mobileDeepLink']],
    ['a broken scheme', () => ({ mobileDeepLink: 'java\tscript:alert(1)' }), ['/mobileDeepLink']],
    ['a country that is none', () => ({ country: 'XX' }), ['/country']],
    ['a country in small letters', () => ({ country: 'de' }), ['/country']],
    ['a bid of nothing', () => ({ cpm: 0 }), ['/cpm']],
    ['no budget', () => ({ budget: 0 }), ['/budget']],
    ['a daily budget above the budget', () => ({ dailyBudget: 101 }), ['/dailyBudget']],
    ['even pacing without an end', () => ({ pacing: 'EVEN' }), ['/pacing']],
    ['an end before the start', () => ({ endAt: iso(-1) }), ['/endAt']],
    ['no banner', () => ({ banners: [] }), ['/banners']],
    ['101 banners', () => ({ banners: Array(101).fill(displayBody(given).banners[0]) }), ['/banners']],
    ['an unknown format', banner({ adFormatId: UNKNOWN }), ['/banners/0/adFormatId']],
    ['an id on creation', banner({ id: UNKNOWN }), ['/banners/0/id']],
    ['no image', images(), ['/banners/0/images']],
    ['two images', images(image, image), ['/banners/0/images']],
    ['an unknown image', images(() => 'nothing'), ['/banners/0/images/0/imageId']],
    ["another account's image", images(() => foreignId), ['/banners/0/images/0/imageId']],
    ['an image of another size', images(() => squareId), ['/banners/0/images/0/imageId']],
    [
      'a size that the image has not',
      () => banner({ images: [{ imageId: given.imageId, width: 41, height: 20 }] })(),
      ['/banners/0/images/0/width'],
    ],
    ["another account's logo", () => banner({ logoImageId: foreignId })(), ['/banners/0/logoImageId']],
    ['no title', banner({ textFields: [] }), ['/banners/0/textFields']],
    ['an empty title', banner({ textFields: [{ type: 'TITLE', value: ' ' }] }), ['/banners/0/textFields/0/value']],
    ['a text twice', texts(['TITLE', 'x']), ['/banners/0/textFields/1/type']],
    ['a text of another format', texts(['OTHER', 'x']), ['/banners/0/textFields/1/type']],
    ['a long text', texts(['CTA', 'x'.repeat(11)]), ['/banners/0/textFields/1/value']],
    ['a control character', texts(['CTA', 'a\u0007b']), ['/banners/0/textFields/1/value']],
    ['a colour by name', texts(['BG_COLOR', 'red']), ['/banners/0/textFields/1/value']],
    ['a colour of 5 digits', texts(['BG_COLOR', '#12345']), ['/banners/0/textFields/1/value']],
    ['style instead of a colour', texts(['BG_COLOR', '#fff;x:1']), ['/banners/0/textFields/1/value']],
    ['a language that is none', banner({ lang: 'Deutsch' }), ['/banners/0/lang']],
    ['unknown targeting', () => ({ targeting: { weather: ['rain'] } }), ['/targeting/weather']],
    [
      'a pattern of wildcards',
      () => ({ targeting: { refererPatterns: ['/a', '*'.repeat(11)] } }),
      ['/targeting/refererPatterns/1'],
    ],
    ['what sponsored campaigns have', () => ({ cpc: 1, products: { ids: ['a'] } }), ['/products', '/cpc']],
    [
      'nothing of its kind',
      () => ({ country: undefined, targetUrl: undefined, cpm: undefined, banners: undefined }),
      ['/country', '/targetUrl', '/cpm', '/banners'],
    ],
    ['an unknown shop', () => ({ shopId: UNKNOWN }), ['/shopId']],
  ])('refuse %s', async (_name, extra, expected) => {
    const answer = await post(extra())
    expect([answer.status, answer.body.code, paths(answer)]).toEqual([400, 'INVALID', expected])
  })

  it("take no format of another shop, and keep the shop's formats from being removed", async () => {
    const other = await openPublisher(office, { displayEnabled: true })
    const answer = await post(banner({ adFormatId: other.formatId })())
    expect(paths(answer)).toEqual(['/banners/0/adFormatId'])
    const { id } = await office.make('/v1/panel/ad-formats', formatBody(publisher.shopId))
    const { body } = await post(banner({ adFormatId: id })())
    const remove = () => office.call('DELETE', `/v1/panel/ad-formats/${id}`)
    expect(await remove()).toMatchObject({ status: 409, body: { detail: 'The ad format still has 1 campaign' } })
    expect((await office.call('DELETE', `/v1/panel/campaigns/${body.id}`, undefined, brand.token)).status).toBe(204)
    expect((await remove()).status).toBe(204)
  })

  it('need both accounts to be enabled, which only the operator does; those that there are can still be changed', async () => {
    const enable = (id: string, displayEnabled: boolean) =>
      office.call('PATCH', `/v1/panel/accounts/${id}`, { displayEnabled })
    const { body } = await post()
    await enable(brand.id, false)
    expect(paths(await post())).toEqual(['/accountId'])
    await enable(publisher.id, false)
    expect(paths(await post())).toEqual(['/accountId', '/shopId'])
    expect((await patch(body.id, { status: 'PAUSED' })).status).toBe(200)
    const own = await office.call('PATCH', `/v1/panel/accounts/${brand.id}`, { displayEnabled: true }, brand.token)
    expect(own.status).toBe(403)
    await enable(brand.id, true)
    await enable(publisher.id, true)
    expect((await post()).status).toBe(201)
  })

  it('cannot promise less than they have spent, nor change hands or kind', async () => {
    const { body } = await post()
    office.spent.set(body.id, 40_000_000)
    expect(paths(await patch(body.id, { budget: 39.999999 }))).toEqual(['/budget'])
    expect((await patch(body.id, { budget: 40 })).body).toMatchObject({ budget: 40, spent: 40 })
    expect(paths(await patch(body.id, { shopId: publisher.shopId, kind: 'DISPLAY' })).toSorted()).toEqual([
      '/kind',
      '/shopId',
    ])
    expect(paths(await patch(body.id, { cpc: 1 }))).toEqual(['/cpc'])
    const sponsored = campaignBody(publisher.shopId, { cpm: 1, targetUrl: 'https://a.example/' })
    const answer = await office.call('POST', '/v1/panel/campaigns', sponsored, publisher.token)
    expect(paths(answer)).toEqual(['/targetUrl', '/cpm'])
  })

  it('that are too long to be kept are refused as such', async () => {
    const phrases = Array.from({ length: 1_000 }, (_, i) => `${i} ${'x'.repeat(700)}`)
    const { body } = await post({ targeting: { phrases } })
    const attributionProductIds = Array.from({ length: 10_000 }, (_, i) => `${i} ${'x'.repeat(40)}`)
    const answer = await patch(body.id, { attributionProductIds })
    expect([answer.status, answer.body.code]).toEqual([413, 'TOO_LARGE'])
  })
})
