import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import { versionsSuite } from '../streams/runtime/versions.suite.ts'
import { addresses, testNamespace } from './addresses.ts'
import { removeKafkaNamespace } from './event-log/kafka-tools.ts'

const brokers = addresses.kafkaBrokers
const logger = { warn() {} }

versionsSuite(async () => {
  const namespace = testNamespace()
  await migrateKafka({ brokers, clientId: 'test', namespace, replicationFactor: 1, logger })
  return {
    connect: (program) => program.connectKafkaEventLog({ brokers, clientId: 'test', namespace, logger, now: Date.now }),
    close: () => removeKafkaNamespace(namespace),
  }
})
