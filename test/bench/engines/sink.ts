/**
 * Inserts of judged events into ClickHouse through the port, in the batches of the sink, against the bare client that
 * inserts the same rows from memory; in turn, into tables of their own.
 *
 *     CLICKHOUSE_URL=http://127.0.0.1:18123 node test/bench/engines/sink.ts
 */
import { createClient } from '@clickhouse/client'
import { connectClickHouse, migrateClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { tablesOf } from '../../../streams/sink/rows.ts'
import { addresses, removeDatabase, testNamespace } from '../../engines/addresses.ts'
import { touch } from '../../streams/attribution/events.ts'

/** Of the sink. */
const BATCH_ROWS = 20_000
const BATCHES = 8
const ROUNDS = 3

const url = addresses.clickhouseUrl
const [namespace, bareNamespace] = [testNamespace(), testNamespace()]
const [{ table, rowOf }] = tablesOf['judged-events']

const uuid = (n: number) => `6f1d0000-5c1e-4f1b-9a3e-${String(n).padStart(12, '0')}`
const event = (n: number): JudgedEvent => ({
  ...touch({
    eventId: uuid(n),
    type: n % 20 === 0 ? 'CLICK' : 'VIEW',
    cid: uuid(n % 20_000),
    uid: n % 4 === 0 ? `user-${n % 5_000}` : null,
    at: 1_760_000_000_000 + n * 37,
    adId: `sku-${n % 19_406}`,
    itemGroupId: n % 3 === 0 ? `group-${n % 4_000}` : null,
    campaignId: uuid(n % 50),
  }),
  sourceOffset: n,
})
const rows = Array.from(
  { length: BATCH_ROWS * BATCHES },
  (_, n) =>
    rowOf({
      topic: 'judged-events',
      partition: n % 4,
      offset: n,
      key: null,
      value: event(n),
      appendedAt: 0,
    }) as object,
)
const batches = Array.from({ length: BATCHES }, (_, at) => rows.slice(at * BATCH_ROWS, (at + 1) * BATCH_ROWS))

for (const each of [namespace, bareNamespace]) await migrateClickHouse({ url, namespace: each })
const analytics = connectClickHouse({ url, namespace })
const client = createClient({ url, database: bareNamespace, clickhouse_settings: { async_insert: 0 } })

const insert = {
  bare: async (values: object[], token: string) =>
    void (await client.insert({
      table,
      values,
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: token },
    })),
  port: (values: object[], token: string) => analytics.insert(table, values, { token }),
}
const ms = { bare: 0, port: 0 }
for (let round = 0; round < ROUNDS; round++) {
  for (const side of round % 2 === 0 ? (['bare', 'port'] as const) : (['port', 'bare'] as const)) {
    const startedAt = performance.now()
    for (const [at, batch] of batches.entries()) await insert[side](batch, `${round}/${at}`)
    // The first round opens connections and compiles.
    if (round > 0) ms[side] += performance.now() - startedAt
  }
}
const perSecond = (elapsed: number) => Math.round((rows.length * (ROUNDS - 1) * 1000) / elapsed)
console.table([
  {
    measure: `judged events in blocks of ${BATCH_ROWS.toLocaleString('en')}, rows/s`,
    bare: perSecond(ms.bare),
    ours: perSecond(ms.port),
    ratio: Number((ms.bare / ms.port).toFixed(2)),
    goal: 0.6,
  },
])
for (const each of [namespace, bareNamespace]) await removeDatabase(url, each)
await analytics.close()
await client.close()
