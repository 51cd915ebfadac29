import type { Feed } from '../../schemas/entities.ts'
import { FeedCreate, FeedPatch, FeedQuery, FeedView } from '../../schemas/http/panel/shops.ts'
import { isCurrency } from '../domain/codes.ts'
import type { Entity } from '../domain/snapshot.ts'
import type { Access } from './access.ts'
import { answered } from './edge.ts'
import { Findings } from './findings.ts'
import { ownShop } from './own-shop.ts'
import type { Resource } from './resource.ts'

/** Feeds as settings; what is in them, and their runs, is `feeds/`. */
export function feedEntities(deps: { access: Access }): Resource<'Feed', typeof FeedCreate, typeof FeedPatch> {
  return {
    kind: 'Feed',
    path: 'feeds',
    schemas: { create: FeedCreate, patch: FeedPatch, view: FeedView, query: FeedQuery },
    create({ shopId, name, url = null, currency, lang = null }, principal) {
      const findings = new Findings()
      const shop = ownShop({ access: deps.access, principal, shopId, findings })
      findings.check(currency === undefined || isCurrency(currency), '/currency', 'is not a currency of ISO 4217')
      checkUrl(url, findings)
      findings.raise()
      return { shopId, name, url, currency: currency ?? shop!.body.currency, lang, etag: null, lastModified: null }
    },
    change({ body }, input) {
      const findings = new Findings()
      const feed: Feed = { ...body, ...input }
      checkUrl(feed.url, findings)
      findings.raise()
      // Whatever the source or the reading of it becomes, the next fetch must be a whole one.
      const readsAlike = feed.url === body.url && feed.lang === body.lang
      return readsAlike ? feed : { ...feed, etag: null, lastModified: null }
    },
    heldBy: () => null,
    views: (entities) => entities.map(view),
  }
}

function checkUrl(url: string | null, findings: Findings): void {
  if (url === null) return
  const parsed = URL.parse(url)
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  findings.check(isHttp, '/url', 'is not an http or https URL')
}

function view(feed: Entity<'Feed'>) {
  const { shopId, name, url, currency, lang } = feed.body
  return { ...answered(feed), shopId, name, url, currency, lang }
}
