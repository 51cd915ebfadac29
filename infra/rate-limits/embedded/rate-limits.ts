import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import { lruCache } from '../../../services/domain/caches.ts'
import { connect, serve } from '../../threads/calls.ts'
import { BucketsUnavailable, type Draw, type SharedBuckets } from '../port.ts'

/** Buckets kept, some 20 MiB. The least recently used is evicted first, and starts full again. */
const BUCKETS_MAX = 100_000

/** Token buckets in the memory of this thread, for all threads of the process. */
export interface EmbeddedBuckets extends SharedBuckets {
  /** A port for another thread, which opens it with `connectBuckets`. */
  link(): MessagePort
}

/** @param now UTC epoch milliseconds. */
export function createEmbeddedBuckets(now: () => number): EmbeddedBuckets {
  const buckets = lruCache<{ level: number; at: number }>(BUCKETS_MAX)
  const links: MessagePort[] = []

  function drawOne({ key, amount, perMinute }: Draw): number {
    const at = now()
    const before = buckets.get(key) ?? { level: perMinute, at }
    const refilled = (Math.max(0, at - before.at) * perMinute) / MINUTE_MS
    const level = Math.min(perMinute, before.level + refilled) - amount
    buckets.set(key, { level, at })
    return level
  }

  const draw = async (draws: readonly Draw[]) => draws.map(drawOne)
  return {
    draw,
    link() {
      const { port1, port2 } = new MessageChannel()
      links.push(port1)
      serve(port1, { draw })
      port1.unref()
      return port2
    },
    async close() {
      for (const port of links) port.close()
    },
  }
}

/** The buckets of another thread. */
export function connectBuckets(link: MessagePort): SharedBuckets {
  const remote = connect(link, {}, () => new BucketsUnavailable('The thread that counts limits has ended'))
  return {
    draw: (draws) => remote.call('draw', [draws]),
    close: async () => remote.close(),
  }
}
