import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import { openReplacement } from '../../../infra/product-index/embedded/replacement.ts'
import { type IndexBuilds, IndexUnavailable, type ProductIndex } from '../../../infra/product-index/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { offerKey } from '../../../services/domain/catalogue/offer.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { changed, created, openRegistry } from '../../../services/registry/resources/store.ts'
import { createIndexer } from '../../../streams/indexer/indexer.ts'
import { rebuildIndexBeside } from '../../../streams/rebuild/index-beside.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaignBody } from '../judge/fixtures.ts'

const by = { by: 'tester' }
const silent = { info() {}, warn() {}, error() {} }
const OFFERS = 1_200
const idOf = (n: number) => `p${n}`
const offerOf = (n: number, title = 'lamp') =>
  anOffer({ shopId: 'shop', feedId: 'feed', id: idOf(n), externalSellerId: 's', title: `${title} ${n}` })

let folder: string
let log: EventLog
const snapshot = new Snapshot()
let registry: Awaited<ReturnType<typeof openRegistry>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'index-beside-'))
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  registry = await openRegistry({ log, snapshot, now: Date.now })
  const account = { ...bodies.Account, sellerIds: ['s'] }
  const shop = { ...bodies.Shop, accountId: 'publisher' }
  await registry.write([created('Account', 'account', account), created('Shop', 'shop', shop)], by)
  await registry.write([created('Campaign', 'c', list([idOf(1)]))], by)
  await append(Array.from({ length: OFFERS }, (_, n) => n))
  const index = await openIndex()
  await runToEnd(createIndexer(depsOf(index)))
  await index.close()
})
afterAll(async () => {
  await registry.close()
  await log.close()
  await rm(folder, { recursive: true })
})

const list = (productIds: string[]) =>
  campaignBody({ shopId: 'shop', accountId: 'account', productIds, productRule: null })
const promote = (productIds: string[]) =>
  registry.write(() => [changed(snapshot.get('Campaign', 'c')!, list(productIds))], by)
const openIndex = () => openEmbeddedProductIndex({ folder: join(folder, 'index') })
const depsOf = (index: ProductIndex) => ({ log, index, snapshot, now: Date.now, logger: silent })

const append = (numbers: number[], title?: string) =>
  log.append(
    numbers.map((n) => ({
      topic: 'products',
      key: offerKey('shop', 'feed', idOf(n)),
      value: encode('ProductOffer', offerOf(n, title)),
    })),
  )

/** Runs an indexer that builds a new index next to the old one, as in a running program. */
function runIndexer(index: ProductIndex) {
  const indexer = createIndexer(depsOf(index))
  const ended = indexer.run()
  let stopped = false
  const turns = (async () => {
    while (!stopped) if (!(await indexer.buildTurn())) await new Promise((resolve) => setTimeout(resolve, 5))
  })()
  return async () => {
    stopped = true
    await turns
    await indexer.stop()
    await ended
  }
}

async function rebuild(options: {
  replaces?: boolean
  meanwhile?: () => Promise<unknown>
  wrap?: (builds: IndexBuilds) => IndexBuilds
}) {
  const { replaces = false, meanwhile = async () => {}, wrap = (builds) => builds } = options
  const said: string[] = []
  const replacement = await openReplacement(join(folder, 'index'))
  const opened = await openIndex()
  const index = { ...opened, builds: wrap(replacement.builds) }
  const stop = runIndexer(index)
  const [proof] = await Promise.all([
    rebuildIndexBeside({ index, replaces, say: (line) => said.push(line), now: Date.now }),
    meanwhile(),
  ])
  await stop()
  await opened.close()
  await replacement.close()
  return { proof, said }
}

describe('a product index that is rebuilt beside the one that serves', () => {
  it('is equal to it, with what comes meanwhile, and takes its place', async () => {
    const { proof } = await rebuild({
      meanwhile: async () => {
        for (let round = 0; round < 10; round++) {
          await append([round, OFFERS + round], `desk lamp of round ${round},`)
          await promote([idOf(1), idOf(OFFERS + round), idOf(OFFERS - 1)])
        }
      },
    })
    expect(proof).toMatchObject({ equal: true })
    const index = await openIndex()
    await runToEnd(createIndexer(depsOf(index)))
    await index.refresh()
    expect(await index.shops()).toEqual(['shop'])
    expect(await index.count('shop', [])).toBe(OFFERS + 10)
    const promoted = await index.scan({
      shopId: 'shop',
      filters: [{ kind: 'campaign', campaignId: 'c' }],
      after: null,
      limit: 9,
    })
    expect(promoted.map(({ offer }) => offer.id).sort()).toEqual([idOf(1), idOf(OFFERS - 1), idOf(OFFERS + 9)].sort())
    const [changedOffer] = await index.get('shop', [idOf(7)])
    expect(changedOffer!.offer.title).toBe('desk lamp of round 7, 7')
    // Everything after the switch is newer than what the new index holds.
    await promote([idOf(3)])
    await append([7], 'last')
    await runToEnd(createIndexer(depsOf(index)))
    await index.refresh()
    expect(await index.count('shop', [{ kind: 'campaign', campaignId: 'c' }])).toBe(1)
    expect((await index.get('shop', [idOf(7)]))[0]!.offer.title).toBe('last 7')
    await index.close()
  })

  it('does not take its place when they differ, unless it is told to', async () => {
    const damaged = await openIndex()
    await damaged.write([{ kind: 'remove', version: 10 ** 9, shopId: 'shop', feedId: 'feed', id: idOf(5) }])
    await damaged.close()
    const refused = await rebuild({})
    expect(refused.proof).toMatchObject({ equal: false, rowsBefore: OFFERS + 9, rowsAfter: OFFERS + 10 })
    expect(refused.said).toContain(`Shop shop differs: feed/${idOf(5)}`)
    const kept = await openIndex()
    expect(await kept.get('shop', [idOf(5)])).toEqual([])
    await kept.close()

    expect((await rebuild({ replaces: true })).proof).toMatchObject({ equal: false })
    const replaced = await openIndex()
    expect(await replaced.get('shop', [idOf(5)])).toHaveLength(1)
    await replaced.close()
    expect((await rebuild({})).proof).toMatchObject({ equal: true })
  })

  it('is filled from the beginning by the next indexer when one dies in the middle', async () => {
    const replacement = await openReplacement(join(folder, 'index'))
    const opened = await openIndex()
    const index = { ...opened, builds: replacement.builds }
    const first = createIndexer(depsOf(index))
    const ended = first.run()
    expect(await first.buildTurn()).toBe(true)
    const { build } = await replacement.builds.look()
    expect(build!.fill).toMatchObject({ complete: false, of: expect.any(Number) })
    await first.stop()
    await ended
    // Damage the build, as if only part of it had been stored.
    await build!.index.clear()
    const stop = runIndexer(index)
    const said: string[] = []
    expect(
      await rebuildIndexBeside({ index, replaces: false, say: (line) => said.push(line), now: Date.now }),
    ).toMatchObject({
      equal: true,
    })
    await stop()
    await opened.close()
    await replacement.close()
  })

  it('leaves nothing out when the log cannot be read for a while, or the new index not be written', async () => {
    const replacement = await openReplacement(join(folder, 'index'))
    const opened = await openIndex()
    const build = (await replacement.builds.look()).build!
    let calls = 0
    /** Reads and writes fail in turn, and succeed in between. */
    const failing = <T>(call: () => Promise<T>) =>
      [0, 3].includes(calls++ % 5) ? Promise.reject(new IndexUnavailable('Not now')) : call()
    const next = {
      ...build.index,
      write: (...args: Parameters<ProductIndex['write']>) => failing(() => build.index.write(...args)),
    }
    const look = async () => {
      const { serving, build } = await replacement.builds.look()
      return { serving, build: { ...build!, index: next } }
    }
    const index = { ...opened, builds: { ...replacement.builds, look } }
    const read = (...args: Parameters<EventLog['read']>) => failing(() => log.read(...args))
    const indexer = createIndexer({ ...depsOf(index), log: { ...log, read } })
    const ended = indexer.run()
    await expect
      .poll(async () => {
        await indexer.buildTurn().catch(() => {})
        return (await look()).build.fill.complete
      })
      .toBe(true)
    expect(await next.count('shop', [])).toBe(await opened.count('shop', []))
    await indexer.stop()
    await ended
    await opened.close()
    await replacement.close()
  })

  it('fills by itself when no index serves, and serves only once it is complete', async () => {
    const replacement = await openReplacement(join(folder, 'index'))
    let begun = 0
    let serving = false
    const servedAt: number[] = []
    const builds: IndexBuilds = {
      async look() {
        if (begun === 0 || serving) return { serving, build: null }
        const { build } = await replacement.builds.look()
        const serve = async () => {
          await build!.index.refresh()
          servedAt.push(await build!.index.count('shop', []))
          serving = true
        }
        return { serving, build: { ...build!, serve } }
      },
      begin: async () => {
        begun++
        const { build } = await builds.look()
        return build!
      },
    }
    const opened = await openIndex()
    const stop = runIndexer({ ...opened, builds })
    await expect.poll(() => serving).toBe(true)
    await stop()
    expect({ begun, servedAt }).toEqual({ begun: 1, servedAt: [OFFERS + 10] })
    await opened.close()
    await replacement.close()
  })
})
