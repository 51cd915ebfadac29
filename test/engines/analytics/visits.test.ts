import { afterAll, describe } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { visitsSuite } from '../../services/registry/visits/visits.suite.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'

const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
afterAll(() => removeDatabase(options.url, options.namespace))

describe('on ClickHouse', () => {
  visitsSuite(async () => {
    await migrateClickHouse(options)
    return connectClickHouse(options)
  })
})
