import type { FastifySchema } from 'fastify'

const JSON_TYPE = 'application/json'

/**
 * One example of what each of the most used operations is sent or answers, by operationId. Together they tell one story: a shop sets
 * itself up, an advertiser promotes a lamp there, and a page shows it until somebody buys it.
 */
const publisherId = '8c1d6a52-3f0b-4d1e-9a77-51c0e4b2f6a1'
const advertiserId = 'b7e3f9c4-06d2-4c58-8f3a-2d94a1c7e850'
const shopId = '3a5b0e7d-92c4-4f6b-b1d8-7e6f5c4d3b21'
const feedId = 'e4f1c2b3-5a69-4870-93d2-0b1a8c7d6e5f'
const placementId = '5d2e8f10-b3c4-4a9d-8e7f-6a1b2c3d4e5f'
const adUnitId = 'c0a80164-7f3e-4b2a-9d1c-8e5f4a3b2c1d'
const displayUnitId = '71f9d3e8-2b6c-4e05-a4f7-9c8d1e2f3a4b'
const adFormatId = '29b4c6d8-1e0f-4a73-95c2-d7e8f9a0b1c2'
const bannerId = '96e0a7b1-4c3d-4f2e-8b15-a2c3d4e5f607'
const requestId = '0193a1f4-6c2b-7d3e-8f40-5a6b7c8d9e0f'
const imageId = '4b8e2f6a-9d0c-4735-a1e9-c5d7f0b2e4a6'
const showId = 'AbZ3kV9xQ2mT7pLw0ZcR5yN8sHd4uEj6gKfXoBiWqT1vM'
const clientId = 'browser-7f3e'

const lamp = { shopProductId: 'lamp-204', price: 79.8, quantity: 2 }
const purchase = { eventId: 'order-1041', shopId, kind: 'PURCHASE', currency: 'EUR', products: [lamp] }
const pageView = {
  id: 'page-view-58213',
  referer: 'https://shop.example/lamps/brass-table-lamp',
  shopId,
  shopProductId: lamp.shopProductId,
  utmSource: 'newsletter',
}

const bodyExamples: Readonly<Record<string, unknown>> = {
  createAccount: { kind: 'ADVERTISER', name: 'Solvik', companyName: 'Solvik GmbH', sellerIds: ['seller-12'] },
  createToken: { accountId: publisherId, name: 'Order export', scopes: ['events', 'import'] },
  createUser: { email: 'ada@shop.example', name: 'Ada', role: 'PUBLISHER', accountId: publisherId },
  createShop: {
    ...{ accountId: publisherId, name: 'Shop', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' },
    reserveCpc: 0.05,
  },
  createFeed: { shopId, name: 'Catalogue', currency: 'EUR', lang: 'en', url: 'https://shop.example/products.xml' },
  createPlacement: { shopId, name: 'Search', kind: 'PRODUCT' },
  createAdUnit: { placementId, name: 'Top of the list', algorithm: 'CONTEXT_MATCH' },
  createCampaign: {
    ...{ kind: 'SPONSORED', accountId: advertiserId, shopId, name: 'Lamps', status: 'ACTIVE' },
    ...{ startAt: '2026-03-01T00:00:00Z', budget: 500, dailyBudget: 25, cpc: 0.2 },
    products: { ids: [lamp.shopProductId] },
  },
  putTechnicalAdUnit: {
    ...{ name: 'Berlin, entrance', shopId, businessSlot: { id: adUnitId } },
    metadata: { location: { country: 'DE', city: 'Berlin' } },
  },
  updateProducts: {
    entries: [
      {
        batchId: '1',
        method: 'UPSERT',
        product: {
          ...{
            id: lamp.shopProductId,
            feedId,
            title: 'Brass table lamp',
            brand: 'Solvik',
            productType: 'Home > Lamps',
          },
          ...{ price: 39.9, isAvailable: true, externalSellerId: 'seller-12' },
          link: 'https://shop.example/lamps/brass-table-lamp',
          imageLink: 'https://shop.example/images/lamp-204.jpg',
        },
      },
    ],
  },
  selectSponsoredAds: { targeting: [{ slotHash: adUnitId, adCount: 4, searchData: 'table lamp' }] },
  selectDisplayAds: { targeting: [{ slotHash: displayUnitId, adCount: 1, country: 'DE', searchData: 'table lamp' }] },
  getSponsoredEmissionInfo: { showId },
  getDisplayEmissionInfo: { showId },
  reportSponsoredView: { showId },
  reportSponsoredClick: { showId },
  reportDisplayView: { showId },
  reportDisplayClick: { showId },
  reportTransaction: purchase,
  reportPageView: { cid: clientId, ...pageView },
  reportEvents: {
    events: [
      { type: 'VIEW', showId },
      { type: 'CLICK', showId, occurredAt: '2026-03-02T10:15:30+01:00' },
      { type: 'PAGE_VIEW', data: { cid: clientId, ...pageView } },
      { type: 'TRANSACTION', data: { cid: clientId, ...purchase } },
    ],
  },
}

const answerExamples: Readonly<Record<string, unknown>> = {
  selectSponsoredAds: {
    data: [
      {
        slotHash: adUnitId,
        ads: [
          {
            ...{ showId, requestId, slotHash: adUnitId, shopId, autoPromo: false, adUnitId },
            ...{ systemProductId: '2b7c9d1e-8f40-5a6b-9c8d-9e0f1a2b3c4d', shopProductId: lamp.shopProductId },
            ...{ productTitle: 'Brass table lamp', brand: 'Solvik', categoryId: null, lang: 'en', currency: 'EUR' },
            ...{ productPrice: 49.9, productSalePrice: 39.9 },
            productHref: 'https://shop.example/lamps/brass-table-lamp',
            productImageUrl: 'https://shop.example/images/lamp-204.jpg',
            productImageName: 'lamp-204.jpg',
          },
        ],
      },
    ],
    meta: null,
    clientId,
  },
  selectDisplayAds: {
    data: [
      {
        slotHash: displayUnitId,
        ads: [
          {
            ...{ bannerId, showId, requestId, slotHash: displayUnitId, shopId, autoPromo: false },
            ...{ bannerUrl: 'https://shop.example/lamps', mobileDeepLink: 'https://shop.example/lamps' },
            ...{ lang: 'en', currency: 'EUR', adFormatId, bannerLogoUrl: null, bannerProducts: null },
            bannerImageUrl: `https://ads.shop.example/v1/images/${imageId}`,
            images: [{ width: 1200, height: 400, imageId, imageUrl: `https://ads.shop.example/v1/images/${imageId}` }],
            textFields: [{ type: 'TITLE', value: 'Warm light for long evenings' }],
          },
        ],
      },
    ],
    meta: null,
    clientId,
  },
  reportTransaction: { clientId, accepted: 1, rejected: [] },
  reportEvents: {
    clientId,
    accepted: 3,
    rejected: [{ index: 1, code: 'INVALID_SHOW_ID', message: '/events/1/showId: was not made by this service' }],
  },
}

/** The schema of a route, with the examples of its operation. */
export function withExamples(schema: FastifySchema): FastifySchema {
  const { operationId = '' } = schema
  const body = bodyExamples[operationId]
  const answer = answerExamples[operationId]
  return {
    ...schema,
    ...(body === undefined ? {} : { body: { ...(schema.body as object), examples: [body] } }),
    ...(answer === undefined ? {} : { response: answeredBy(schema.response as Responses, answer) }),
  }
}

type Answer = { content: Record<string, { schema: object }> } | { content?: never }
type Responses = Record<string, Answer>

/** Adds an example to the answer of success, whether it is described by its schema alone or with its headers. */
function answeredBy(responses: Responses, answer: unknown): Responses {
  const [status, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
  const examples = [answer]
  const shown = success.content
    ? { ...success, content: { [JSON_TYPE]: { schema: { ...success.content[JSON_TYPE]!.schema, examples } } } }
    : { ...success, examples }
  return { ...responses, [status]: shown as Answer }
}
