import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import {
  openEmbeddedProductIndex,
  productIndexClient,
  startEmbeddedProductIndex,
} from '../../../../infra/product-index/embedded/product-index.ts'
import {
  type Filter,
  IndexUnavailable,
  type ProductIndex,
  type ProductQuery,
} from '../../../../infra/product-index/port.ts'
import { tries } from '../../../effort.ts'
import { productIndexSuite } from '../../../ports/product-index/product-index.suite.ts'
import { anOffer, promotedOffer } from '../offer.fixture.ts'
import { manySynonyms } from '../synonyms.fixture.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'product-index-'))

describe('embedded product index', () => {
  const folders = new Map<ProductIndex, string>()
  /** Indices that tests have finished with, to be emptied and used again: starting two threads for each test adds up. */
  const idle: ProductIndex[] = []
  const openIn = async (folder: string) => {
    const index = await openEmbeddedProductIndex({ folder })
    folders.set(index, folder)
    return index
  }
  productIndexSuite({
    open: async () => idle.pop() ?? openIn(newFolder()),
    async reopen(index) {
      const folder = folders.get(index)!
      folders.delete(index)
      await index.close()
      return openIn(folder)
    },
    async dispose(index) {
      await index.clear()
      idle.push(index)
    },
  })
  afterAll(async () => {
    for (const [index, folder] of folders) {
      await index.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('embedded product index between threads', () => {
  test('a change of one shop leaves the revision of another as it is, for every client', async () => {
    const folder = newFolder()
    const served = await startEmbeddedProductIndex({ folder })
    const [writing, searching] = [productIndexClient(served.connect()), productIndexClient(served.connect())]
    const write = (shopId: string) =>
      writing.write([{ kind: 'offer', version: 1, offer: anOffer({ shopId, id: `of ${shopId}` }) }])
    await write('a')
    await searching.refresh()
    const before = { a: searching.revision('a'), b: searching.revision('b') }
    expect(before).toEqual({ a: expect.any(Number), b: expect.any(Number) })
    await write('b')
    await writing.refresh()
    expect(searching.revision('a')).toBe(before.a)
    expect(searching.revision('b')).not.toBe(before.b)
    expect(writing.revision('b')).toBe(searching.revision('b'))
    await Promise.all([writing.close(), searching.close()])
    await served.stop()
    rmSync(folder, { recursive: true })
  })

  test('a write becomes visible by itself, whenever it comes after the one before', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    let written = 0
    const write = () => index.write([{ kind: 'offer', version: 1, offer: anOffer({ id: `p${written++}` }) }])
    // A write becomes visible half a second later, together with all writes that came meanwhile.
    for (const pauseMs of [0, 10, 300, 490, 500, 510]) {
      await write()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      await write()
      await expect.poll(() => index.count('shop', [])).toBe(written)
    }
    await index.clear()
    await write()
    await expect.poll(() => index.count('shop', [])).toBe(1)
    await index.close()
    rmSync(folder, { recursive: true })
  })

  test('several clients share one index; what one writes, another finds', async () => {
    const folder = newFolder()
    const served = await startEmbeddedProductIndex({ folder })
    const [one, other] = [productIndexClient(served.connect()), productIndexClient(served.connect())]
    await one.write([{ kind: 'offer', version: 1, offer: anOffer() }])
    await other.refresh()
    expect(await other.count('shop', [])).toBe(1)
    await one.close()
    await expect(one.count('shop', [])).rejects.toThrow(IndexUnavailable)
    expect(await other.count('shop', [])).toBe(1)
    await served.stop()
    await expect(other.count('shop', [])).rejects.toThrow(IndexUnavailable)
    await expect(other.write([])).rejects.toThrow(IndexUnavailable)
    rmSync(folder, { recursive: true })
  })

  test('a cut list comes with the best that is left of other campaigns than the last one’s', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    const weights = { a: 9, b: 5, c: 4, d: 2, e: 1 }
    type Id = keyof typeof weights
    const ids = Object.keys(weights) as Id[]
    const campaigns = ids.map((id) => ({ campaignIds: [id], weight: weights[id] }))
    const best = (promoting: readonly Id[]) => Math.max(0, ...promoting.map((id) => weights[id]))
    const catalogue = fc.array(fc.subarray(ids), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(catalogue, fc.integer({ min: 1, max: 6 }), fc.nat(), async (promotions, limit, tieSeed) => {
        await index.clear()
        await index.write(promotions.flatMap((campaignIds, n) => promotedOffer(anOffer({ id: `${n}` }), campaignIds)))
        await index.refresh()
        const query = { shopId: 'shop', filters: [], rank: { by: 'none' } as const, priorClickRate: 0.004 }
        const [result] = await index.search([{ ...query, campaigns, limit, tieSeed }])
        const listed = result!.hits.map(({ product }) => Number(product.offer.id))
        const last = promotions[listed.at(-1) ?? -1] ?? []
        const leading = ids.find((id) => weights[id] === best(last))
        const others = (n: number) => best(promotions[n]!.filter((id) => id !== leading))
        const left = [...promotions.keys()].filter((n) => !listed.includes(n))
        const greatest = result!.truncated ? Math.max(0, ...left.map(others)) : 0
        const { runnerUp } = result!
        expect(runnerUp === null ? 0 : others(Number(runnerUp.product.offer.id))).toBe(greatest)
        if (runnerUp) expect(left).toContain(Number(runnerUp.product.offer.id))
      }),
      { numRuns: tries(200, 2_000) },
    )
    await index.close()
    rmSync(folder, { recursive: true })
  })

  const queryOf = (...filters: Filter[]): ProductQuery => ({
    ...{ shopId: 'shop', filters, rank: { by: 'none' }, campaigns: null, priorClickRate: 0.004 },
    ...{ limit: 5, tieSeed: 1 },
  })

  test('a search takes one message, even if the client has none of the products', async () => {
    const folder = newFolder()
    const served = await startEmbeddedProductIndex({ folder })
    const writing = productIndexClient(served.connect())
    const port = served.connect()
    const sent = vi.spyOn(port, 'postMessage')
    const searching = productIndexClient(port)
    const titlesBySearch: string[] = []
    for (const [version, title] of ['first', 'second'].entries()) {
      await writing.write([{ kind: 'offer', version: version + 1, offer: anOffer({ title }) }])
      await writing.refresh()
      sent.mockClear()
      for (let i = 0; i < 2; i++) {
        const [result] = await searching.search([queryOf()])
        titlesBySearch.push(...result!.hits.map(({ product }) => product.offer.title))
      }
      expect(sent).toHaveBeenCalledTimes(2)
    }
    expect(titlesBySearch).toEqual(['first', 'first', 'second', 'second'])
    await served.stop()
    rmSync(folder, { recursive: true })
  })

  test('a search with synonyms that are new lets others pass while they are analysed', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    const text: Filter = { kind: 'text', text: 'lampe', lang: 'de', minShare: 1, in: 'ALL_FIELDS' }
    const answered: string[] = []
    const search = async (name: string, query: ProductQuery) => {
      await index.search([query])
      answered.push(name)
    }
    const slow = { ...queryOf(text), synonyms: manySynonyms }
    await Promise.all([search('with synonyms', slow), search('without', queryOf(text))])
    expect(answered).toEqual(['without', 'with synonyms'])
    await index.close()
    rmSync(folder, { recursive: true })
  })

  test('a search finds products that the client had and has evicted', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    // Together they take more than the client's cache.
    const ids = Array.from({ length: 40 }, (_, n) => `p${n}`)
    const deepLink = `https://shop.example/${'x'.repeat(1_000_000)}`
    await index.write(ids.map((id) => ({ kind: 'offer', version: 1, offer: anOffer({ id, deepLink }) })))
    await index.refresh()
    for (const id of [...ids, ...ids]) {
      const [result] = await index.search([queryOf({ kind: 'ids', ids: [id] })])
      expect(result!.hits.map(({ product }) => product.offer.id)).toEqual([id])
    }
    await index.close()
    rmSync(folder, { recursive: true })
  })

  test('offers are found and excluded by ids that none had before', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    const found = async (...filters: Filter[]) => {
      const [result] = await index.search([queryOf(...filters)])
      return result!.hits.map(({ product }) => product.offer.id).sort()
    }
    const expectFound = async (all: string[]) => {
      await index.refresh()
      expect(await found({ kind: 'excludeIds', ids: ['late', 'late'] })).toEqual(all.filter((id) => id !== 'late'))
      expect(await found({ kind: 'ids', ids: ['late'] })).toEqual(all.filter((id) => id === 'late'))
      expect(await found({ kind: 'ids', ids: ['early', 'group'] })).toEqual(all)
    }
    const early = anOffer({ id: 'early', productId: 'group' })
    await index.write([{ kind: 'offer', version: 1, offer: early }])
    await expectFound(['early'])
    await index.write([{ kind: 'offer', version: 2, offer: anOffer({ id: 'late', productId: 'group' }) }])
    await expectFound(['early', 'late'])
    await index.write([{ kind: 'remove', version: 3, shopId: 'shop', feedId: 'feed', id: 'early' }])
    await expectFound(['late'])
    await index.close()
    rmSync(folder, { recursive: true })
  })

  test('more lists of campaigns than a client keeps are still told apart', async () => {
    const folder = newFolder()
    const index = await openEmbeddedProductIndex({ folder })
    const ids = Array.from({ length: 600 }, (_, n) => `p${n}`)
    await index.write(ids.flatMap((id) => promotedOffer(anOffer({ id }), [`c${id}`])))
    await index.refresh()
    const lists = ids.map((id) => [{ campaignIds: [`c${id}`], weight: 1 }])
    const ask = async (at: number) => {
      const query = {
        shopId: 'shop',
        filters: [],
        rank: { by: 'none' } as const,
        campaigns: lists[at]!,
        limit: 5,
        priorClickRate: 0.004,
        tieSeed: 1,
      }
      return (await index.search([query]))[0]!.hits.map((hit) => hit.product.offer.id)
    }
    const rounds = [...ids.keys(), ...ids.keys()]
    expect(await Promise.all(rounds.map(ask))).toEqual(rounds.map((at) => [ids[at]]))
    await index.close()
    rmSync(folder, { recursive: true })
  })
})
