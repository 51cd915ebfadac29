import { afterAll, describe } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { rowBinarySuite } from '../../streams/sink/row-binary.suite.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'

const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
afterAll(() => removeDatabase(options.url, options.namespace))

describe('ClickHouse', () =>
  rowBinarySuite(async () => {
    await migrateClickHouse(options)
    return connectClickHouse(options)
  }))
