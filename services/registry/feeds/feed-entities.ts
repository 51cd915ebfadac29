import { FeedCreate, FeedPatch, FeedQuery, FeedView } from '../../../schemas/http/panel/shops/shops.ts'
import type { Feed } from '../../../schemas/records/entities.ts'
import { isCurrency } from '../../domain/codes.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { Access } from '../access/access.ts'
import { publisherOnly } from '../access/roles.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import type { Resource } from '../resources/resource.ts'

const UNFETCHED = { etag: null, lastModified: null, contentHash: null } as const

/** Feeds as settings; what is in them, and their runs, is `feeds/`. */
export function feedEntities(deps: { access: Access }): Resource<'Feed', typeof FeedCreate, typeof FeedPatch> {
  return {
    kind: 'Feed',
    path: 'feeds',
    schemas: { create: FeedCreate, patch: FeedPatch, view: FeedView, query: FeedQuery },
    mayMake: publisherOnly,
    create({ shopId, name, url = null, currency, lang = null, username = null, password = null }, principal) {
      const fieldErrors = new FieldErrors()
      const shop = ownShop({ access: deps.access, principal, shopId, fieldErrors })
      fieldErrors.check(currency === undefined || isCurrency(currency), '/currency', 'is not an ISO 4217 currency')
      checkUrl(url, fieldErrors)
      fieldErrors.throwIfAny()
      return { shopId, name, url, currency: currency ?? shop!.body.currency, lang, username, password, ...UNFETCHED }
    },
    change({ body }, input) {
      const fieldErrors = new FieldErrors()
      const feed: Feed = { ...body, ...input }
      checkUrl(feed.url, fieldErrors)
      fieldErrors.throwIfAny()
      // Whatever the source or the reading of it becomes, the next fetch must be a whole one.
      const readsAlike = feed.url === body.url && feed.lang === body.lang && feed.username === body.username
      return readsAlike ? feed : { ...feed, ...UNFETCHED }
    },
    blockedBy: () => null,
    views: (entities) => entities.map(view),
  }
}

function checkUrl(url: string | null, fieldErrors: FieldErrors): void {
  if (url === null) return
  const parsed = URL.parse(url)
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  fieldErrors.check(isHttp, '/url', 'is not an http or https URL')
  const isBare = !parsed?.username && !parsed?.password
  fieldErrors.check(
    isBare,
    '/url',
    'must not hold a user or password: set username and password, which are never shown',
  )
}

/** Feeds made before credentials had a place of their own may have them in the address. */
function bare(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text)
  if (!url?.username && !url?.password) return text
  url.username = ''
  url.password = ''
  return url.href
}

function view(feed: Entity<'Feed'>) {
  const { shopId, name, url, currency, lang, username, password } = feed.body
  return {
    ...entityFields(feed),
    shopId,
    name,
    url: bare(url),
    currency,
    lang,
    username,
    hasPassword: password !== null,
  }
}
