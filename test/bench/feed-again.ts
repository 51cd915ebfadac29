/**
 * A feed of 200,000 products that is fetched again, the same and with 1 % of the prices changed, on the embedded engines: the processor
 * time of a run, of its parts, each done once more by itself, and of the indexer behind it.
 *
 *   node test/bench/feed-again.ts [items]
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { openEmbeddedProductIndex } from '../../infra/product-index/embedded/product-index.ts'
import { withDigest } from '../../services/domain/catalogue/offer.ts'
import { defaultLimits } from '../../services/domain/limits.ts'
import { Snapshot } from '../../services/domain/snapshot.ts'
import { offerFromItem } from '../../services/registry/feeds/items/offer-from-item.ts'
import { noCounts } from '../../services/registry/feeds/runs/job.ts'
import { readKnownOffers } from '../../services/registry/feeds/runs/removals.ts'
import { runFeed } from '../../services/registry/feeds/runs/run.ts'
import { decodeFeed } from '../../services/registry/feeds/source/decode.ts'
import { fetchFeed, fetchOptions } from '../../services/registry/feeds/source/fetch.ts'
import { parseFeed } from '../../services/registry/feeds/source/parse.ts'
import { createIndexer } from '../../streams/indexer/indexer.ts'
import { runToEnd } from '../../streams/runtime/run-to-end.ts'
import { threadTimes, usedBetween } from './cost/threads.ts'
import { startStopwatch } from './stopwatch.ts'
import { writeFeed } from './written-feed.ts'

const ITEMS = 200_000
const ROUNDS = 3
const CHANGED_EVERY = 100
const FEED = { id: 'feed', shopId: 'shop', currency: 'EUR', lang: 'en' }
const silent = { info() {}, warn() {}, error() {} }

/** Seconds of processor time, of this thread and of those of the engines. */
interface Used {
  own: number
  index: number
  log: number
}

async function used(work: () => Promise<unknown>): Promise<Used> {
  const before = threadTimes(process.pid)
  const spent = startStopwatch()
  await work()
  const { index, log } = usedBetween(before, threadTimes(process.pid)) as Record<'index' | 'log', number>
  return { own: spent().threadCpuMs / 1_000, index, log }
}

const total = ({ own, index, log }: Used) => own + index + log
/** The round that took least. */
const least = (rounds: readonly Used[]) => rounds.toSorted((a, b) => total(a) - total(b))[0]!
const without = (a: Used, b: Used): Used => ({ own: a.own - b.own, index: a.index - b.index, log: a.log - b.log })

async function main(items: number): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'endcap-bench-feed-again-'))
  const files = { same: join(place, 'same.xml'), changed: join(place, 'changed.xml') }
  await writeFeed(files.same, items, 0)
  await writeFeed(files.changed, items, CHANGED_EVERY)
  const server = spawn(process.execPath, [import.meta.filename, 'serve', place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(server.stdout, 'data')) as [Buffer]
  const log = await openEmbeddedEventLog({ folder: join(place, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(place, 'index') })
  const fetch = fetchOptions(defaultLimits, true)
  const { signal } = new AbortController()
  const contentPath = join(place, 'content')
  const urlOf = (name: string) => `http://127.0.0.1:${String(port).trim()}/${name}.xml`

  const fetched = (name: string) =>
    fetchFeed({ url: urlOf(name), credentials: null, etag: null, lastModified: null, path: contentPath, signal }, fetch)
  let contentHash: string | null = null
  /** @param isFresh false: as of the first run after a start. */
  const run = async (name: string, isFresh = true) => {
    const task = {
      tag: 'FETCH' as const,
      url: urlOf(name),
      credentials: null,
      etag: null,
      lastModified: null,
      contentHash,
      isFresh,
    }
    const deps = {
      log,
      index,
      caughtUp: async () => {},
      fetch,
      readInTurn: <T>(read: () => Promise<T>) => read(),
      now: Date.now,
    }
    const job = { runId: 'run', feed: FEED, task, contentPath, heldPath: join(place, 'held') }
    const outcome = await runFeed(deps, job, { signal, counts: noCounts() })
    if (outcome.status !== 'DONE' || outcome.counts.rejected > 0)
      throw new Error(`${outcome.status} ${outcome.message}`)
    contentHash = outcome.content?.contentHash ?? contentHash
  }
  const indexed = () => runToEnd(createIndexer({ log, index, snapshot: new Snapshot(), now: Date.now, logger: silent }))

  const content = () => decodeFeed(createReadStream(files.same, { highWaterMark: 64 * 1024 }))
  const decoded = async (each: (text: string) => void) => {
    for await (const text of content()) each(text)
  }
  const parsed = async (each: (item: Parameters<typeof offerFromItem>[0]) => void) => {
    for await (const some of parseFeed(content())) for (const item of some) each(item)
  }
  const { id: feedId, ...context } = FEED
  const offerOf = (item: Parameters<typeof offerFromItem>[0]) =>
    offerFromItem(item, { ...context, feedId, now: 0 }).offer!
  const hash = createHash('sha256')
  const works: Record<string, () => Promise<unknown>> = {
    fetch: () => fetched('same'),
    decode: () => decoded(() => {}),
    hash: () => decoded((text) => hash.update(text)),
    parse: () => parsed(() => {}),
    read: () => parsed(offerOf),
    digest: () => parsed((item) => withDigest({ ...offerOf(item), updatedAt: 0 })),
    known: () => readKnownOffers(index, FEED, signal),
  }
  try {
    const rows: [string, Used][] = []
    rows.push(['first run: all new', await used(() => run('same'))], ['its indexer', await used(indexed)])
    const rounds: Record<string, Used[]> = {}
    const measure = async (name: string, work: () => Promise<unknown>) => {
      rounds[name] = [...(rounds[name] ?? []), await used(work)]
    }
    for (let round = 0; round < ROUNDS; round++) {
      await measure('same run', () => run('same'))
      await measure('same run read', () => run('same', false))
      await measure('same indexer', indexed)
      await measure('changed run', () => run('changed'))
      await measure('changed indexer', indexed)
      await run('same')
      await indexed()
      for (const [name, work] of Object.entries(works)) await measure(name, work)
    }
    const of = (name: string) => least(rounds[name]!)
    rows.push(['run: the same', of('same run')], ['run: the same, after a start', of('same run read')])
    rows.push(['its indexer', of('same indexer')])
    rows.push(['run: 1 % changed', of('changed run')], ['its indexer', of('changed indexer')])
    rows.push(['fetch', of('fetch')], ['hash, decoding included', of('hash')])
    rows.push(['what the index holds', of('known')], ['decode', of('decode')])
    rows.push(['parse', without(of('parse'), of('decode'))], ['read as offers', without(of('read'), of('parse'))])
    rows.push(['digest', without(of('digest'), of('read'))])
    console.log(
      `${items} items; seconds of processor time\n| | all | own thread | index | log |\n|---|---|---|---|---|`,
    )
    for (const [name, part] of rows) {
      const cells = [total(part), part.own, part.index, part.log].map((seconds) => seconds.toFixed(2))
      console.log(`| ${[name, ...cells].join(' | ')} |`)
    }
  } finally {
    server.kill()
    await index.close()
    await log.close()
    await rm(place, { recursive: true, force: true })
  }
}

/** A server that knows of no validators, as those of many shops. */
function serve(place: string): void {
  const server = createServer((request, response) => createReadStream(join(place, request.url!)).pipe(response))
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}

const [mode = String(ITEMS), folder = ''] = process.argv.slice(2)
if (mode === 'serve') serve(folder)
else await main(Number(mode))
