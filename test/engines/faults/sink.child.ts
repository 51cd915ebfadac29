import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { decodeOffsetMetadata } from '../../../streams/sink/offset-metadata.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { withChangedConsumers } from '../../changed-consumers.ts'
import { addresses } from '../addresses.ts'

/**
 * A sink that stops itself once, at the given place: `before`, `during` or `after` one of its calls. Arguments: namespace, session
 * timeout, place. Prints the outcome of each call that ends after it was woken.
 */
const [namespace, sessionTimeoutMs, place] = process.argv.slice(2) as [string, string, string]
/** Long enough for a request to be sent, and too short for its answer to arrive. */
const DURING_MS = 3
const silent = { info() {}, warn() {}, error() {} }

const log = connectKafkaEventLog({
  brokers: addresses.kafkaBrokers,
  clientId: `sink-${process.pid}`,
  namespace,
  logger: silent,
  now: Date.now,
  sessionTimeoutMs: Number(sessionTimeoutMs),
})
const analytics = connectClickHouse({ url: addresses.clickhouseUrl, namespace })
let hasStopped = false

function stopAt(here: string): void {
  if (hasStopped || here !== place) return
  hasStopped = true
  process.kill(process.pid, 'SIGSTOP')
}

async function watch<T>(name: string, call: () => Promise<T>): Promise<T> {
  stopAt(`before ${name}`)
  setTimeout(() => stopAt(`during ${name}`), DURING_MS)
  try {
    const result = await call()
    stopAt(`after ${name}`)
    if (hasStopped) process.stdout.write(`${name} done\n`)
    return result
  } catch (error) {
    if (hasStopped) process.stdout.write(`${name} ${(error as Error).name}\n`)
    throw error
  }
}

const watchedLog = withChangedConsumers(log, (consumer) => ({
  commit: (assignment, at, outputs) =>
    watch(decodeOffsetMetadata(at).pendingLast === null ? 'close' : 'open', () =>
      consumer.commit(assignment, at, outputs),
    ),
}))
const watchedAnalytics: Analytics = {
  ...analytics,
  insert: (...args) => watch('insert', () => analytics.insert(...args)),
  raiseFences: (...args) => watch('raise', () => analytics.raiseFences(...args)),
  query: (...args) => watch('look', () => analytics.query(...args)),
}

const sink = createSink({ log: watchedLog, analytics: watchedAnalytics, now: Date.now, logger: silent })
process.once('SIGTERM', () => void sink.stop())
await sink.run()
await log.close()
await analytics.close()
