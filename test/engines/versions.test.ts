import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import { topics } from '../../schemas/topics.ts'
import { versionsSuite } from '../streams/runtime/versions.suite.ts'
import { addresses, testNamespace } from './addresses.ts'
import { removeKafkaNamespace } from './event-log/kafka-tools.ts'

const brokers = addresses.kafkaBrokers
const logger = { warn() {} }
/** As many partitions as the suite's counters have shards. */
const { partitions } = topics['ad-events']

versionsSuite(async () => {
  const namespace = testNamespace()
  await migrateKafka({ brokers, clientId: 'test', namespace, partitions, replicationFactor: 1, logger })
  return {
    connect: (program) => program.connectKafkaEventLog({ brokers, clientId: 'test', namespace, logger, now: Date.now }),
    close: () => removeKafkaNamespace(namespace),
  }
})
