import { randomBytes } from 'node:crypto'

/** Where the real engines of `infra/local/engines.sh` listen, unless the environment names others. */
export const addresses = {
  kafkaBrokers: (process.env.KAFKA_BROKERS ?? '127.0.0.1:19092').split(','),
  clickhouseUrl: process.env.CLICKHOUSE_URL ?? 'http://127.0.0.1:18123',
  elasticsearchUrl: process.env.ELASTICSEARCH_URL ?? 'http://127.0.0.1:19200',
  redisUrl: process.env.REDIS_URL ?? 'redis://127.0.0.1:16379',
}

/** A namespace of its own, so that tests that run side by side on one engine do not meet. */
export function testNamespace(): string {
  return `test${randomBytes(6).toString('hex')}`
}

/** Removes the indices of a namespace. The server takes no wildcards in what it deletes. */
export async function removeIndices(url: string, namespace: string): Promise<void> {
  // Loaded here: most processes need the addresses alone, and the clients take a third of the processor time of a start.
  const { Client } = await import('@elastic/elasticsearch')
  const client = new Client({ node: url })
  const indices = Object.keys(await client.indices.get({ index: `${namespace}-*` }))
  if (indices.length > 0) await client.indices.delete({ index: indices })
  await client.close()
}

/** Removes the database of a namespace. */
export async function removeDatabase(url: string, namespace: string): Promise<void> {
  const { createClient } = await import('@clickhouse/client')
  const client = createClient({ url, database: 'default' })
  await client.command({ query: `DROP DATABASE IF EXISTS \`${namespace}\` SYNC` })
  await client.close()
}
