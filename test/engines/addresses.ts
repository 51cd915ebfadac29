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
