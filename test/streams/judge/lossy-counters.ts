import { numberOf } from '../../../infra/counters/fingerprint.ts'
import {
  type CounterKey,
  type Counters,
  CountersBehind,
  CountersMoved,
  CountersUnavailable,
  type SeenKey,
  type TallyKey,
} from '../../../infra/counters/port.ts'

interface Held {
  values: Map<string, number>
  positions: Map<string, number>
  notes: Map<string, string>
  complete: Set<number>
}

/** Counters in memory that can be set back to an earlier state, and forget nothing by themselves. */
export interface LossyCounters extends Counters {
  /** The number of stores and marks so far. `loseTo` can go back to each of these moments. */
  readonly moments: number
  /** Loses everything since a moment; with 0, everything. */
  loseTo(moment: number): void
  /** Sets one shard back to a moment, like a replica that takes over too early. The other shards and the moments stay as they are. */
  setBack(shard: number, moment: number): void
  /** All values by shard, group, id and, for tallies, the number of the counter. */
  held(): Record<string, number>
}

const keyOf = ({ shard, group, id }: CounterKey) => JSON.stringify([shard, group.name, id])
const tallyOf = ({ shard, group, fingerprint }: TallyKey, count: number) =>
  JSON.stringify([shard, group.name, numberOf(fingerprint), count])
const seenIn = (shard: number, { group, fingerprint }: SeenKey) =>
  JSON.stringify([shard, group.name, numberOf(fingerprint), 'seen'])

export function lossyCounters(shards = 1): LossyCounters {
  const numbers = Array.from({ length: shards }, (_, shard) => shard)
  let held: Held = { values: new Map(), positions: new Map(), notes: new Map(), complete: new Set() }
  const history: Held[] = [structuredClone(held)]
  let watermark = -1
  const sourceIn = (shard: number, source: string) => JSON.stringify([shard, source])
  const positionOf = (shard: number, source: string) => held.positions.get(sourceIn(shard, source)) ?? -1

  function loseTo(moment: number): void {
    held = structuredClone(history[moment]!)
    history.length = moment + 1
  }

  function setBack(shard: number, moment: number): void {
    const before = history[moment]!
    for (const part of ['values', 'positions', 'notes'] as const) {
      const kept = [...held[part]].filter(([key]) => JSON.parse(key)[0] !== shard)
      const restored = [...before[part]].filter(([key]) => JSON.parse(key)[0] === shard)
      held = { ...held, [part]: new Map<string, unknown>([...kept, ...restored]) }
    }
    if (!before.complete.has(shard)) held.complete.delete(shard)
  }

  return {
    shards,
    async load(loads) {
      return loads.map(({ shard, source, after, keys, tallies, seen }) => {
        const position = positionOf(shard, source)
        if (position < after) throw new CountersBehind('lost')
        return {
          position,
          note: held.notes.get(sourceIn(shard, source)) ?? null,
          values: keys.map((key) => held.values.get(keyOf(key)) ?? 0),
          tallies: Float64Array.from(
            tallies.flatMap((key) =>
              Array.from({ length: key.group.counts }, (_, count) => held.values.get(tallyOf(key, count)) ?? 0),
            ),
          ),
          seen: seen.map((key) => held.values.has(seenIn(shard, key))),
          complete: held.complete.has(shard),
        }
      })
    },
    async store({ shard, source, after, upTo, note, add, tally, lower, seen }) {
      if (positionOf(shard, source) !== after) throw new CountersMoved('moved')
      for (const { key, amount } of add) {
        held.values.set(keyOf(key), Math.max(0, (held.values.get(keyOf(key)) ?? 0) + amount))
      }
      for (const { key, amounts } of tally) {
        for (const [count, amount] of amounts.entries()) {
          if (amount > 0) held.values.set(tallyOf(key, count), (held.values.get(tallyOf(key, count)) ?? 0) + amount)
        }
      }
      for (const { key, value } of lower) {
        held.values.set(keyOf(key), Math.min(held.values.get(keyOf(key)) || Number.POSITIVE_INFINITY, value))
      }
      for (const key of seen) held.values.set(seenIn(shard, key), 1)
      held.positions.set(sourceIn(shard, source), upTo)
      if (note !== null) held.notes.set(sourceIn(shard, source), note)
      history.push(structuredClone(held))
    },
    async read(keys) {
      if (keys.some(({ shard }) => !held.complete.has(shard))) throw new CountersUnavailable('being counted again')
      return keys.map((key) => held.values.get(keyOf(key)) ?? 0)
    },
    positions: async (sources) => sources.map(({ shard, source }) => positionOf(shard, source)),
    complete: async () => numbers.map((shard) => held.complete.has(shard)),
    async markComplete(shard) {
      held.complete.add(shard)
      history.push(structuredClone(held))
    },
    async raiseWatermark(at) {
      watermark = Math.max(watermark, at)
    },
    watermark: async () => watermark,
    agree: async (_name, proposed) => proposed,
    reserve: async () => Promise.reject(new Error('streams reserve nothing')),
    clear: async () => loseTo(0),
    close: async () => {},
    get moments() {
      return history.length
    },
    loseTo,
    setBack,
    held: () => Object.fromEntries([...held.values].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
