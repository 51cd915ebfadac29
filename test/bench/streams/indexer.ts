/**
 * The indexer against the bare client: offers from the bytes of the log into the index, each with the campaigns that promote it,
 * against the client's bulk of the same documents or rows, already prepared. They take turns, slice by slice, on the same engine.
 * Then it measures what a changed campaign costs. Embedded, or on Elasticsearch if the environment names it.
 *
 *     [ELASTICSEARCH_URL=http://127.0.0.1:19200] node test/bench/streams/indexer.ts [products] [campaigns]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, RegistryEntry } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { BATCH_MAX_RECORDS } from '../../../streams/indexer/indexer.ts'
import { createIndexerStep } from '../../../streams/indexer/indexer-step.ts'
import { createPromotionBook } from '../../../streams/indexer/promotion-book.ts'
import { decodeBatch } from '../../../streams/runtime/pipeline/outcome.ts'
import { removeIndices, testNamespace } from '../../engines/addresses.ts'
import { type OfferWrites, promotedOffer } from '../../infra/product-index/offer.fixture.ts'
import { campaignBody } from '../../streams/judge/fixtures.ts'
import { type ThreadTimes, threadTimes } from '../cost/threads.ts'
import { endlessProducts } from '../generated-products.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'
import { bareElasticsearch, bareSqlite } from './indexer.bare.ts'

const PRODUCTS = Number(process.argv[2] ?? 1_000_000)
const CAMPAIGNS = Number(process.argv[3] ?? 10_000)
/** Products whose documents are kept prepared at a time. */
const SLICE = Math.min(20_000, PRODUCTS / 4)
const PRODUCTS_PER_CAMPAIGN = 20
/** One for each seller of the products. */
const ADVERTISERS = 60
const CHANGES = 50
const FIRST_ID = 100_000
const SHOP = 'shop'

const url = process.env.ELASTICSEARCH_URL
const namespace = testNamespace()
const folder = mkdtempSync(join(tmpdir(), 'indexer-'))
if (url) await migrateElasticsearch({ url, namespace, shards: 1, replicas: 0 })
const index = url
  ? connectElasticsearch({ url, namespace })
  : await openEmbeddedProductIndex({ folder: join(folder, 'index') })
const bare = url ? await bareElasticsearch(url, `${namespace}-bare`) : await bareSqlite(join(folder, 'bare'))

const snapshot = new Snapshot()
for (const entry of [...accounts(), ...Array.from({ length: CAMPAIGNS }, (_, at) => campaign(at, 1))])
  snapshot.apply(entry)
const book = createPromotionBook(snapshot)
const step = createIndexerStep({ index, snapshot, book, progress: new Map(), isRegistryApplied: false })

try {
  const indexed = await measureOffers()
  const changes = await measureChanges()
  reportFigure({
    measure: `Indexer, offers, ${url ? 'Elasticsearch' : 'embedded'}`,
    ...{ value: indexed.ratio, unit: "of the bare client's", goal: { atLeast: 0.9 } },
  })
  console.table([indexed, changes])
} finally {
  await index.close()
  await bare.close()
  if (url) await removeIndices(url, namespace)
  rmSync(folder, { recursive: true })
}

/** The publisher, whose campaigns list products, and an advertiser for each seller, whose campaigns have a rule. */
function* accounts(): Iterable<RegistryEntry> {
  const account = (id: string, kind: Account['kind'], sellerIds: string[]): RegistryEntry => ({
    ...{ kind: 'Account', id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null },
    body: { kind, name: '', companyName: '', taxNumber: '', sellerIds, displayEnabled: false },
  })
  yield account('publisher', 'PUBLISHER', [])
  for (let at = 0; at < ADVERTISERS; at++) yield account(`account-${at}`, 'ADVERTISER', [`seller-Brand${at}`])
}

function campaign(at: number, version: number): RegistryEntry {
  const shift = version * PRODUCTS_PER_CAMPAIGN
  const ids = (nth: number) => `${FIRST_ID + ((at * 7919 + shift + nth) % PRODUCTS)}`
  const [kinds, rooms] = [
    ['lamp', 'chair', 'table', 'sofa', 'desk', 'shelf'],
    ['kitchen', 'garden', 'office', 'hall'],
  ]
  const path = `Home > ${rooms[at % rooms.length]} > ${kinds[at % kinds.length]}`
  const priceMinMicros = (at % 800) * 1_000_000
  const limits = { priceMinMicros, priceMaxMicros: priceMinMicros + 20_000_000 + version * 1_000_000 }
  const products: Partial<Campaign> =
    at % 2 === 0
      ? { accountId: 'publisher', productIds: Array.from({ length: PRODUCTS_PER_CAMPAIGN }, (_, nth) => ids(nth)) }
      : { productIds: null, productRule: { brands: [], categoryPaths: [path], labels: [], sellerIds: [], ...limits } }
  const body = campaignBody({ shopId: SHOP, accountId: `account-${at % ADVERTISERS}`, ...products })
  return { kind: 'Campaign', id: `campaign-${at}`, version, updatedAt: 0, updatedBy: '', deletedAt: null, body }
}

async function measureOffers() {
  const offers = endlessProducts(SHOP)
  const ms = { bare: 0, ours: 0 }
  const cpuUs = { bare: 0, ours: 0 }
  const ofThreads = { bare: new Map<string, number>(), ours: new Map<string, number>() }
  for (let from = 0, round = 0; from < PRODUCTS; from += SLICE, round++) {
    const slice = Array.from({ length: Math.min(SLICE, PRODUCTS - from) }, () => offers.next().value)
    const bulk = bare.prepare(slice.map(writesOf))
    const values = slice.map((offer) => encode('ProductOffer', offer))
    const sides = { bare: bulk, ours: () => indexFromLog(values, from) }
    for (const side of round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)) {
      const [spent, threadsBefore] = [startStopwatch(), threadTimes(process.pid)]
      await sides[side]()
      const taken = spent()
      ms[side] += taken.ms
      cpuUs[side] += 1_000 * taken.cpuMs
      addThreads(ofThreads[side], threadsBefore)
    }
  }
  const perSecond = (elapsed: number) => Math.round((PRODUCTS / elapsed) * 1000)
  const busiest = (threads: ReadonlyMap<string, number>) => Math.round(Math.max(...threads.values()) / PRODUCTS)
  return {
    measure: `index ${PRODUCTS.toLocaleString('en')} offers among ${CAMPAIGNS.toLocaleString('en')} campaigns, /s`,
    bare: perSecond(ms.bare),
    ours: perSecond(ms.ours),
    ratio: Number((ms.bare / ms.ours).toFixed(2)),
    goal: 0.9,
    // CPU of this process and its threads depends least on how busy the machine is.
    'cpu of bare, µs an offer': Math.round(cpuUs.bare / PRODUCTS),
    'cpu of ours': Math.round(cpuUs.ours / PRODUCTS),
    // The busiest thread is the limit when each thread has a processor of its own.
    'busiest thread of bare': busiest(ofThreads.bare),
    'of ours': busiest(ofThreads.ours),
  }
}

/** Adds the microseconds that each thread of this process has used since `since`. */
function addThreads(sums: Map<string, number>, since: ThreadTimes): void {
  for (const [id, { nanos }] of threadTimes(process.pid)) {
    sums.set(id, (sums.get(id) ?? 0) + (nanos - (since.get(id)?.nanos ?? 0)) / 1_000)
  }
}

const writesOf = (offer: ProductOffer): OfferWrites => promotedOffer(offer, book.promotersOf(offer))

/** Does what the stream does, without the poll and the commit. */
async function indexFromLog(values: readonly Buffer[], firstOffset: number): Promise<void> {
  for (let from = 0; from < values.length; from += BATCH_MAX_RECORDS) {
    const records = values.slice(from, from + BATCH_MAX_RECORDS).map((value, at) => ({
      topic: 'products' as const,
      partition: 0,
      offset: firstOffset + from + at,
      key: null,
      value,
      appendedAt: 0,
    }))
    const batch = {
      topic: 'products' as const,
      partition: 0,
      turn: async () => null,
      lastOffset: records.at(-1)!.offset,
    }
    await step({ ...batch, records: decodeBatch({ ...batch, records }).records })
  }
}

/** Changes what campaigns promote, one campaign after the other. */
async function measureChanges() {
  let concerned = 0
  let elapsedMs = 0
  for (let nth = 0; nth < CHANGES; nth++) {
    const at = Math.floor((nth * CAMPAIGNS) / CHANGES) + (nth % 2)
    const campaignId = `campaign-${at}`
    const promoted = () => index.count(SHOP, [{ kind: 'campaign', campaignId }])
    await index.refresh()
    const before = await promoted()
    const records = [
      {
        topic: 'registry',
        partition: 0,
        offset: nth,
        key: null,
        value: campaign(at, 2),
        bytes: null,
        appendedAt: 0,
      } as const,
    ]
    const startedAt = performance.now()
    await step({ topic: 'registry', partition: 0, records, turn: async () => null, lastOffset: nth })
    elapsedMs += performance.now() - startedAt
    concerned += before + (await promoted())
  }
  const perChange = (total: number) => Number((total / CHANGES).toFixed(1))
  return { measure: `a changed campaign, of ${perChange(concerned)} offers, ms`, ours: perChange(elapsedMs) }
}
