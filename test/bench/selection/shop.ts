/**
 * A shop for the benchmarks of sponsored ads: 19,406 products, all promoted by 60 campaigns, on the embedded engines or those named
 * by the environment.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createRequestMetrics } from '../../../infra/metrics/requests.ts'
import type { RegistryEntry, SponsoredAlgorithm } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { noLifts } from '../../../services/replicas/lifts-follower.ts'
import { unknownTraffic } from '../../../services/replicas/traffic-follower.ts'
import { selectionApp } from '../../../services/selection/http/app.ts'
import { generousLimits } from '../../generous-limits.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { requestLimits } from '../../request-limits.ts'
import { sponsored } from '../../services/selection/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { generateProducts } from '../generated-products.ts'
import { readIcecat } from '../relevance/icecat.ts'
import { icecatOffer } from '../relevance/icecat-offer.ts'

export const PATH = '/v1/dsa/raw/batch'
const PRODUCTS = 19_406
const CAMPAIGNS = 60
const WRITES_PER_CALL = 1000
/** The number of products that are bought together with each product. */
const ALSO_BOUGHT = 20

export interface BenchShop {
  offers: ProductOffer[]
  /** Random numbers in [0, 1), the same in every run. */
  random: () => number
  /** The slotHash of an ad unit with this algorithm. */
  adUnit(algorithm: SponsoredAlgorithm): string
  /** A server of ad requests that does not listen yet. */
  server(): FastifyInstance
  close(): Promise<void>
}

/** @param dataFolder a folder with `products.jsonl.gz`; without one the products are generated. */
export async function openBenchShop(dataFolder: string | undefined): Promise<BenchShop> {
  const shopId = randomUUID()
  const offers = dataFolder
    ? readIcecat(dataFolder).map((product) => icecatOffer(product, shopId))
    : generateProducts(shopId, PRODUCTS)
  const folder = mkdtempSync(join(tmpdir(), 'bench-selection-'))
  const engines = await openEngines(folder)
  const { index, log, counters } = engines

  const snapshot = new Snapshot()
  function put(kind: RegistryEntry['kind'], body: unknown, id: string = randomUUID()): string {
    snapshot.apply({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body } as RegistryEntry)
    return id
  }
  const random = sequence(2).next
  const accountId = put('Account', { kind: 'ADVERTISER', name: 'A', companyName: 'A', taxNumber: '1', sellerIds: [] })
  put(
    'Shop',
    {
      accountId,
      currency: 'EUR',
      lang: 'en',
      country: 'DE',
      timeZone: 'Europe/Berlin',
      reserveCpcMicros: 50_000,
      synonyms: '',
    },
    shopId,
  )
  const campaignIds = Array.from({ length: CAMPAIGNS }, () => {
    const cpcMicros = 50_000 + 10_000 * Math.floor(random() * 40)
    const always = { startAt: 0, endAt: null, budgetMicros: 1e12 }
    return put('Campaign', { ...sponsored(shopId, accountId), ...always, cpcMicros })
  })
  const anyId = () => offers[Math.floor(random() * offers.length)]!.id
  for (let from = 0; from < offers.length; from += WRITES_PER_CALL) {
    await index.write(
      offers.slice(from, from + WRITES_PER_CALL).flatMap((offer) => [
        ...promotedOffer(offer, [campaignIds[Math.floor(random() * CAMPAIGNS)]!]),
        {
          kind: 'signals',
          version: 1,
          signals: {
            shopId,
            id: offer.id,
            popularity: Math.floor(1 / (random() + 0.001)),
            views: 0,
            clicks: 0,
            computedAt: 0,
            alsoBought: Array.from({ length: ALSO_BOUGHT }, (_, rank) => ({ id: anyId(), score: 1 / (rank + 2) })),
          },
        },
      ]),
    )
  }
  await index.refresh()
  // The streams do this in the program: selection uses the counters of a shard only once they are complete.
  for (let shard = 0; shard < counters.shards; shard++) await counters.markComplete(shard)

  return {
    offers,
    random,
    adUnit: (algorithm) => {
      const rest = { status: 'ACTIVE', adFormatIds: [], targeting: [] }
      return put('AdUnit', { placementId: '', shopId, name: '', algorithm, ...rest })
    },
    server() {
      const server = createHttpServer({ logger: false })
      const app = selectionApp({
        snapshot,
        limits: requestLimits({ snapshot, limits: generousLimits }),
        index,
        log,
        counters,
        showIds: createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] }),
        now: Date.now,
        elapsedMicros: () => performance.now() * 1000,
        uuid: randomUUID,
        deadlineMs: 100,
        traffic: unknownTraffic,
        lifts: noLifts,
        publicUrl: 'http://localhost',
        metrics: createRequestMetrics(null),
      })
      server.register(app.plugin)
      return server as unknown as FastifyInstance
    },
    async close() {
      await engines.close()
      rmSync(folder, { recursive: true })
    },
  }
}
