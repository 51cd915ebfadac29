/**
 * What the counters cost a separate Redis: memory and processor time of the server, for a million views that the judge decides in
 * batches: `node test/bench/engines/counters.ts [views] [masters]`. With more than one master it starts a Redis Cluster, and
 * reports the share of the work that the busiest master has.
 *
 * The tallies of the traffic rules are forgotten within two hours. Views of an hour are measured with them. Views of a day are judged
 * here within a minute or two, so they are measured with a twelfth of their tallies: those of the last two hours.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { shardOf, shardsOf } from '../../../infra/counters/shards.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { BATCH_MAX_RECORDS, createJudgeStep } from '../../../streams/judge/judge.ts'
import { type OwnServers, startCluster, startServer } from '../../engines/counters/servers/own-servers.ts'
import { eventOf, recordsOf, snapshotOf } from '../../streams/judge/fixtures.ts'
import { reportFigure } from '../summary/figure.ts'

const SHARDS = 12
const CAMPAIGNS = 600
const AD_UNITS = 100
const HOUR_MS = 3_600_000
const TALLIES_KEPT_MS = 2 * HOUR_MS
const KEYS_AT_ONCE = 1_000

interface Mix {
  name: string
  /** The time over which the views are spread, until now. */
  spanMs: number
  hasCap: boolean
  hasUid: boolean
  /** The number of different people, addresses and networks among the views. */
  people: number
  addresses: number
  networks: number
}

const [views = 1_000_000, masters = 1] = process.argv.slice(2).map(Number)
const crowd = { people: views / 8, addresses: views / 10, networks: views / 40 }
const mixes: Mix[] = [
  { name: 'no cap, in an hour', spanMs: HOUR_MS, hasCap: false, hasUid: false, ...crowd },
  { name: 'no cap, in a day', spanMs: 24 * HOUR_MS, hasCap: false, hasUid: false, ...crowd },
  { name: 'cap and uid, in an hour', spanMs: HOUR_MS, hasCap: true, hasUid: true, ...crowd },
  { name: 'cap and uid, in a day', spanMs: 24 * HOUR_MS, hasCap: true, hasUid: true, ...crowd },
]

const ids = Array.from({ length: CAMPAIGNS }, (_, i) => `0198c0de-5c1e-7f1b-9a3e-${String(i).padStart(12, '0')}`)
const rows = []
for (const mix of mixes) {
  const folder = mkdtempSync(join(tmpdir(), 'counters-'))
  const servers = masters > 1 ? await startCluster(folder, masters) : await startServer(folder)
  try {
    rows.push(await measure(mix, servers))
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true })
  }
}
console.table(rows)
for (const row of rows) {
  // A shard is entirely on one master, and shards differ in load. The cost of a view is therefore measured on one server.
  const figures =
    masters > 1
      ? ([['share of the busiest', `of the processor time of ${masters} masters`, 1.15 / masters]] as const)
      : ([
          ['bytes a view', 'bytes', row.hasCap ? 120 : 60],
          ['server µs a view', 'µs', 8],
        ] as const)
  for (const [figure, unit, atMost] of figures) {
    reportFigure({
      measure: `Redis, ${views.toLocaleString('en')} views, ${row.mix}: ${figure}`,
      ...{ value: row[figure], unit, goal: { atMost } },
    })
  }
}

async function measure(mix: Mix, { url, clients }: OwnServers) {
  const counters = connectRedis({ url, namespace: 'bench', shards: SHARDS })
  const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { capping: mix.hasCap ? 1_000 : null }])))
  const log = null as unknown as EventLog
  const judge = createJudgeStep({ log, counters, snapshot, now: Date.now })
  for (const shard of shardsOf(counters)) await counters.markComplete(shard)
  const before = await usageOf(clients)
  const startedAt = performance.now()
  const batches = Array.from({ length: SHARDS }, (): AdEvent[] => [])
  const offsets = Array<number>(SHARDS).fill(0)
  const begun = Date.now() - mix.spanMs

  async function judgeBatch(partition: number): Promise<void> {
    const records = recordsOf(batches[partition]!, offsets[partition]!).map((each) => ({ ...each, partition }))
    if (records.length === 0) return
    batches[partition] = []
    const committed = offsets[partition]!
    offsets[partition] = committed + records.length
    await judge({ partition, records, turn: async () => committed, lastOffset: offsets[partition]! - 1 } as Parameters<
      typeof judge
    >[0])
  }
  for (let i = 0; i < views; i++) {
    const campaignId = ids[i % CAMPAIGNS]!
    const partition = shardOf(campaignId, SHARDS)
    batches[partition]!.push(viewOf(i, campaignId, mix, begun + Math.floor((i * mix.spanMs) / views)))
    if (batches[partition]!.length === BATCH_MAX_RECORDS) await judgeBatch(partition)
  }
  await Promise.all(batches.map((_, partition) => judgeBatch(partition)))

  const after = await usageOf(clients)
  await counters.close()
  await forgetTallies(clients)
  const lasting = (await usageOf(clients)).bytes - before.bytes
  const tallies = (after.bytes - before.bytes - lasting) * Math.min(1, TALLIES_KEPT_MS / mix.spanMs)
  const used = after.secondsEach.map((seconds, i) => seconds - before.secondsEach[i]!)
  const seconds = used.reduce((a, b) => a + b)
  return {
    views,
    mix: mix.name,
    hasCap: mix.hasCap,
    'bytes a view': Math.round((lasting + tallies) / views),
    'bytes a view after two hours': Math.round(lasting / views),
    'server µs a view': Number(((seconds * 1e6) / views).toFixed(1)),
    'share of the busiest': Number((Math.max(...used) / seconds).toFixed(3)),
    'judged/s': Math.round((views * 1_000) / (performance.now() - startedAt)),
  }
}

function viewOf(i: number, campaignId: string, { hasUid, people, addresses, networks }: Mix, at: number): AdEvent {
  // The step has no factor in common with the number of campaigns, so that every person meets every campaign.
  const person = Math.floor((i * 7_919) % people)
  const address = person % addresses
  return eventOf(
    {
      type: 'VIEW',
      cid: `cid-${person}-0123456789abcdef`,
      uid: hasUid ? `uid-${person}` : null,
      occurredAt: at,
      addressHash: `address-${address}`,
      agentHash: `agent-${person}`,
      networkHash: `network-${address % networks}`,
    },
    {
      campaignId,
      adId: `sku-${i % 20_000}`,
      adUnitId: `unit-${i % AD_UNITS}`,
      emittedAt: at - 2_000,
      requestId: `0198c0de-${i}`,
    },
  )
}

/** Deletes what Redis would delete within two hours. @throws when that is nothing. */
async function forgetTallies(clients: readonly Redis[]): Promise<void> {
  let forgotten = 0
  for (const client of clients) {
    for await (const keys of client.scanBufferStream({ count: KEYS_AT_ONCE }) as AsyncIterable<Buffer[]>) {
      const asked = client.pipeline()
      for (const key of keys) asked.pttl(key)
      const left = (await asked.exec())!.map(([, ttlMs]) => ttlMs as number)
      const ended = keys.filter((_, i) => left[i]! >= 0 && left[i]! <= TALLIES_KEPT_MS)
      const deleted = client.pipeline()
      for (const key of ended) deleted.del(key)
      await deleted.exec()
      forgotten += ended.length
    }
  }
  if (forgotten === 0) throw new Error('no key ends within two hours')
}

/** The memory of all servers together, and the processor time of each. */
async function usageOf(clients: readonly Redis[]): Promise<{ bytes: number; secondsEach: number[] }> {
  const infos = await Promise.all(
    clients.map(async (client) => `${await client.info('memory')}${await client.info('cpu')}`),
  )
  const numberIn = (info: string, name: string) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)![1])
  return {
    bytes: infos.reduce((sum, info) => sum + numberIn(info, 'used_memory'), 0),
    secondsEach: infos.map((info) => numberIn(info, 'used_cpu_user') + numberIn(info, 'used_cpu_sys')),
  }
}
