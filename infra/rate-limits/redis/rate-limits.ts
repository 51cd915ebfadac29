import { openRedisConnection } from '../../redis/connection.ts'
import { BucketsUnavailable, type SharedBuckets } from '../port.ts'

/** Token buckets in Redis, on a connection of their own: the counters that decide about money do not wait for them. */
export function connectRedisBuckets({ url, namespace }: { url: string; namespace: string }): SharedBuckets {
  const connection = openRedisConnection({
    url,
    scripts: { drawFromBuckets: new URL('./draw.lua', import.meta.url) },
    Unavailable: BucketsUnavailable,
  })
  const prefix = `${namespace}:rate:`
  return {
    async draw(draws) {
      const list = JSON.stringify(draws.map(({ key, amount, perMinute }) => [key, amount, perMinute]))
      const levels = await connection.run((client) => client.drawFromBuckets(0, prefix, list))
      return levels.map(Number)
    },
    close: () => connection.close(),
  }
}
