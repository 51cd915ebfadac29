import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Appender, NewRecord } from '../../../infra/event-log/port.ts'
import { ProductsAccepted, ProductUpdateBody } from '../../../schemas/http/products.ts'
import { offerKey } from '../../domain/catalogue/offer.ts'
import { chunksOf } from '../../domain/chunks.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http/server.ts'
import { createShares } from '../resources/shares.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import type { OfferFeed } from './product-item.ts'
import type { ProductReader } from './product-reader.ts'
import type { PackedRecords, WritableFeeds } from './product-update.ts'

export interface ProductUpdateDeps {
  /** The only writer of product updates: one that another registry has replaced stores nothing over what came since. */
  productWriter: Appender
  access: Access
  authorize: Authorize
  productReader: ProductReader
  now: () => number
}

/** Room for ten thousand entries of 6.4 KB. */
const UPDATE_MAX_BYTES = 64 * 1024 * 1024
/** Read at once, because each is held in memory, as text and as records. */
const SHARES = { what: 'product updates', max: 4, ofAccountMax: 2, retryAfterSeconds: 2 }
/** Records per append, so that the log accepts other writers' records in between. */
const RECORDS_PER_APPEND = 2_000

/** POST /v1/feed/product: upserts and removals of offers, answered once they are durable. */
export function productUpdateRoutes(server: HttpServer, deps: ProductUpdateDeps): void {
  const { productWriter, access, authorize, productReader, now } = deps
  const shares = createShares(SHARES)

  server.register(async (scope) => {
    // Bodies stay bytes, because the reader parses them.
    scope.removeContentTypeParser('application/json')
    scope.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable) =>
      scope.bodies.read(request, payload),
    )
    scope.post(
      '/v1/feed/product',
      {
        bodyLimit: UPDATE_MAX_BYTES,
        onRequest: authorize('feed'),
        // The schema is documentation only: the reader checks the entries.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'updateProducts',
          summary: 'Upsert or remove products',
          description:
            'Answers 202 after all valid entries are durable; `rejected` lists the others. If no entry is valid, the answer is 400 ' +
            'with the same list.',
          body: ProductUpdateBody,
          response: { 202: ProductsAccepted },
        },
      },
      async (request, reply) => {
        const principal = principalOf(request)
        const feeds = writableFeeds(principal)
        const end = shares.begin(principal.accountId)
        const body = (request.body ?? Buffer.alloc(0)) as Buffer<ArrayBuffer>
        const update = await productReader.read(body, feeds, now()).finally(end)
        if (update.tag === 'REFUSED') {
          const { code, detail, errors, rejected } = update
          throw new Problem(code, detail, { errors, ...(rejected.length > 0 ? { extension: { rejected } } : {}) })
        }
        const { offers, itemGroups, accepted, rejected, warnings, warningCount } = update
        const records = [...toRecords('products', offers), ...toRecords('item-groups', itemGroups)]
        await append(records)
        await append(orphansIn(offers.keys, { feeds, present: writableFeeds(principal) }))
        return reply.code(202).send({ accepted, rejected, warnings, warningCount })
      },
    )
  })

  async function append(records: readonly NewRecord[]): Promise<void> {
    for (const some of chunksOf(records, RECORDS_PER_APPEND)) await productWriter.append(some)
  }

  function writableFeeds(principal: Principal): WritableFeeds {
    const feeds = new Map<string, OfferFeed>()
    for (const { id, body } of access.list(principal, 'Feed')) {
      feeds.set(id, { shopId: body.shopId, currency: body.currency, lang: body.lang })
    }
    return feeds
  }
}

/**
 * Removals of the offers whose feed was deleted while the update was read and stored. The deletion may have removed the offers of
 * the feed before these were stored; if it comes later, it finds them.
 */
function orphansIn(
  keys: readonly string[],
  { feeds, present }: { feeds: WritableFeeds; present: WritableFeeds },
): NewRecord[] {
  const deleted = [...feeds].filter(([id]) => !present.has(id)).map(([id, { shopId }]) => offerKey(shopId, id, ''))
  if (deleted.length === 0) return []
  const orphans = keys.filter((key) => deleted.some((start) => key.startsWith(start)))
  return orphans.map((key) => ({ topic: 'products', key, value: null }))
}

function toRecords(topic: 'products' | 'item-groups', { keys, block, ends }: PackedRecords): NewRecord[] {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  return keys.map((key, i) => {
    const start = i === 0 ? 0 : ends[i - 1]!
    return { topic, key, value: ends[i]! > start ? bytes.subarray(start, ends[i]) : null }
  })
}
