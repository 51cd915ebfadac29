import { once } from 'node:events'
import { createServer } from 'node:net'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { FENCE_CONDITION, fencedQueryId, fenceParams } from '../../../infra/analytics/clickhouse/fences.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { analyticsSuite } from '../../ports/analytics.suite.ts'
import { waitFor } from '../../wait-for.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'

const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
beforeAll(async () => {
  await migrateClickHouse(options)
})
afterAll(async () => {
  await removeDatabase(options.url, options.namespace)
})

// The first of the addresses is away.
analyticsSuite('ClickHouse', async () => connectClickHouse({ ...options, url: `http://127.0.0.1:1,${options.url}` }))

describe('ClickHouse', () => {
  const analytics = connectClickHouse(options)
  afterAll(() => analytics.close())

  it('may be migrated by several processes at once, and again', async () => {
    const fresh = { ...options, namespace: testNamespace() }
    await Promise.all(Array.from({ length: 4 }, () => migrateClickHouse(fresh)))
    expect(await migrateClickHouse(fresh)).toEqual([])
    const server = connectClickHouse(fresh)
    expect(await server.query('SELECT count() AS rows FROM attributed_lines')).toEqual([{ rows: 0 }])
    await removeDatabase(fresh.url, fresh.namespace)
    await server.close()
  })

  it('stores one block in one part even where the server would cut it', async () => {
    await analytics.command('CREATE TABLE wide (n UInt32) ENGINE = MergeTree ORDER BY n')
    await analytics.command('SYSTEM STOP MERGES wide')
    // The server's own limit is 1,048,449 rows.
    const rows = Array.from({ length: 1_200_000 }, (_, n) => ({ n }))
    await analytics.insert('wide', rows, { token: 'wide' })
    expect(await analytics.query('SELECT count() AS rows, uniqExact(_part) AS parts FROM wide')).toEqual([
      { rows: rows.length, parts: 1 },
    ])
  })

  it('stores a block once when it is sent twice at the same moment', async () => {
    await analytics.command(
      'CREATE TABLE raced (n UInt32) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100',
    )
    for (let round = 0; round < 10; round++) {
      const rows = Array.from({ length: 1_000 }, (_, n) => ({ n: round * 1_000 + n }))
      await Promise.all([1, 2, 3].map(() => analytics.insert('raced', rows, { token: `round ${round}` })))
    }
    expect(await analytics.query('SELECT count() AS rows FROM raced')).toEqual([{ rows: 10_000 }])
  })

  it('ends what has begun during a pause: it knows its table from before, and would not find the pause any more', async () => {
    await analytics.command('CREATE TABLE served (n UInt32) ENGINE = MergeTree ORDER BY n')
    await analytics.command('CREATE TABLE replacement (n UInt32) ENGINE = MergeTree ORDER BY n')
    await analytics.pauseInserts('exchange', ['slow'], 60_000)
    const log = { level: ClickHouseLogLevel.OFF }
    const client = createClient({ url: options.url, database: options.namespace, log })
    const query_id = fencedQueryId(options.namespace, [{ scope: 'slow', epoch: 1 }])
    const insert = client.command({
      query: `INSERT INTO served SELECT 1 WHERE (SELECT sleep(3)) = 0 AND ${FENCE_CONDITION}`,
      query_params: fenceParams([{ scope: 'slow', epoch: 1 }]),
      query_id,
    })
    const ended = insert.then(
      () => 'stored',
      () => 'ended',
    )
    const running = { sql: 'SELECT count() AS rows FROM system.processes WHERE query_id = {id:String}', id: query_id }
    await waitFor(async () => (await analytics.query<{ rows: number }>(running.sql, { id: running.id }))[0]!.rows > 0)
    await analytics.command('EXCHANGE TABLES served AND replacement')
    expect(await analytics.resumeInserts('exchange')).toBe(true)
    expect(await analytics.query(running.sql, { id: running.id })).toEqual([{ rows: 0 }])
    expect(await ended).toBe('ended')
    expect(await analytics.query('SELECT n FROM served UNION ALL SELECT n FROM replacement')).toEqual([])
    await client.close()
  })

  it('is unavailable while the server has too many parts', async () => {
    await analytics.command(
      `CREATE TABLE full (n UInt32) ENGINE = MergeTree ORDER BY n
       SETTINGS parts_to_delay_insert = 1, parts_to_throw_insert = 1`,
    )
    await analytics.command('SYSTEM STOP MERGES full')
    const insertAll = async () => {
      for (let n = 0; n < 5; n++) await analytics.insert('full', [{ n }], { token: `${n}` })
    }
    await expect(insertAll()).rejects.toBeInstanceOf(AnalyticsUnavailable)
  })

  it('is unavailable at a refused port and with a wrong password', async () => {
    const wrong = new URL(options.url)
    wrong.password = 'wrong'
    for (const url of ['http://127.0.0.1:1', wrong.href]) {
      const server = connectClickHouse({ ...options, url })
      await expect(server.query('SELECT 1')).rejects.toBeInstanceOf(AnalyticsUnavailable)
      await expect(server.insert('blocks', [{ n: 1 }], { token: 't' })).rejects.toBeInstanceOf(AnalyticsUnavailable)
      await server.close()
    }
  })

  it('is unavailable when the server accepts and says nothing', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const url = `http://127.0.0.1:${port}`
    const server = connectClickHouse({ ...options, url, insertTimeoutMs: 200, statementTimeoutMs: 200 })
    await expect(server.query('SELECT 1')).rejects.toBeInstanceOf(AnalyticsUnavailable)
    await expect(server.insert('blocks', [{ n: 1 }], { token: 't' })).rejects.toBeInstanceOf(AnalyticsUnavailable)
    await server.close()
    silent.close()
  })
})
