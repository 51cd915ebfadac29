import { openRedisConnection } from '../../redis/connection.ts'
import { BucketsUnavailable, type SharedBuckets } from '../port.ts'

/** Token buckets in Redis, on a connection of their own, so that the counters that decide about money do not wait for them. */
export function connectRedisBuckets({ url, namespace }: { url: string; namespace: string }): SharedBuckets {
  const connection = openRedisConnection({
    url,
    scripts: { drawFromBucket: new URL('./draw.lua', import.meta.url) },
    Unavailable: BucketsUnavailable,
  })
  const prefix = `${namespace}:rate:`
  return {
    async draw(draws) {
      // One call per bucket, because buckets may be on different servers of a cluster.
      const levels = await Promise.allSettled(
        draws.map(({ key, amount, perMinute }) =>
          connection.run((client) => client.drawFromBucket(1, `${prefix}${key}`, amount, perMinute)),
        ),
      )
      const failed = levels.filter((level) => level.status === 'rejected')
      if (failed.length > 0 && failed.length === levels.length) throw failed[0]!.reason
      return levels.map((level) => (level.status === 'fulfilled' ? Number(level.value[0]) : null))
    },
    close: () => connection.close(),
  }
}
