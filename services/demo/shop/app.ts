import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { adLabels } from '../../domain/ad-labels.ts'
import { type Asset, createPictures, readAssets } from './assets.ts'
import { type Basket, changed, countOf, readBasket, writeBasket } from './basket.ts'
import { SHOPPERS, type ShopDeps, type ShopVisit } from './context.ts'
import { html } from './html.ts'
import { layout, type ShopPage } from './layout.ts'
import { cartPage, checkoutPage, confirmationPage, linesOf, type Order } from './pages/cart.ts'
import { home } from './pages/home.ts'
import { categoryPage, type Listing, searchPage } from './pages/listing.ts'
import { productPage } from './pages/product.ts'
import { type Filters, SORTS, type Sort } from './shelf.ts'

const BODY_LIMIT_BYTES = 16 * 1024
const YEAR_SECONDS = 31_536_000
const FOREVER = `public, max-age=${YEAR_SECONDS}, immutable`
/** Another version of the program may draw other pictures. */
const PICTURE_CACHE = 'public, max-age=86400'
const ORDERS_KEPT_MAX = 1_000
const PHRASE_CHARS_MAX = 200
const VALUES_MAX = 30

/** The emission script uses the same cookie, so the whole page has one client id. */
const CID_COOKIE = 'endcap-cid'
const CID = /^[\w-]{1,64}$/
const cookieOptions = { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax' } as const

type Query = Record<string, string | string[] | undefined>

/** The shop front. The server renders pages; the browser requests ads and reports events at the ad server itself. */
export async function createShopApp(deps: ShopDeps): Promise<FastifyInstance> {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    return503OnClosing: true,
    forceCloseConnections: true,
  })
  await server.register(cookie)
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  const assets = await readAssets()
  const pictures = createPictures(deps.shelf)
  const orders = new Map<string, Order>()
  const policy = contentPolicy(deps.adServer)

  server.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' })
  })

  function visitOf(request: FastifyRequest, reply: FastifyReply): ShopVisit {
    const { [CID_COOKIE]: kept, uid, cart, lang: chosen } = request.cookies
    const cid = kept && CID.test(kept) ? kept : deps.uuid()
    reply.setCookie(CID_COOKIE, cid, cookieOptions)
    const shopper = SHOPPERS.find((each) => each.uid === uid)
    const asked = one((request.query as Query).lang)
    if (asked) reply.setCookie('lang', adLabels([asked]).lang, cookieOptions)
    return {
      ...deps,
      url: request.url,
      cid,
      uid: shopper?.uid ?? null,
      basket: readBasket(cart),
      labels: adLabels([asked ?? chosen ?? '']),
      assets: assets.path,
    }
  }
  const send = (reply: FastifyReply, visit: ShopVisit, page: ShopPage) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(layout(visit, page))
  const notFound = (request: FastifyRequest, reply: FastifyReply) =>
    send(reply.code(404), visitOf(request, reply), {
      title: 'Not found',
      body: html`<div class="wide narrow"><h1>There is nothing here</h1><p><a class="button" href="/">Go to the home page</a></p></div>`,
    })
  server.setNotFoundHandler(notFound)

  server.get('/', (request, reply) => {
    const visit = visitOf(request, reply)
    return send(reply, visit, home(visit))
  })
  server.get<{ Params: { '*': string } }>('/c/*', (request, reply) => {
    const visit = visitOf(request, reply)
    const category = visit.shelf.category(request.params['*'].split('/').filter(Boolean))
    return category ? send(reply, visit, categoryPage(visit, category, listingOf(request))) : notFound(request, reply)
  })
  server.get('/search', (request, reply) => {
    const visit = visitOf(request, reply)
    const phrase = (one((request.query as Query).q) ?? '').trim().slice(0, PHRASE_CHARS_MAX)
    return phrase === '' ? reply.redirect('/') : send(reply, visit, searchPage(visit, phrase, listingOf(request)))
  })
  server.get<{ Params: { id: string } }>('/p/:id', (request, reply) => {
    const visit = visitOf(request, reply)
    const product = visit.shelf.product(request.params.id)
    return product ? send(reply, visit, productPage(visit, product)) : notFound(request, reply)
  })

  const keepBasket = (reply: FastifyReply, basket: Basket) =>
    reply.setCookie('cart', writeBasket(basket), cookieOptions)
  server.get('/cart', (request, reply) => {
    const visit = visitOf(request, reply)
    return send(reply, visit, cartPage(visit))
  })
  for (const [path, by] of [
    ['/cart/add', '1'],
    ['/cart/change', null],
  ] as const) {
    server.post(path, (request, reply) => {
      const form = (request.body ?? {}) as Query
      const { basket, shelf } = visitOf(request, reply)
      const id = one(form.id) ?? ''
      const more = Number(by ?? one(form.by))
      const next = shelf.product(id) && Number.isInteger(more) ? changed(basket, id, more) : basket
      keepBasket(reply, next)
      // Scripts ask for the count, and forms for the next page.
      if (request.headers.accept === 'application/json') return reply.send({ count: countOf(next) })
      return reply.redirect('/cart', 303)
    })
  }
  server.get('/checkout', (request, reply) => {
    const visit = visitOf(request, reply)
    return visit.basket.size === 0 ? reply.redirect('/cart') : send(reply, visit, checkoutPage(visit))
  })
  server.post('/checkout', (request, reply) => {
    const visit = visitOf(request, reply)
    const lines = linesOf(visit)
    if (lines.length === 0) return reply.redirect('/cart', 303)
    const id = `NW-${deps.uuid().slice(-12).toUpperCase()}`
    orders.set(id, { id, lines })
    if (orders.size > ORDERS_KEPT_MAX) orders.delete(orders.keys().next().value!)
    keepBasket(reply, new Map())
    return reply.redirect(`/orders/${id}`, 303)
  })
  server.get<{ Params: { id: string } }>('/orders/:id', (request, reply) => {
    const visit = visitOf(request, reply)
    const order = orders.get(request.params.id)
    return order ? send(reply, visit, confirmationPage(visit, order)) : notFound(request, reply)
  })
  server.post('/sign-in', (request, reply) => {
    const { uid, back } = (request.body ?? {}) as Query
    reply.setCookie('uid', SHOPPERS.find((each) => each.uid === uid)?.uid ?? '', cookieOptions)
    return reply.redirect(ownPath(one(back)), 303)
  })
  server.post('/language', (request, reply) => {
    const { lang, back } = (request.body ?? {}) as Query
    reply.setCookie('lang', adLabels([one(lang) ?? '']).lang, cookieOptions)
    return reply.redirect(ownPath(one(back)), 303)
  })

  server.get<{ Params: { name: string } }>('/pictures/:name', (request, reply) => {
    const picture = pictures.get(request.params.name)
    return picture ? sendFile(request, reply, picture, PICTURE_CACHE) : notFound(request, reply)
  })
  server.get<{ Params: { '*': string } }>(`${assets.path}/*`, (request, reply) => {
    const asset = assets.files.get(request.params['*'])
    return asset ? sendFile(request, reply, asset, FOREVER) : notFound(request, reply)
  })
  return server
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { etag, type, content }: Asset, cacheControl: string) {
  reply.headers({ etag, 'cache-control': cacheControl })
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(content)
}

/** Allows the shop's own scripts and styles, and the ad server's script, images and answers. */
const contentPolicy = (adServer: string) =>
  [
    "default-src 'self'",
    `script-src 'self' ${adServer}`,
    `img-src 'self' data: ${adServer}`,
    `connect-src 'self' ${adServer}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const many = (value: string | string[] | undefined) => (value === undefined ? [] : [value].flat()).slice(0, VALUES_MAX)
const one = (value: string | string[] | undefined): string | undefined => many(value)[0]

function listingOf(request: FastifyRequest): Listing {
  const query = request.query as Query
  const sort = one(query.sort) ?? 'relevance'
  const page = Number(one(query.page) ?? 1)
  const filters: Filters = {
    brands: many(query.brand),
    colors: many(query.color),
    priceMax: Number(one(query.max)) || null,
    onSale: one(query.sale) === '1',
    sort: sort in SORTS ? (sort as Sort) : 'relevance',
  }
  return { filters, page: Number.isInteger(page) && page > 0 ? page : 1 }
}

/** An arbitrary origin: it only matters whether a reference leaves it. */
const HERE = 'http://shop.invalid'

/**
 * A path of this site from a reference that a visitor sent; `/` for one that leads elsewhere. It is parsed as browsers parse
 * it: they drop tabs and line breaks, read a backslash as a slash, and take two slashes for the start of another host.
 */
function ownPath(reference: string | undefined): string {
  const url = reference?.startsWith('/') ? URL.parse(reference, HERE) : null
  if (!url || url.origin !== HERE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search
}
