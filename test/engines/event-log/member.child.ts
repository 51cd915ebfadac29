import { setTimeout as sleep } from 'node:timers/promises'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { type Batch, type LogConsumer, LogUnavailable, type NewRecord, Revoked } from '../../../infra/event-log/port.ts'

/**
 * A member of the group `copier`. It copies `ad-events` to `judged-events`, each batch in one commit, until it is ended. Prints a
 * line for each batch that it takes, commits, or may not commit. Starts again when Kafka is away. SIGUSR2 makes it stop itself with
 * SIGSTOP in the middle of its next batch.
 */
const [brokers, namespace, sessionTimeoutMs, workMs] = process.argv.slice(2) as [string, string, string, string]
const log = connectKafkaEventLog({
  brokers: brokers.split(','),
  clientId: `member-${process.pid}`,
  namespace,
  logger: { warn: () => {} },
  now: Date.now,
  sessionTimeoutMs: Number(sessionTimeoutMs),
})
let ending = false
process.once('SIGTERM', () => {
  ending = true
})
let freezing = false
process.once('SIGUSR2', () => {
  freezing = true
})

async function work(): Promise<void> {
  const consumer = await log.consumer({ group: 'copier', topics: ['ad-events'] })
  try {
    while (!ending) {
      const batch = await consumer.poll({ maxRecords: 50, maxWaitMs: 200 })
      if (batch) await copy(consumer, batch)
    }
  } finally {
    await consumer.close()
  }
}

async function copy(consumer: LogConsumer, { partition, assignment, records }: Batch): Promise<void> {
  process.stdout.write(`working ${partition}\n`)
  await sleep(Number(workMs))
  if (freezing) {
    freezing = false
    process.stdout.write(`freezing ${partition}\n`)
    process.kill(process.pid, 'SIGSTOP')
  }
  const outputs = records.map(({ key, value }): NewRecord => ({ topic: 'judged-events', key, value }))
  try {
    await consumer.commit(assignment, { offset: records.at(-1)!.offset + 1, metadata: '' }, outputs)
    process.stdout.write(`committed ${partition}\n`)
  } catch (error) {
    if (!(error instanceof Revoked)) throw error
    process.stdout.write(`revoked ${partition}\n`)
  }
}

while (!ending) {
  await work().catch((error: Error) => {
    if (!(error instanceof LogUnavailable)) throw error
    process.stdout.write(`unavailable: ${error.message}\n`)
  })
}
await log.close()
