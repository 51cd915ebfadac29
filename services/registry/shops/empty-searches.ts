import type { Analytics } from '../../../infra/analytics/port.ts'
import { IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import { IdParams } from '../../../schemas/http/panel/common.ts'
import { DAYS_MAX, EmptySearches, EmptySearchesQuery } from '../../../schemas/http/panel/shops/empty-searches.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { toIso } from '../resources/conversions.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { findSpellings } from './nearest-spelling.ts'

const LIMIT_DEFAULT = 100
const NOT_KNOWN = { products: null, spelling: null }

export interface EmptySearchesDeps {
  analytics: Analytics
  index: ProductIndex
  access: Access
  authorize: Authorize
  now: () => number
}

/** GET /v1/panel/shops/{id}/empty-searches: what shoppers searched for without any ad unit finding a product. */
export function emptySearchesApp(server: HttpServer, deps: EmptySearchesDeps): void {
  const { analytics, index, access, authorize, now } = deps
  server.get(
    '/v1/panel/shops/:id/empty-searches',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'listEmptySearches',
        summary: 'List the searches of a shop that found nothing',
        description:
          'Search phrases for which an ad unit found no product of a running campaign. Requests with a product title, category, ' +
          'brand, price or attribute are not counted.',
        params: IdParams,
        querystring: EmptySearchesQuery,
        response: { 200: EmptySearches },
      },
    },
    async (request) => {
      const shop = access.needToChange(principalOf(request), 'Shop', request.params.id)
      const { days = DAYS_MAX, limit = LIMIT_DEFAULT } = request.query
      const since = now() - days * DAY_MS
      const rows = await queryEmptySearches(analytics, { shopId: shop.id, since, limit })
      const phrases = rows.map(({ phrase }) => phrase)
      const found = await spellingsOf(index, shop, phrases)
      return {
        since: toIso(since),
        items: rows.map((row, at) => ({ ...row, lastAt: toIso(row.lastAt), ...(found?.[at] ?? NOT_KNOWN) })),
      }
    },
  )
}

/** Null when the index does not answer. */
async function spellingsOf(index: ProductIndex, shop: Entity<'Shop'>, phrases: readonly string[]) {
  try {
    return await findSpellings(index, shop, phrases)
  } catch (error) {
    if (error instanceof IndexUnavailable) return null
    throw error
  }
}

interface EmptySearchRow {
  phrase: string
  searches: number
  people: number
  lastAt: number
}

/** A query that takes longer is given up, because others wait behind it. */
const EXECUTION_MAX_SECONDS = 10
/** Phrases that fewer people searched for are shown to nobody, because they may tell who searched. */
const PEOPLE_MIN = 2

const SQL = `
SELECT phrase, toInt64(count()) AS searches, toInt64(uniqExact(person)) AS people, max(occurredAt) AS lastAt
FROM (SELECT DISTINCT phrase, person, occurredAt FROM empty_searches WHERE shopId = {shopId:String} AND occurredAt >= {since:Int64})
GROUP BY phrase HAVING people >= ${PEOPLE_MIN}
ORDER BY people DESC, searches DESC, phrase
LIMIT {limit:UInt32}
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`

/** Phrases of a shop for which ad units found nothing to show. Those that most people searched for come first. */
function queryEmptySearches(
  analytics: Analytics,
  wanted: { shopId: string; since: number; limit: number },
): Promise<EmptySearchRow[]> {
  return analytics.query<EmptySearchRow>(SQL, wanted)
}
