import { connectKafkaEventLog, connectWithoutEpoch } from '../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { logEpochRecord } from '../../../infra/event-log/log-epoch.ts'
import { eventLogSuite } from '../../ports/event-log/event-log.suite.ts'
import type { EventLogHost } from '../../ports/event-log/world.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { faultySockets, removeKafkaNamespace } from './kafka-tools.ts'

const CLIENT_ID = 'test'
const quiet = { warn() {} }
/** The brokers' minimum. A crashed member keeps its partitions for this long. */
const SESSION_TIMEOUT_MS = 6_000

/**
 * Makes the log a restored one. What every caller relies on must hold after restores too, and is hardest then: offsets differ from
 * Kafka's.
 */
async function beRestored(namespace: string): Promise<void> {
  const log = connectWithoutEpoch({
    brokers: addresses.kafkaBrokers,
    clientId: CLIENT_ID,
    namespace,
    logger: quiet,
    now: Date.now,
  })
  await log.append([logEpochRecord({ epoch: 3, restoring: false, restoredAt: 0, judgedTo: [], clusterId: null })])
  await log.close()
}

async function createHost(): Promise<EventLogHost> {
  const namespace = testNamespace()
  const brokers = addresses.kafkaBrokers
  // An embedded log has as many partitions.
  await migrateKafka({ brokers, clientId: CLIENT_ID, namespace, replicationFactor: 1, partitions: 4, logger: quiet })
  await beRestored(namespace)
  let sockets = faultySockets()
  let logs: ReturnType<typeof connectKafkaEventLog>[] = []

  /** Crashes all clients: without connections, they cannot leave their groups. */
  async function crash(): Promise<void> {
    sockets.cut()
    await Promise.all(logs.map((log) => log.close()))
    sockets = faultySockets()
    logs = []
  }

  return {
    async connect() {
      const log = connectKafkaEventLog({
        brokers,
        clientId: CLIENT_ID,
        namespace,
        socketFactory: sockets.create,
        logger: quiet,
        now: Date.now,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
      })
      logs.push(log)
      return log
    },
    crash,
    async destroy() {
      await Promise.all(logs.map((log) => log.close()))
      await removeKafkaNamespace(namespace)
    },
  }
}

eventLogSuite('Kafka', createHost)
