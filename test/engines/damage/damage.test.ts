import { afterAll, beforeAll, describe } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { mendingSuite } from '../../infra/analytics/mending.suite.ts'
import { lookupLossesSuite } from '../../streams/attribution/losses/lookup-losses.suite.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'
import { startTwoShards, type TwoShards } from '../analytics/two-shards.ts'

/** The same as of the embedded store, of one ClickHouse server and of two that have a shop each. */

describe('on a server', () => {
  const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
  let analytics: Analytics
  beforeAll(async () => {
    await migrateClickHouse(options)
    analytics = connectClickHouse(options)
  })
  afterAll(async () => {
    await analytics.close()
    await removeDatabase(options.url, options.namespace)
  })
  mendingSuite(() => analytics)
  lookupLossesSuite(() => ({ analytics, server: analytics, localName: (table) => table }))
})

describe('on two shards', () => {
  const namespace = testNamespace()
  let servers: TwoShards
  let analytics: Analytics
  let second: Analytics
  beforeAll(async () => {
    servers = await startTwoShards(namespace)
    const options = { url: servers.url, cluster: servers.cluster, namespace }
    await migrateClickHouse(options)
    analytics = connectClickHouse(options)
    second = connectClickHouse({ url: servers.urls[1]!, namespace })
  })
  afterAll(async () => {
    await Promise.all([analytics.close(), second.close()])
    await servers.remove()
  })
  lookupLossesSuite(() => ({ analytics, server: second, localName: (table) => `${table}_local` }), { isDamaged: false })
})
