import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createIndexerStep } from '../../../streams/indexer/indexer-step.ts'
import { createPromotionBook } from '../../../streams/indexer/promotion-book.ts'
import { tries } from '../../effort.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaignBody } from '../judge/fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'indexer-crashes-'))
const index = await openEmbeddedProductIndex({ folder })
afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

/** What is appended to the log, in its order. A campaign promotes the offers of a brand; null: it is deleted. */
const change = fc.oneof(
  fc.record({ offer: fc.constantFrom('a', 'b', 'c'), brand: fc.constantFrom('x', 'x', 'y', 'y', null) }),
  fc.record({ campaign: fc.constantFrom('c1', 'c2'), brand: fc.constantFrom('x', 'x', 'y', 'y', null) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** A run of the indexer: how many more changes the log holds when it begins, and how it works them. */
const run = fc.record({
  changes: fc.integer({ min: 2, max: 8 }),
  /** Of each batch, which partition it is of, how long it is, and whether what is done is committed after it. */
  batches: fc.array(
    fc.record({ partition: fc.nat(2), records: fc.integer({ min: 1, max: 3 }), commits: fc.boolean() }),
    { minLength: 3, maxLength: 8 },
  ),
  /** The crash comes before this call of the index, or at the end. */
  calls: fc.nat(20),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

interface Place {
  topic: TopicName
  partition: number
}
/** The offers a and b lie in the first partition of `products`, c in the second. */
const PLACES: readonly Place[] = [
  { topic: 'registry', partition: 0 },
  { topic: 'products', partition: 0 },
  { topic: 'products', partition: 1 },
]
const placeOf = (change: Change): number => ('campaign' in change ? 0 : 'ab'.includes(change.offer) ? 1 : 2)

/** A log that grows, of which any number of indexers one after the other are told. */
class World {
  readonly #logs: { key: string | null; value: unknown }[][] = PLACES.map(() => [])
  readonly #committed = PLACES.map(() => 0)
  readonly #versions = new Map<string, number>()

  constructor() {
    this.#entry('Account', 'publisher', { ...bodies.Account, kind: 'PUBLISHER' })
  }

  append(change: Change): void {
    if ('campaign' in change) {
      const { campaign: id, brand } = change
      const productRule = { ...RULE, brands: [brand ?? 'x'] }
      this.#entry(
        'Campaign',
        id,
        campaignBody({ shopId: 'shop', accountId: 'publisher', productIds: null, productRule }),
        brand === null,
      )
      return
    }
    const { offer: id, brand } = change
    const value = brand === null ? null : anOffer({ id, brand })
    this.#logs[placeOf(change)]!.push({ key: `shop/feed/${id}`, value })
  }

  #entry(kind: 'Account' | 'Campaign', id: string, body: object, deleted = false): void {
    const version = (this.#versions.get(id) ?? 0) + 1
    this.#versions.set(id, version)
    const value = { kind, id, version, updatedAt: 0, updatedBy: '', deletedAt: deleted ? 1 : null, body }
    this.#logs[0]!.push({ key: id, value })
  }

  /** The registry as a start reads it. */
  #snapshot(): Snapshot {
    const snapshot = new Snapshot()
    for (const { value } of this.#logs[0]!) snapshot.apply(value as RegistryEntry)
    snapshot.readTo(this.#logs[0]!.length)
    return snapshot
  }

  /** @throws what the index throws; what was not committed comes again. */
  async run(batches: Run['batches'], into: ProductIndex): Promise<void> {
    const snapshot = this.#snapshot()
    const book = createPromotionBook(snapshot)
    const done = [...this.#committed]
    const isRegistryApplied = done[0] === this.#logs[0]!.length
    const positions = PLACES.map(({ topic, partition }, at) => [`${topic}/${partition}`, done[at]!] as const)
    const progress = new Map(positions.filter(([, offset]) => offset > 0))
    const step = createIndexerStep({ index: into, snapshot, book, progress, isRegistryApplied })
    for (const { partition: at, records, commits } of batches) {
      const from = done[at]!
      const page = this.#logs[at]!.slice(from, from + records)
      if (page.length > 0) {
        const { topic, partition } = PLACES[at]!
        const batch = page.map((record, nth) => ({
          ...record,
          topic,
          partition,
          offset: from + nth,
          bytes: null,
          appendedAt: 0,
        }))
        await step({ topic, partition, records: batch, turn: async () => null, lastOffset: from + page.length - 1 })
        done[at] = from + page.length
      }
      if (commits) this.#committed.splice(0, PLACES.length, ...done)
    }
  }

  /** Does all that is left, one partition after the other. */
  runToEnd(partitions: readonly number[]): Promise<void> {
    const batches = partitions.flatMap((partition) =>
      this.#logs[partition]!.map(() => ({ partition, records: 2, commits: true })),
    )
    return this.run(batches, index)
  }

  /** By offer, who promotes it, by the log as it is. */
  expected(): Record<string, string[]> {
    const snapshot = this.#snapshot()
    const brands = new Map<string, string>()
    for (const { key, value } of this.#logs.slice(1).flat()) {
      const id = key!.split('/')[2]!
      if (value === null) brands.delete(id)
      else brands.set(id, (value as { brand: string }).brand)
    }
    const campaigns = [...snapshot.all('Campaign')]
    const promoting = (brand: string) =>
      campaigns.flatMap(({ id, body }) => (body.productRule!.brands.includes(brand) ? [id] : [])).sort()
    return Object.fromEntries([...brands].map(([id, brand]) => [id, promoting(brand)]))
  }
}
const RULE = { brands: [], categoryPaths: [], labels: [], sellerIds: [], priceMinMicros: null, priceMaxMicros: null }

/** An index that fails before a call, and at every one after it. */
function failingAt(call: number): ProductIndex {
  let calls = 0
  const counted =
    <Args extends unknown[], T>(method: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      calls++ >= call ? Promise.reject(new Error('crashed')) : method(...args)
  return {
    ...index,
    write: counted(index.write),
    refresh: counted(index.refresh),
    scan: counted(index.scan),
    shops: counted(index.shops),
  }
}

async function promotions(): Promise<Record<string, string[]>> {
  await index.refresh()
  const products = await index.scan({ shopId: 'shop', filters: [], after: null, limit: 100 })
  return Object.fromEntries(products.map(({ offer, campaignIds }) => [offer.id, campaignIds]))
}

async function settled(changes: readonly Change[], runs: readonly Run[], order: readonly number[]): Promise<World> {
  await index.clear()
  const world = new World()
  const due = [...changes]
  for (const { changes, batches, calls } of runs) {
    for (const change of due.splice(0, changes)) world.append(change)
    await world.run(batches, failingAt(calls)).catch((error) => expect(error.message).toBe('crashed'))
  }
  for (const change of due) world.append(change)
  await world.runToEnd(order)
  return world
}

const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 })

test('wherever an indexer crashes, the next one leaves the index as if none had', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 4, maxLength: 16 }),
      fc.array(run, { minLength: 1, maxLength: 3 }),
      order,
      async (changes, runs, order) => {
        const world = await settled(changes, runs, order)
        expect(await promotions()).toEqual(world.expected())
      },
    ),
    { numRuns: tries(100, 3_000) },
  )
})

test('a first fill that has removed all that it wrote keeps no older promotions, wherever it crashes', async () => {
  const changes: Change[] = [
    { campaign: 'c1', brand: 'x' },
    { campaign: 'c2', brand: 'y' },
    { offer: 'a', brand: 'x' },
    { offer: 'c', brand: 'x' },
    { offer: 'a', brand: null },
    { offer: 'c', brand: null },
    // The next start finds these.
    { campaign: 'c1', brand: 'y' },
    { offer: 'a', brand: 'x' },
    { offer: 'c', brand: 'x' },
  ]
  const inTurn = [0, 1, 2].flatMap((partition) => [{ partition, records: 3, commits: false }])
  for (const batches of [inTurn, inTurn.toReversed()]) {
    for (const order of [
      [0, 1, 2],
      [1, 2, 0],
    ])
      for (let calls = 0; calls < 12; calls++) {
        const world = await settled(changes, [{ changes: 6, batches, calls }], order)
        expect(await promotions(), `crashed at call ${calls}`).toEqual(world.expected())
      }
  }
})
