import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { connectClickHouse } from '../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../infra/analytics/clickhouse/migrate.ts'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { testEnding } from '../streams/identifiers/ending.suite.ts'
import type { Engines } from '../streams/identifiers/ending-world.ts'
import { addresses, removeDatabase, testNamespace } from './addresses.ts'
import { startTwoShards, type TwoShards } from './analytics/two-shards.ts'
import { SHOPS } from './analytics/two-shops.ts'

/** The same as of the embedded store, of one ClickHouse server and of two that have a shop each. */

async function openEngines(options: {
  url: string
  namespace: string
  cluster?: string
}): Promise<Engines & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ended-identifiers-'))
  await migrateClickHouse(options)
  const analytics = connectClickHouse(options)
  const log = await openEmbeddedEventLog({ folder })
  return {
    ...{ analytics, log, shopIds: SHOPS },
    async close() {
      await Promise.all([log.close(), analytics.close()])
      rmSync(folder, { recursive: true })
    },
  }
}

describe('on a server', () => {
  const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
  let engines: Awaited<ReturnType<typeof openEngines>>
  beforeAll(async () => {
    engines = await openEngines(options)
  })
  afterAll(async () => {
    await engines.close()
    await removeDatabase(options.url, options.namespace)
  })
  testEnding(() => engines)
})

describe('on two shards', () => {
  const namespace = testNamespace()
  let servers: TwoShards
  let engines: Awaited<ReturnType<typeof openEngines>>
  beforeAll(async () => {
    servers = await startTwoShards(namespace)
    engines = await openEngines({ url: servers.url, cluster: servers.cluster, namespace })
  })
  afterAll(async () => {
    await engines.close()
    await servers.remove()
  })
  testEnding(() => engines)
})
