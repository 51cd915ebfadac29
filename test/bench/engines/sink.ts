/**
 * Stores batches of judged events from the bytes of the log in ClickHouse, as the sink does, against the bare client that inserts
 * the same rows from memory as JSON. The two take turns and write to separate tables, with as many concurrent inserts as the sink
 * has.
 *
 *     CLICKHOUSE_URL=http://127.0.0.1:18123 node test/bench/engines/sink.ts
 */
import { createClient } from '@clickhouse/client'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { storeBatches } from '../../../streams/sink/batch.ts'
import { addresses, removeDatabase, testNamespace } from '../../engines/addresses.ts'
import { touch } from '../../streams/attribution/events.ts'
import { logRecord } from '../../streams/runtime/fake-log.ts'
import { jsonRowOf } from '../../streams/sink/json-rows.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

/** The sink's settings. */
const BATCH_ROWS = 20_000
const STORES_AT_ONCE = 4
const BATCHES = 12
const ROUNDS = 3
const TOPIC = 'judged-events'

const url = addresses.clickhouseUrl
const [namespace, bareNamespace] = [testNamespace(), testNamespace()]

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
const numbers = Array.from({ length: BATCHES }, (_, at) =>
  Array.from({ length: BATCH_ROWS }, (_, i) => at * BATCH_ROWS + i),
)
const objects = numbers.map((batch) =>
  batch.map((n) => jsonRowOf({ _topic: TOPIC, _partition: n % 4, _offset: n }, event(n))),
)
const records = numbers.map((batch) =>
  batch.map((n) => logRecord({ topic: TOPIC, key: null, value: encode('JudgedEvent', event(n)) }, 0, n)),
)

for (const each of [namespace, bareNamespace]) await migrateClickHouse({ url, namespace: each })
const analytics = connectClickHouse({ url, namespace })
const client = createClient({ url, database: bareNamespace, clickhouse_settings: { async_insert: 0 } })

const insert = {
  bare: (batch: number) => client.insert({ table: 'judged_events', values: objects[batch]!, format: 'JSONEachRow' }),
  sink: (batch: number) =>
    storeBatches(analytics, [
      {
        topic: TOPIC,
        partition: 0,
        epoch: 0,
        first: batch * BATCH_ROWS,
        last: (batch + 1) * BATCH_ROWS - 1,
        records: records[batch]!,
      },
    ]),
}

async function round(side: keyof typeof insert): Promise<void> {
  const queue = [...numbers.keys()]
  const insertOthers = async () => {
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) await insert[side](batch)
  }
  await Promise.all(Array.from({ length: STORES_AT_ONCE }, insertOthers))
}

const ms = { bare: 0, sink: 0 }
/** CPU of this process, without the server's. */
const cpuMicros = { bare: 0, sink: 0 }
for (let turn = 0; turn < ROUNDS; turn++) {
  for (const side of turn % 2 === 0 ? (['bare', 'sink'] as const) : (['sink', 'bare'] as const)) {
    const spent = startStopwatch()
    await round(side)
    // The first turn opens connections and lets V8 compile: leave it out.
    if (turn === 0) continue
    const taken = spent()
    ms[side] += taken.ms
    cpuMicros[side] += 1_000 * taken.cpuMs
  }
}
const rows = BATCH_ROWS * BATCHES * (ROUNDS - 1)
const measure = `judged events in blocks of ${BATCH_ROWS.toLocaleString('en')}`
const rowsPerSecond = (side: keyof typeof ms) => Math.round((rows * 1000) / ms[side])
reportFigure({
  measure: 'Sink, judged events, ClickHouse over HTTP',
  ...{ value: rowsPerSecond('sink'), unit: 'rows/s', goal: { atLeast: 150_000 } },
})
const microsPerRow = (side: keyof typeof ms) => Number((cpuMicros[side] / rows).toFixed(2))
console.table([
  {
    measure: `${measure}, rows/s`,
    bare: rowsPerSecond('bare'),
    sink: rowsPerSecond('sink'),
    ratio: Number((ms.bare / ms.sink).toFixed(2)),
  },
  {
    measure: `${measure}, CPU µs a row of the client`,
    bare: microsPerRow('bare'),
    sink: microsPerRow('sink'),
    ratio: Number((cpuMicros.sink / cpuMicros.bare).toFixed(2)),
  },
])
for (const each of [namespace, bareNamespace]) await removeDatabase(url, each)
await analytics.close()
await client.close()
