/**
 * How many records a second one partition gives on real Kafka, from poll to atomic commit with one output for each record, as in a
 * stream, by batch size; and where the time goes. All records have the same key.
 *
 *     KAFKA_BROKERS=127.0.0.1:19092 node test/bench/engines/hot-partition.ts
 */
import { randomUUID } from 'node:crypto'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { removeKafkaNamespace } from '../../engines/event-log/kafka-tools.ts'
import { claimsOf, eventOf } from '../../streams/judge/fixtures.ts'

const RECORDS = 200_000
const APPENDED_AT_ONCE = 2_000
const BATCHES = [1_000, 4_000, 8_000]
/** The best round counts, because the machine is shared. */
const ROUNDS = 2
const CAMPAIGN = randomUUID()

const namespace = testNamespace()
const options = { brokers: addresses.kafkaBrokers, clientId: 'bench', namespace, logger: { warn() {} }, now: Date.now }

function viewEvent(): NewRecord {
  const ids = { requestId: randomUUID(), slotHash: randomUUID(), adUnitId: randomUUID(), accountId: randomUUID() }
  const cid = randomUUID()
  const claims = claimsOf({ ...ids, campaignId: CAMPAIGN, cid, uid: null })
  const value = encode('AdEvent', { ...eventOf({ claims }), eventId: randomUUID(), cid })
  return { topic: 'ad-events', key: CAMPAIGN, value }
}

interface Pass {
  recordsPerSecond: number
  pollMs: number
  commitMs: number
}

/** Reads everything as a new group and commits each batch, with a copy of it as the outputs. */
async function copyAll(log: EventLog, group: string, maxRecords: number): Promise<Pass> {
  const consumer = await log.consumer({ group, topics: ['ad-events'] })
  let [read, pollMs, commitMs] = [0, 0, 0]
  const begun = performance.now()
  while (read < RECORDS) {
    const pollAt = performance.now()
    const batch = await consumer.poll({ maxRecords, maxWaitMs: 5_000 })
    const commitAt = performance.now()
    pollMs += commitAt - pollAt
    if (!batch) continue
    const outputs = batch.records.map(({ key, value }): NewRecord => ({ topic: 'judged-events', key, value }))
    await consumer.commit(batch.assignment, { offset: batch.records.at(-1)!.offset + 1, metadata: '' }, outputs)
    commitMs += performance.now() - commitAt
    read += batch.records.length
  }
  const recordsPerSecond = (read / (performance.now() - begun)) * 1_000
  await consumer.close()
  return { recordsPerSecond, pollMs, commitMs }
}

await migrateKafka({ ...options, replicationFactor: 1 })
const log = connectKafkaEventLog(options)
try {
  for (let count = 0; count < RECORDS; count += APPENDED_AT_ONCE) {
    await log.append(Array.from({ length: APPENDED_AT_ONCE }, viewEvent))
  }
  const passes = new Map<number, Pass>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const maxRecords of BATCHES) {
      const pass = await copyAll(log, `of-${maxRecords}-${round}`, maxRecords)
      const best = passes.get(maxRecords)
      if (!best || pass.recordsPerSecond > best.recordsPerSecond) passes.set(maxRecords, pass)
    }
  }
  for (const [maxRecords, { recordsPerSecond, pollMs, commitMs }] of passes) {
    const perBatch = (ms: number) => ((ms * maxRecords) / RECORDS).toFixed(1)
    process.stdout.write(
      `one partition, batches of ${maxRecords}: ${Math.round(recordsPerSecond)} records/s, poll ${perBatch(pollMs)} ms and commit ${perBatch(commitMs)} ms a batch\n`,
    )
  }
} finally {
  await log.close()
  await removeKafkaNamespace(namespace)
}
