/**
 * The product index on two nodes of Elasticsearch with a replica, against one node without: how fast offers are stored and found, and
 * what that takes of the processors of both nodes. It starts a cluster of its own. The index of one node lies on the first node of the
 * cluster and is only asked there; the two indices take turns.
 *
 *     node test/bench/search/two-nodes.ts [products]
 */
import { Client } from '@elastic/elasticsearch'
import { migrateElasticsearch } from '../../../infra/product-index/elasticsearch/migrate.ts'
import { connectElasticsearch } from '../../../infra/product-index/elasticsearch/product-index.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import { startNodes } from '../../engines/product-index/own-nodes.ts'
import { generateProducts } from '../generated-products.ts'
import { reportFigure } from '../summary/figure.ts'
import { adSearches, promotedWrites, searchAll } from './ad-searches.ts'

const PRODUCTS = Number(process.argv[2] ?? 20_000)
const OFFERS_PER_WRITE = 2_000
const SEARCHES = 400
const SEARCHES_AT_ONCE = 8
const SEARCH_ROUNDS = 2
const SEARCH_TIMEOUT_MS = 10_000
const SHOP = 'shop'

interface Side {
  name: string
  index: ProductIndex
  cost: { stored: Cost; found: Cost }
}

/** What a kind of work has taken so far. */
interface Cost {
  count: number
  ms: number
  processorSeconds: number
}

const { nodes, remove } = await startNodes(2)
const admin = new Client({ node: nodes[0]!.url })
const offers = generateProducts(SHOP, PRODUCTS)
const queries = adSearches(SHOP, offers, SEARCHES)

try {
  const sides = [
    await openSide('one node', { namespace: 'one', urls: [nodes[0]!.url], replicas: 0 }),
    await openSide('two nodes', { namespace: 'two', urls: nodes.map(({ url }) => url), replicas: 1 }),
  ]
  await admin.indices.putSettings({
    index: 'one-*',
    settings: { 'index.routing.allocation.require._name': nodes[0]!.name },
  })
  await admin.cluster.health({ wait_for_status: 'green', wait_for_no_relocating_shards: true, timeout: '60s' })
  const inTurns = async (round: number, work: (side: Side) => Promise<void>) => {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await work(side)
  }
  for (let from = 0; from < PRODUCTS; from += OFFERS_PER_WRITE) {
    const some = offers.slice(from, from + OFFERS_PER_WRITE)
    const writes = some.flatMap((offer, at) => promotedWrites(offer, from + at))
    await inTurns(from / OFFERS_PER_WRITE, ({ index, cost }) =>
      measured(cost.stored, some.length, () => index.write(writes)),
    )
  }
  for (const { index } of sides) await index.refresh()
  for (let round = 0; round < SEARCH_ROUNDS; round++) {
    // Other ties make another search, which no cache of the servers has.
    const others = queries.map((query) => ({ ...query, tieSeed: query.tieSeed + round * SEARCHES }))
    await inTurns(round, ({ index, cost }) =>
      measured(cost.found, SEARCHES, () => searchAll(others, SEARCHES_AT_ONCE, (query) => index.search([query]))),
    )
  }
  console.table(sides.map(rowOf))
  const [one, two] = sides as [Side, Side]
  reportFigure({
    measure: 'Processor time to store an offer on two nodes with a replica',
    ...{ value: ratio(two, one, 'stored'), unit: 'of one node', goal: { atMost: 2.5 } },
  })
  reportFigure({
    measure: 'Processor time of a search, none cached, on two nodes',
    ...{ value: ratio(two, one, 'found'), unit: 'of one node', goal: { atMost: 1.5 } },
  })
  for (const { index } of sides) await index.close()
} finally {
  await admin.close()
  await remove()
}

async function openSide(
  name: string,
  { namespace, urls, replicas }: { namespace: string; urls: readonly string[]; replicas: number },
): Promise<Side> {
  const url = urls.join()
  await migrateElasticsearch({ url, namespace, replicas })
  const index = connectElasticsearch({ url, namespace, searchTimeoutMs: SEARCH_TIMEOUT_MS })
  const nothing = () => ({ count: 0, ms: 0, processorSeconds: 0 })
  return { name, index, cost: { stored: nothing(), found: nothing() } }
}

async function measured(cost: Cost, count: number, work: () => Promise<unknown>): Promise<void> {
  const processorsBefore = processors()
  const startedAt = performance.now()
  await work()
  cost.count += count
  cost.ms += performance.now() - startedAt
  cost.processorSeconds += processors() - processorsBefore
}

function processors(): number {
  return nodes.reduce((sum, node) => sum + node.processorSeconds(), 0)
}

function rowOf({ name, cost: { stored, found } }: Side) {
  const perSecond = ({ count, ms }: Cost) => Math.round((count * 1_000) / ms)
  const processorMs = (cost: Cost) => Number(perUnit(cost).toPrecision(3))
  return {
    nodes: name,
    'offers stored/s': perSecond(stored),
    'processor ms an offer': processorMs(stored),
    'searches/s': perSecond(found),
    'processor ms a search': processorMs(found),
  }
}

function perUnit({ count, processorSeconds }: Cost): number {
  return (processorSeconds * 1_000) / count
}

function ratio(side: Side, of: Side, work: keyof Side['cost']): number {
  return perUnit(side.cost[work]) / perUnit(of.cost[work])
}
