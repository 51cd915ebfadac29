import { numberOf } from '../../../../infra/counters/fingerprint.ts'
import { type CounterKey, type Counters, CountersMoved, type SeenKey } from '../../../../infra/counters/port.ts'
import { createReservationTable } from '../../../../infra/counters/reservations.ts'

const SHARDS = 3

export type MemoryCounters = Counters & {
  /** Loses all reservations. */
  loseHolds(): void
}

/**
 * Counters in memory that forget a group as soon as they are allowed to.
 * @param before runs before selection gets an answer.
 */
export function memoryCounters({ now, before }: { now: () => number; before: () => Promise<void> }): MemoryCounters {
  const values = new Map<string, { amount: number; keptUntil: number }>()
  const seen = new Set<string>()
  const sources = new Map<string, { position: number; note: string | null }>()
  const table = createReservationTable()
  let watermark = -1

  const nameOf = ({ shard, group, id }: CounterKey) => `${shard} ${group.name} ${id}`
  const seenName = (shard: number, { group, fingerprint }: SeenKey) => `${shard} ${group.name} ${numberOf(fingerprint)}`
  const sourceName = ({ shard, source }: { shard: number; source: string }) => `${shard} ${source}`
  const sourceAt = (each: { shard: number; source: string }) =>
    sources.get(sourceName(each)) ?? { position: -1, note: null }
  function amountOf(key: CounterKey): number {
    const found = values.get(nameOf(key))
    return found && now() < found.keptUntil ? found.amount : 0
  }
  const put = (key: CounterKey, amount: number) =>
    values.set(nameOf(key), { amount, keptUntil: key.group.keptUntil ?? Number.POSITIVE_INFINITY })
  const unused = () => Promise.reject(new Error('neither the judge nor selection asks for this'))

  return {
    shards: SHARDS,
    async load(loads) {
      return loads.map((load) => ({
        ...sourceAt(load),
        values: load.keys.map(amountOf),
        tallies: new Float64Array(load.tallies.reduce((sum, { group }) => sum + group.counts, 0)),
        seen: load.seen.map((key) => seen.has(seenName(load.shard, key))),
        complete: true,
      }))
    },
    async store(change) {
      const { position, note } = sourceAt(change)
      if (position !== change.after) throw new CountersMoved(`${sourceName(change)} stands at ${position}`)
      sources.set(sourceName(change), { position: change.upTo, note: change.note ?? note })
      for (const { key, amount } of change.add) put(key, Math.max(0, amountOf(key) + amount))
      for (const { key, value } of change.lower) if (amountOf(key) === 0 || amountOf(key) > value) put(key, value)
      for (const key of change.seen) seen.add(seenName(change.shard, key))
      for (const { key, holder } of change.released) table.release(change.shard, key, holder)
    },
    async read(keys) {
      await before()
      return keys.map(amountOf)
    },
    async reserve(reservations) {
      await before()
      return reservations.map((reservation) => table.reserve(reservation, amountOf))
    },
    async raiseWatermark(at) {
      watermark = Math.max(watermark, at)
    },
    watermark: async () => watermark,
    positions: unused,
    complete: unused,
    markComplete: unused,
    agree: unused,
    clear: unused,
    close: async () => {},
    loseHolds: () => table.clear(),
  }
}
