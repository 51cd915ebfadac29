import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { IndexedProduct, ProductIndex } from '../../infra/product-index/port.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

const SCAN_PAGE = 1_000
/** If more offers than this differ, it is not because they are changing at this moment, so they are not compared again. */
const DIFFERENT_MAX = 1_000
/** Offers that differ may have changed while they were compared. They are compared again this often, with this pause. */
const LOOKS_AGAIN = 5
const LOOK_AGAIN_MS = 500

export interface ShopDifference {
  shopId: string
  /** `feedId/id`, at most ten. */
  offers: string[]
}

/** Compares every offer with its campaigns and signals. An indexer may be writing to both indices. */
export async function compareIndices(
  serving: ProductIndex,
  next: ProductIndex,
): Promise<{ proof: TableProof; differences: ShopDifference[] }> {
  await Promise.all([serving.refresh(), next.refresh()])
  const before = createFingerprint()
  const after = createFingerprint()
  const differences: ShopDifference[] = []
  const shops = new Set([...(await serving.shops()), ...(await next.shops())])
  for (const shopId of [...shops].sort()) {
    let different: string[] = []
    for await (const [left, right] of pairs(offersOf(serving, shopId, before), offersOf(next, shopId, after))) {
      if (left?.digest !== right?.digest && different.length <= DIFFERENT_MAX) different.push((left ?? right)!.key)
    }
    for (let again = 0; again < LOOKS_AGAIN && different.length > 0 && different.length <= DIFFERENT_MAX; again++) {
      await delay(LOOK_AGAIN_MS)
      await Promise.all([serving.refresh(), next.refresh()])
      different = await stillDifferent(serving, next, shopId, different)
    }
    if (different.length > 0) differences.push({ shopId, offers: different.slice(0, 10) })
  }
  const proof = tableProof('product index', before.value(), after.value())
  return { proof: { ...proof, equal: differences.length === 0 }, differences }
}

interface Digested {
  key: string
  digest: string
}

const keyOf = ({ offer }: IndexedProduct) => `${offer.feedId}/${offer.id}`

const digested = (product: IndexedProduct): Digested => ({
  key: keyOf(product),
  digest: createHash('sha256')
    .update(JSON.stringify([product.offer, product.campaignIds.toSorted(), product.signals]))
    .digest('base64url'),
})

function createFingerprint() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add({ key, digest }: Digested) {
      rows++
      hash.update(key).update(digest)
    },
    value: () => ({ rows, hash: hash.digest('hex').slice(0, 16) }),
  }
}

/** The fingerprint of every offer with its campaigns and signals, by shop and in the order of keys. */
export async function fingerprintOf(index: ProductIndex): Promise<Fingerprint> {
  const fingerprint = createFingerprint()
  for (const shopId of (await index.shops()).toSorted()) {
    for await (const _ of offersOf(index, shopId, fingerprint)) {
      // `offersOf` has added the offer to the fingerprint.
    }
  }
  return fingerprint.value()
}

async function* offersOf(
  index: ProductIndex,
  shopId: string,
  fingerprint: ReturnType<typeof createFingerprint>,
): AsyncGenerator<Digested> {
  for (let after: string | null = null; ; ) {
    const page = await index.scan({ shopId, filters: [], after, limit: SCAN_PAGE })
    for (const product of page) {
      const each = digested(product)
      fingerprint.add(each)
      yield each
    }
    const last = page.at(-1)
    if (!last || page.length < SCAN_PAGE) return
    after = keyOf(last)
  }
}

/** Pairs the offers of two scans by key. Where one scan lacks an offer, its half is null. */
async function* pairs(
  lefts: AsyncGenerator<Digested>,
  rights: AsyncGenerator<Digested>,
): AsyncGenerator<[Digested | null, Digested | null]> {
  const unmatched = new Map<string, { left?: Digested; right?: Digested }>()
  let ended = false
  while (!ended) {
    const [left, right] = await Promise.all([lefts.next(), rights.next()])
    ended = left.done === true && right.done === true
    for (const [side, { value: each }] of [
      ['left', left],
      ['right', right],
    ] as const) {
      if (!each) continue
      const found = { ...unmatched.get(each.key), [side]: each }
      if (found.left && found.right) {
        unmatched.delete(each.key)
        yield [found.left, found.right]
      } else unmatched.set(each.key, found)
    }
    // One list lacks so many offers that the other runs ahead of it. They differ enough: stop before this fills the memory.
    if (unmatched.size > 100 * DIFFERENT_MAX) break
  }
  for (const { left = null, right = null } of unmatched.values()) yield [left, right]
}

async function stillDifferent(serving: ProductIndex, next: ProductIndex, shopId: string, keys: readonly string[]) {
  const ids = [...new Set(keys.map((key) => key.slice(key.indexOf('/') + 1)))]
  const [lefts, rights] = await Promise.all(
    [serving, next].map(async (index) => {
      const found = await index.get(shopId, ids)
      return new Map(found.map(digested).map(({ key, digest }) => [key, digest]))
    }),
  )
  return keys.filter((key) => lefts!.get(key) !== rights!.get(key))
}
