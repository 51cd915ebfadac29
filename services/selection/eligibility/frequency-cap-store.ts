import { type CounterKey, type Counters, CountersUnavailable, type Reservation } from '../../../infra/counters/port.ts'
import { lruCache } from '../../domain/caches.ts'
import { createCircuitBreaker } from '../circuit-breaker.ts'

/** About 200 bytes each. */
const VIEWS_CACHED_MAX = 100_000

/** Where views are counted and reserved. */
export interface FrequencyCapStore extends Pick<Counters, 'shards' | 'read' | 'reserve'> {
  /**
   * Ends reservations. Shards that are away are asked as well: nobody waits for the answer, and a reservation that was made would
   * otherwise last. @throws CountersUnavailable.
   */
  release(reservations: readonly Reservation[]): Promise<void>
}

/**
 * The counters of views. While a shard is away, they answer with the value last read, or with infinity, which reaches any
 * cap, for a key that is unknown. So caps hold, at the price that people who have just arrived see no ads with a cap. In that
 * time, only concurrent requests of one person may exceed a cap, because every reservation is granted.
 */
export function createFrequencyCapStore(deps: {
  counters: Pick<Counters, 'shards' | 'read' | 'reserve'>
  now: () => number
  /** A shard that takes longer counts as slow, and is not asked for a while. */
  slowMs: number
  onError: (error: unknown) => void
}): FrequencyCapStore {
  const { counters, onError } = deps
  const breakers = Array.from({ length: counters.shards }, () =>
    createCircuitBreaker({ ...deps, Unavailable: CountersUnavailable }),
  )
  const lastRead = lruCache<number>(VIEWS_CACHED_MAX)

  /** Asks each shard about its own items. @param standIn gives the answer for an item whose shard does not answer. */
  async function ask<Item extends { shard: number }>(
    items: readonly Item[],
    question: (items: Item[]) => Promise<number[]>,
    standIn: (item: Item) => number,
  ): Promise<number[]> {
    const answers = new Map<Item, number>()
    const groups = [...Map.groupBy(items, ({ shard }) => shard)]
    await Promise.all(
      groups.map(async ([shard, ofShard]) => {
        const values = await answerOf(shard, () => question(ofShard))
        for (const [i, item] of ofShard.entries()) answers.set(item, values ? values[i]! : standIn(item))
      }),
    )
    return items.map((item) => answers.get(item)!)
  }

  async function answerOf(shard: number, question: () => Promise<number[]>): Promise<number[] | null> {
    const breaker = breakers[shard]!
    if (breaker.isOpen()) return null
    try {
      return await breaker.watch(question())
    } catch (error) {
      onError(error)
      return null
    }
  }

  return {
    shards: counters.shards,
    read: (keys) =>
      ask(
        keys,
        async (ofShard) => {
          const values = await counters.read(ofShard)
          for (const [i, key] of ofShard.entries()) lastRead.set(nameOf(key), values[i]!)
          return values
        },
        (key) => lastRead.get(nameOf(key)) ?? Number.POSITIVE_INFINITY,
      ),
    reserve: (reservations) =>
      ask(
        reservations,
        (ofShard) => counters.reserve(ofShard),
        ({ requested }) => requested,
      ),
    release: async (reservations) => void (await counters.reserve(reservations)),
  }
}

const nameOf = ({ group, id }: CounterKey) => `${group.name} ${id}`
