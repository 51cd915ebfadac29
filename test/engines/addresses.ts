import { randomBytes } from 'node:crypto'

/** Where the real engines of `infra/local/engines.sh` listen, unless the environment names other addresses. */
export const addresses = {
  kafkaBrokers: (process.env.KAFKA_BROKERS ?? '127.0.0.1:19092').split(','),
  clickhouseUrl: process.env.CLICKHOUSE_URL ?? 'http://127.0.0.1:18123',
  elasticsearchUrl: process.env.ELASTICSEARCH_URL ?? 'http://127.0.0.1:19200',
  redisUrl: process.env.REDIS_URL ?? 'redis://127.0.0.1:16379',
}

/** The partitions of topics that programs create: as many as in an embedded log, because each is read, stored and committed by itself. */
export const PARTITIONS = 4

/** A new namespace, so that tests that run at the same time on one engine do not interfere. */
export function testNamespace(): string {
  return `test${randomBytes(6).toString('hex')}`
}

/** Removes the indices of a namespace by name, because the server does not accept wildcards in deletions. */
export async function removeIndices(url: string, namespace: string): Promise<void> {
  // Loaded only here: most processes need just the addresses, and the clients take a third of the processor time of a start.
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
