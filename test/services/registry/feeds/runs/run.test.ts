import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LogUnavailable } from '../../../../../infra/event-log/port.ts'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import { CURRENCIES_COUNTED_MAX, ISSUES_KEPT_MAX } from '../../../../../services/registry/feeds/items/item-intake.ts'
import { type FeedJob, noCounts } from '../../../../../services/registry/feeds/runs/job.ts'
import { type RunDeps, runFeed } from '../../../../../services/registry/feeds/runs/run.ts'
import { fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'
import { item, rss } from '../documents.ts'
import { type Engines, openEngines } from '../engines.ts'

let engines: Engines
let deps: RunDeps
let run = 0
let feed: FeedJob['feed']

beforeAll(async () => {
  engines = await openEngines()
  const { log, index, catchUp } = engines
  deps = {
    log,
    index,
    caughtUp: catchUp,
    fetch: fetchOptions(defaultLimits, true),
    readInTurn: (read) => read(),
    now: () => NOW,
  }
})
afterAll(() => engines.close())
beforeEach(() => {
  feed = { id: 'F', shopId: `S${run}`, currency: 'EUR', lang: 'en' }
})

const NOW = Date.UTC(2026, 5, 15)
const offers = () => engines.offers(feed.shopId)
const issues = () => engines.issues(feed.shopId)

async function job(content: string | Buffer, changes: Partial<FeedJob> = {}): Promise<FeedJob> {
  const runId = `run-${run++}`
  const contentPath = join(engines.folder, `${runId}.content`)
  await writeFile(contentPath, content)
  return {
    runId,
    feed,
    task: { tag: 'READ' },
    contentPath,
    heldPath: join(engines.folder, `${runId}.held`),
    ...changes,
  }
}

const take = (given: FeedJob, signal = new AbortController().signal) =>
  runFeed(deps, given, { signal, counts: noCounts() })
const upload = async (content: string | Buffer) => take(await job(content))
const products = (ids: string[], values: Record<string, string> = {}) =>
  rss(...ids.map((id) => item({ id, ...values })))

describe('a run', () => {
  it('writes every offer once, then only what differs, and removes what is gone', async () => {
    expect(await upload(products(['a', 'b', 'c', 'd']))).toMatchObject({
      status: 'DONE',
      counts: { total: 4, changed: 4, unchanged: 0, removed: 0, rejected: 0 },
    })
    expect(await upload(gzipSync(products(['d', 'c', 'b', 'a'])))).toMatchObject({
      counts: { changed: 0, unchanged: 4 },
    })

    const third = rss(item({ id: 'a' }), item({ id: 'b', price: '1 EUR' }), item({ id: 'e' }), item({ id: 'd' }))
    expect(await upload(third)).toMatchObject({ counts: { total: 4, changed: 2, unchanged: 2, removed: 1 } })
    const now = await offers()
    expect([...now.keys()].sort()).toEqual(['a', 'b', 'd', 'e'])
    expect(now.get('b')).toMatchObject({ priceMicros: 1_000_000, shopId: feed.shopId, feedId: 'F', updatedAt: NOW })
  })

  it('tells the item groups of what is new or changed', async () => {
    await upload(products(['a', 'b'], { item_group_id: 'group' }))
    await upload(products(['b'], { item_group_id: 'group' }))
    expect(await engines.itemGroups(feed.shopId)).toEqual([
      ['a', 'group'],
      ['b', 'group'],
    ])
  })

  it('removes an offer whose item is now rejected', async () => {
    await upload(products(['a', 'b', 'c']))
    const outcome = await upload(rss(item({ id: 'a' }), item({ id: 'b' }), item({ id: 'c', price: '0 EUR' })))
    expect(outcome.counts).toMatchObject({ total: 3, unchanged: 2, rejected: 1, removed: 1 })
    expect((await offers()).has('c')).toBe(false)
  })

  it('keeps the first item of an id, run after run, and reports the later ones', async () => {
    const content = rss(item({ id: 'a', title: 'First' }), item({ id: 'a', title: 'Second' }), item({ id: 'b' }))
    expect((await upload(content)).counts).toMatchObject({ changed: 2, rejected: 1, issueCounts: { DUPLICATE_ID: 1 } })
    expect((await upload(content)).counts).toMatchObject({ changed: 0, unchanged: 2, rejected: 1 })
    expect((await offers()).get('a')!.title).toBe('First')
    expect((await issues())[0]).toMatchObject({
      code: 'DUPLICATE_ID',
      line: 3,
      message: 'Line 2 already has a product with this id',
    })
  })

  it('counts what is rejected by the currency of the price and by the field that is missing', async () => {
    const prices = ['1 TRY', '2 TRY', '3 INR', '4 EUR', '']
    const { counts } = await upload(rss(...prices.map((price, i) => item({ id: `p${i}`, price }))))
    expect(counts).toMatchObject({
      total: 5,
      rejected: 4,
      issueCounts: { CURRENCY_MISMATCH: 3, MISSING_FIELD: 1 },
      rejectedCurrencies: { TRY: 2, INR: 1 },
      missingFields: { price: 1 },
    })
  })

  it('counts ten currencies and no more', async () => {
    const prices = Array.from({ length: 26 }, (_, i) => `1 A${String.fromCharCode(65 + i)}Q`)
    const { counts } = await upload(rss(...prices.map((price, i) => item({ id: `p${i}`, price }))))
    expect(Object.keys(counts.rejectedCurrencies)).toHaveLength(CURRENCIES_COUNTED_MAX)
    expect(counts.issueCounts).toEqual({ CURRENCY_MISMATCH: 26 })
  })

  it('takes the first valid item of an id', async () => {
    const outcome = await upload(rss(item({ id: 'a', price: '' }), item({ id: 'a', title: 'Second' })))
    expect(outcome.counts).toMatchObject({ changed: 1, rejected: 1, issueCounts: { MISSING_FIELD: 1 } })
    expect((await offers()).get('a')!.title).toBe('Second')
  })

  it('stores each issue with its run, and counts warnings and rejections by code', async () => {
    const given = await job(rss(item({ id: 'a', gtin: '1', condition: 'odd' }), item({ id: 'b', link: '' })))
    expect((await take(given)).counts).toMatchObject({
      total: 2,
      changed: 1,
      rejected: 1,
      warnings: 2,
      issueCounts: { INVALID_GTIN: 1, INVALID_VALUE: 1, MISSING_FIELD: 1 },
    })
    const about = { feedId: 'F', runId: given.runId, shopId: feed.shopId, foundAt: NOW }
    expect(await issues()).toMatchObject([
      { ...about, severity: 'WARNING', line: 2, productId: 'a', field: 'gtin', code: 'INVALID_GTIN' },
      { ...about, severity: 'WARNING', line: 2, productId: 'a', field: 'condition', code: 'INVALID_VALUE' },
      { ...about, severity: 'REJECTED', line: 3, productId: 'b', field: 'link', code: 'MISSING_FIELD' },
    ])
  })

  it('counts all issues and keeps the first 10,000', async () => {
    const items = Array.from({ length: ISSUES_KEPT_MAX / 5 + 10 }, () => '<item/>')
    const { counts } = await upload(rss(...items))
    expect(counts).toMatchObject({ total: 2_010, rejected: 2_010, issueCounts: { MISSING_FIELD: 12_060 } })
    expect(await issues()).toHaveLength(ISSUES_KEPT_MAX)
  })

  it('rejects an item that the log would not take, and goes on', async () => {
    // Every value has its maximum length, in characters of three bytes.
    const text = (chars: number) => '漢'.repeat(chars)
    const detail = `<g:product_detail>${text(140)}:${text(140)}:${text(1_000)}</g:product_detail>`.repeat(200)
    const certified = ['name', 'code', 'value', 'authority'].map((part) => {
      return `<g:certification_${part}>${text(200)}</g:certification_${part}>`
    })
    const certification = `<g:certification>${certified.join('')}</g:certification>`.repeat(50)
    const custom = Array.from({ length: 50 }, (_, i) => `<c:p${i}>${text(500)}</c:p${i}>`).join('')
    const shipping = `<g:shipping>DE:${text(200)}:Post:${text(200)}</g:shipping>`.repeat(100)
    const huge = item({ id: 'huge' }, detail + certification + custom + shipping)
    const outcome = await upload(rss(huge, item({ id: 'b' })))
    expect(outcome).toMatchObject({
      status: 'DONE',
      counts: { changed: 1, rejected: 1, issueCounts: { ITEM_TOO_LARGE: 1 } },
    })
  })

  it('leaves other feeds of the shop alone', async () => {
    await take(await job(products(['x', 'y']), { feed: { ...feed, id: 'G' } }))
    await upload(products(['a', 'b', 'c']))
    await upload(products(['a', 'b']))
    expect([...(await offers()).keys()].sort()).toEqual(['a', 'b', 'x', 'y'])
  })

  it('says when a sale makes its offers stale', async () => {
    const dates = (end: string) => ({ sale_price: '1 EUR', sale_price_effective_date: `2026-06-01/${end}T00:00Z` })
    const outcome = await upload(
      rss(item({ id: 'a', ...dates('2026-06-20') }), item({ id: 'b', ...dates('2026-06-18') })),
    )
    expect(outcome.staleAt).toBe(Date.UTC(2026, 5, 18))
  })
})

describe('a feed that breaks off', () => {
  it('fails with the line, applies what it read, and removes nothing', async () => {
    await upload(products(['a', 'b', 'c', 'd']))
    const broken = `${rss(item({ id: 'a', price: '1 EUR' }), item({ id: 'e' }))}\n<oops`
    const outcome = await upload(broken)
    expect(outcome).toMatchObject({ status: 'FAILED', counts: { total: 2, changed: 2, removed: 0 } })
    expect(outcome.message).toMatch(/^Line \d+: the XML is not well-formed/)
    const now = await offers()
    expect([...now.keys()].sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(now.get('a')!.priceMicros).toBe(1_000_000)
    // The offers in force no longer match one content, so the next fetch must be unconditional.
    expect(outcome.content).toEqual({ etag: null, lastModified: null, contentHash: null })
  })

  it.each([
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['gzip that is cut', gzipSync(products(['a'])).subarray(0, 50)],
    ['a DTD', `<!DOCTYPE r [<!ENTITY a "b">]>${products(['a']).replace(/<\?.*?\?>/, '')}`],
  ])('fails for %s and changes nothing', async (_name, content) => {
    await upload(products(['a', 'b']))
    expect(await upload(content)).toMatchObject({
      status: 'FAILED',
      counts: { changed: 0, removed: 0 },
      content: null,
    })
    expect((await offers()).size).toBe(2)
  })
})

describe('a feed that would remove over half of the shop', () => {
  it('is held: what is new or changed is in force, nothing is removed, until it is confirmed', async () => {
    await upload(products(['a', 'b', 'c', 'd', 'e']))
    const held = await job(rss(item({ id: 'a', price: '1 EUR' }), item({ id: 'b' }), item({ id: 'n' })))
    expect(await take(held)).toMatchObject({
      status: 'HELD',
      message: "The run would remove 3 of the shop's 5 products: confirm the run to remove them",
      counts: { total: 3, changed: 2, unchanged: 1, removed: 0 },
    })
    expect([...(await offers()).keys()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'n'])

    const confirmed = await take({ ...held, task: { tag: 'REMOVE_HELD' } })
    expect(confirmed).toMatchObject({ status: 'DONE', counts: { removed: 3 } })
    expect([...(await offers()).keys()].sort()).toEqual(['a', 'b', 'n'])
  })

  it('keeps, once confirmed, what has changed since', async () => {
    await upload(products(['a', 'b', 'c']))
    const held = await job(products(['z']))
    await take(held)
    await upload(products(['a', 'b', 'z'], { price: '2 EUR' }))
    expect(await take({ ...held, task: { tag: 'REMOVE_HELD' } })).toMatchObject({ counts: { removed: 0 } })
    expect([...(await offers()).keys()].sort()).toEqual(['a', 'b', 'z'])
  })

  it('is judged by the products of the shop, not of the feed: half is let through', async () => {
    await take(await job(products(['x', 'y']), { feed: { ...feed, id: 'G' } }))
    await upload(products(['a', 'b']))
    expect(await upload(rss())).toMatchObject({ status: 'DONE', counts: { total: 0, removed: 2 } })
  })

  it('fails to be confirmed when its list is gone', async () => {
    const given = await job('', { task: { tag: 'REMOVE_HELD' } })
    expect(await take(given)).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('run the feed again'),
    })
  })
})

describe('a run that is cut short', () => {
  it('ends in the right state when it is done again, wherever it was cut', async () => {
    await upload(products(Array.from({ length: 1_200 }, (_, i) => `p${i}`)))
    const goal = Array.from({ length: 1_500 }, (_, i) =>
      item({ id: `p${i + 100}`, price: i % 3 === 0 ? '1 EUR' : '12.50 EUR' }),
    )
    const given = await job(rss(...goal))
    // Interrupt it before any append, after the first batch, and between the last offers and the removals.
    for (const appendsLeft of [0, 1, 1]) {
      let left = appendsLeft
      const log = {
        ...engines.log,
        append: async (records: Parameters<typeof engines.log.append>[0]) => {
          if (left-- <= 0) throw new LogUnavailable('gone')
          return engines.log.append(records)
        },
      }
      const control = { signal: new AbortController().signal, counts: noCounts() }
      await expect(runFeed({ ...deps, log }, given, control)).rejects.toThrow('gone')
    }
    expect(await take(given)).toMatchObject({ status: 'DONE', counts: { total: 1_500, removed: 100 } })
    const now = await offers()
    expect(now.size).toBe(1_500)
    expect([...now.values()].filter(({ priceMicros }) => priceMicros === 1_000_000)).toHaveLength(500)
    expect(await take(given)).toMatchObject({ counts: { changed: 0, unchanged: 1_500, removed: 0 } })
  })

  it('ends soon when it is cancelled, and removes nothing', async () => {
    await upload(products(['a', 'b', 'c']))
    const abort = new AbortController()
    abort.abort()
    await expect(take(await job(products(['a', 'b'])), abort.signal)).rejects.toThrow(/abort/i)
    expect((await offers()).size).toBe(3)
  })
})

it('removes all offers of a feed that was deleted', async () => {
  await upload(products(['a', 'b/c']))
  await take(await job(products(['x']), { feed: { ...feed, id: 'G' } }))
  expect(await take(await job('', { task: { tag: 'REMOVE_ALL' } }))).toMatchObject({ counts: { removed: 2 } })
  expect([...(await offers()).keys()]).toEqual(['x'])
})
