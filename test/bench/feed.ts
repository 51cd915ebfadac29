/**
 * A feed of 100,000 items: the complete run (unpack, parse, map, compare, append durably) on the embedded engines against a bare
 * saxes parse of the same file, and the memory that each uses. Each measurement runs in its own process.
 *
 *   node test/bench/feed.ts [items]
 */
import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { openEmbeddedProductIndex } from '../../infra/product-index/embedded/product-index.ts'
import type { IndexWrite } from '../../infra/product-index/port.ts'
import { decode } from '../../schemas/wire/codec.ts'
import { defaultLimits } from '../../services/domain/limits.ts'
import { noCounts } from '../../services/registry/feeds/runs/job.ts'
import { runFeed } from '../../services/registry/feeds/runs/run.ts'
import { fetchOptions } from '../../services/registry/feeds/source/fetch.ts'
import { startStopwatch } from './stopwatch.ts'
import { writeFeed } from './written-feed.ts'

const ITEMS = 100_000
const ROUNDS = 3
const MEMORY_GOAL_MIB = 300
/** Without a limit, V8 lets a heap grow to many times the size of its live objects. */
const HEAP_LIMITS = ['--max-old-space-size=192', '--max-semi-space-size=4']

interface Measure {
  ms: number
  /** CPU of all threads. On a shared machine it says more than elapsed time. */
  cpuMs: number
  /** Peak memory of the process, including the embedded log and index. */
  peakMib: number
  /** Memory before the run, with log and index open. */
  restMib?: number
  changed?: number
  unchanged?: number
}

async function main(items: number) {
  const place = await mkdtemp(join(tmpdir(), 'endcap-bench-feed-'))
  try {
    await writeFeed(join(place, 'feed.xml'), items, 0)
    await writeFeed(join(place, 'changed.xml'), items, 100)
    const { size } = await stat(join(place, 'feed.xml'))
    console.log(`${items} items, ${(size / 1024 ** 2).toFixed(0)} MiB`)

    const bare = best(Array.from({ length: ROUNDS }, () => child('bare', place, 'feed.xml')))
    const rows: [string, Measure][] = [['bare saxes parse', bare]]
    rows.push(['first run: all new', child('run', place, 'feed.xml')])
    child('index', place)
    rows.push(['second run: all the same', best(Array.from({ length: ROUNDS }, () => child('run', place, 'feed.xml')))])
    rows.push(['third run: 1 % changed', child('run', place, 'changed.xml')])

    console.log(
      '| | s | of bare | CPU s | of bare | changed | unchanged | MiB before | peak MiB |\n|---|---|---|---|---|---|---|---|---|',
    )
    for (const [name, { ms, cpuMs, peakMib, restMib, changed = '', unchanged = '' }] of rows) {
      const memory = [restMib?.toFixed(0) ?? '', peakMib.toFixed(0)]
      const seconds = [ms / 1000, ms / bare.ms, cpuMs / 1000, cpuMs / bare.cpuMs].map((n) => n.toFixed(2))
      const cells = [name, ...seconds, changed, unchanged, ...memory]
      console.log(`| ${cells.join(' | ')} |`)
    }
    const peakMib = Math.max(...rows.map(([, measure]) => measure.peakMib))
    console.log(
      `peak ${peakMib.toFixed(0)} MiB, goal under ${MEMORY_GOAL_MIB}: ${peakMib < MEMORY_GOAL_MIB ? 'met' : 'MISSED'}`,
    )
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

function child(...args: string[]): Measure {
  const { stdout, status } = spawnSync(process.execPath, [...HEAP_LIMITS, import.meta.filename, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return stdout ? (JSON.parse(stdout) as Measure) : { ms: 0, cpuMs: 0, peakMib: 0 }
}

function report(measure: Omit<Measure, 'peakMib'>) {
  process.stdout.write(JSON.stringify({ ...measure, peakMib: process.resourceUsage().maxRSS / 1024 }))
}

function best(measures: Measure[]): Measure {
  return measures.toSorted((a, b) => a.cpuMs - b.cpuMs)[0]!
}

async function bareParse(path: string) {
  const parser = new SaxesParser({ xmlns: true })
  let texts = 0
  parser.on('text', (text) => {
    texts += text.length
  })
  const stopped = startStopwatch()
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) parser.write(chunk)
  parser.close()
  if (texts === 0) throw new Error('the feed has no text')
  return stopped()
}

async function run(place: string, name: string) {
  const log = await openEmbeddedEventLog({ folder: join(place, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(place, 'index') })
  const deps = {
    log,
    index,
    caughtUp: async () => {},
    fetch: fetchOptions(defaultLimits, false),
    readInTurn: <T>(read: () => Promise<T>) => read(),
    now: Date.now,
  }
  const job = {
    runId: 'run',
    feed: { id: 'feed', shopId: 'shop', currency: 'EUR', lang: 'en' },
    task: { tag: 'READ' as const },
    contentPath: join(place, name),
    heldPath: join(place, 'held'),
  }
  const restMib = process.memoryUsage().rss / 1024 ** 2
  const stopped = startStopwatch()
  const { status, message, counts } = await runFeed(deps, job, {
    signal: new AbortController().signal,
    counts: noCounts(),
  })
  const times = stopped()
  if (status !== 'DONE' || counts.rejected > 0) throw new Error(`${status} ${message} ${JSON.stringify(counts)}`)
  await index.close()
  await log.close()
  return { ...times, restMib, changed: counts.changed, unchanged: counts.unchanged }
}

/** Does the indexer's work, without its consumer group. */
async function bringIndexUp(place: string) {
  const log = await openEmbeddedEventLog({ folder: join(place, 'log') })
  const index = await openEmbeddedProductIndex({ folder: join(place, 'index') })
  for (const { partition, start } of await log.bounds('products')) {
    let offset = start
    while (true) {
      const records = await log.read('products', partition, offset, 1_000)
      if (records.length === 0) break
      await index.write(
        records.map((record): IndexWrite => {
          return { kind: 'offer', version: record.offset + 1, offer: decode('ProductOffer', record.value!) }
        }),
      )
      offset = records.at(-1)!.offset + 1
    }
  }
  await index.refresh()
  await index.close()
  await log.close()
}

const [mode = String(ITEMS), folder = '', file = ''] = process.argv.slice(2)
if (mode === 'bare') report(await bareParse(join(folder, file)))
else if (mode === 'run') report(await run(folder, file))
else if (mode === 'index') await bringIndexUp(folder)
else await main(Number(mode))
