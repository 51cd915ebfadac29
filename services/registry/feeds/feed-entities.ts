import { FeedCreate, FeedPatch, FeedQuery, FeedView } from '../../../schemas/http/panel/shops/shops.ts'
import type { Feed } from '../../../schemas/records/entities.ts'
import { isCurrency } from '../../domain/codes.ts'
import { sharesPassword } from '../../domain/identity/feed-address.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { entityFields, toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import type { Resource } from '../resources/resource.ts'
import type { Access } from '../rights/access.ts'
import { publisherOnly } from '../rights/roles.ts'
import { type IndexedUpTo, runViews } from './runs/run-outcome.ts'
import { isUnderWay, latestRun } from './runs/run-state.ts'

const UNFETCHED = { etag: null, lastModified: null, contentHash: null } as const

export interface FeedEntitiesDeps {
  access: Access
  snapshot: Snapshot
  /** Time between two fetches of a feed. */
  feedIntervalMs: number
  indexedUpTo: IndexedUpTo
}

/** Feeds as settings, with their last run. Their content and their other runs are handled by the other files of `feeds/`. */
export function feedEntities(deps: FeedEntitiesDeps): Resource<'Feed', typeof FeedCreate, typeof FeedPatch> {
  const { snapshot, feedIntervalMs } = deps
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
      return {
        shopId,
        name,
        url,
        currency: currency ?? shop!.body.currency,
        lang,
        username,
        password,
        ...UNFETCHED,
        keptUpload: null,
      }
    },
    change({ body }, input) {
      const fieldErrors = new FieldErrors()
      const feed: Feed = { ...body, ...input }
      checkUrl(feed.url, fieldErrors)
      checkPassword(body, input, fieldErrors)
      fieldErrors.check(isCurrency(feed.currency), '/currency', 'is not an ISO 4217 currency')
      fieldErrors.throwIfAny()
      // When the source changes, or the way in which it is read, the next fetch must be unconditional.
      return readsAlike(feed, body) ? feed : { ...feed, ...UNFETCHED }
    },
    blockedBy: () => [],
    async views(feeds) {
      const lastRuns = feeds.map(({ id }) => latestRun(snapshot, id))
      const shown = await runViews(
        deps,
        lastRuns.filter((run) => run !== undefined),
      )
      const views = new Map(shown.map((view) => [view.id, view]))
      return feeds.map((feed, i) => ({
        ...settingsOf(feed),
        lastRun: (lastRuns[i] && views.get(lastRuns[i].id)) ?? null,
        lastSuccessAt: toIso(latestRun(snapshot, feed.id, isSuccess)?.body.endedAt ?? null),
        nextRunAt: nextRunAt(feed, lastRuns[i], feedIntervalMs),
      }))
    },
  }
}

/** Whether two versions of a feed have the same source, and read its content as the same offers. */
export function readsAlike(one: Feed, other: Feed): boolean {
  const names = ['url', 'currency', 'lang', 'username'] as const
  return names.every((name) => one[name] === other[name])
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

function checkPassword(body: Feed, input: Partial<Feed>, fieldErrors: FieldErrors): void {
  if (body.password === null || input.password !== undefined || input.url === undefined) return
  const isOfAddress = sharesPassword(input.url, body.url)
  fieldErrors.check(isOfAddress, '/password', 'must be given again, or be null: url has another scheme, host or port')
}

/** Removes credentials from an address. Feeds that were created before credentials had their own fields may have them there. */
function bare(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text)
  if (!url?.username && !url?.password) return text
  url.username = ''
  url.password = ''
  return url.href
}

/** When the feed is fetched next. Null while a run is queued or running, before the first run, and for feeds without a url. */
function nextRunAt({ body }: Entity<'Feed'>, last: Entity<'FeedRun'> | undefined, intervalMs: number): string | null {
  if (body.url === null || !last || isUnderWay(last.body)) return null
  return toIso(last.body.queuedAt + intervalMs)
}

/** Whether the run accepted any products. */
const isSuccess = ({ body: { status, total, rejected } }: Entity<'FeedRun'>) => status === 'DONE' && rejected < total

function settingsOf(feed: Entity<'Feed'>) {
  const { shopId, name, url, currency, lang, username, password, keptUpload } = feed.body
  return {
    ...entityFields(feed),
    shopId,
    name,
    url: bare(url),
    currency,
    lang,
    username,
    hasPassword: password !== null,
    canBeRead: url !== null || keptUpload !== null,
  }
}
