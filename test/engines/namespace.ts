import { connectRedis } from '../../infra/counters/redis/counters.ts'
import { addresses, removeDatabase, removeIndices } from './addresses.ts'
import { removeKafkaNamespace } from './event-log/kafka-tools.ts'

/** Settings that make a program use its own namespace on all real engines. */
export const settingsIn = (namespace: string) => ({
  NAMESPACE: namespace,
  KAFKA_BROKERS: addresses.kafkaBrokers.join(),
  CLICKHOUSE_URL: addresses.clickhouseUrl,
  ELASTICSEARCH_URL: addresses.elasticsearchUrl,
  ELASTICSEARCH_REPLICAS: '0',
  REDIS_URL: addresses.redisUrl,
})

/** Removes what programs have left in a namespace. */
export async function removeNamespace(namespace: string): Promise<void> {
  await removeKafkaNamespace(namespace)
  await removeIndices(addresses.elasticsearchUrl, namespace)
  await removeDatabase(addresses.clickhouseUrl, namespace)
  const counters = connectRedis({ url: addresses.redisUrl, namespace, shards: 1 })
  await counters.clear()
  await counters.close()
}
