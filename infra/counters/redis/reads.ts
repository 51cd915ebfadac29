import type { ChainableCommander } from 'ioredis'
import type { RedisConnection } from '../../redis/connection.ts'
import type { CounterKey, TallyKey } from '../port.ts'
import { byBucket, fingerprintsOf, packField } from './buckets.ts'
import { type CounterScripts, fieldBytes, type ShardKeys } from './keys.ts'
import type { LookedUp } from './known-values.ts'
import { PackedArguments } from './packed.ts'
import { addTallies, entriesOf, wideField } from './tallies.ts'

interface ReadsDeps {
  connection: RedisConnection<CounterScripts>
  names: ShardKeys
  /** Sends commands together. */
  pipelined<Answer>(fill: (pipeline: ChainableCommander) => void): Promise<Answer[]>
}

/** The field of a counter in a wide block, and the index where its value belongs. */
interface WideField {
  field: Buffer
  place: number
}

/** Reads values of one shard. */
export function createReads({ connection, names, pipelined }: ReadsDeps) {
  /**
   * Reads plain keys and tallies at one moment, except the tallies of wide blocks, which are read afterwards. `isOfOneTime` says
   * whether the shard has stayed the same in between, by the key `changes` among the plain ones.
   * @param values gets the counters of the missing keys, which must be 0 there.
   */
  async function tallies(plain: readonly string[], { missing: keys, places: starts, values }: LookedUp<TallyKey>) {
    const groups = byBucket(
      keys,
      keys.map(({ fingerprint }) => fingerprint),
    )
    const blockNames = [...plain]
    for (const { group, parts } of groups) {
      blockNames.push(names.anyWide(group))
      for (const { bucket } of parts) blockNames.push(names.bucket(group, bucket))
    }
    const found = await connection.run((client) => client.mgetBuffer(blockNames))
    const wide: { name: string; fields: WideField[] }[] = []
    let next = plain.length
    for (const { group, places, parts } of groups) {
      const anyWide = found[next++] !== null
      for (const { bucket, from, to } of parts) {
        const block = found[next++]!
        if (block !== null) {
          const entries = entriesOf(block)
          for (let i = from; i < to; i++) {
            const place = places[i]!
            addTallies(entries, keys[place]!.fingerprint, values, starts[place]!)
          }
        } else if (anyWide) {
          const ofBlock = Array.from(places.subarray(from, to), (place) => wideFields(keys[place]!, starts[place]!))
          wide.push({ name: names.bucket(group, bucket), fields: ofBlock.flat() })
        }
      }
    }
    if (wide.length === 0) return { plain: found.slice(0, plain.length), isOfOneTime: true }

    const answers = await pipelined<(string | null)[] | string | null>((pipeline) => {
      for (const { name, fields } of wide) pipeline.hmget(name, ...fields.map(({ field }) => field))
      pipeline.get(names.changes)
    })
    for (const [i, { fields }] of wide.entries()) {
      for (const [j, { place }] of fields.entries()) values[place] = Number(answers[i]![j] ?? 0)
    }
    const changes = found[plain.indexOf(names.changes)]?.toString() ?? null
    return { plain: found.slice(0, plain.length), isOfOneTime: answers[wide.length] === changes }
  }

  /** Reads plain keys and counters of hashes at one moment. */
  async function hashes(plain: readonly string[], keys: readonly CounterKey[]) {
    const fingerprints = fingerprintsOf(keys)
    const all = [...plain]
    const packed = new PackedArguments()
    const order: number[] = []
    for (const { group, places, parts } of byBucket(keys, fingerprints)) {
      packed.number(fieldBytes(group))
      packed.number(parts.length)
      for (const { bucket, from, to } of parts) {
        all.push(names.bucket(group, bucket))
        packed.number(to - from)
        for (let i = from; i < to; i++) {
          const place = places[i]!
          packField(keys[place]!, fingerprints[place]!, packed)
          order.push(place)
        }
      }
    }
    const values = new Array<number>(keys.length).fill(0)
    if (all.length === 0) return { plain: [], values }
    const answer = await connection.run((client) => client.readValues(all.length, all, plain.length, packed.bytes()))
    const found = answer[plain.length]!.split(',')
    for (let i = 0; i < order.length; i++) values[order[i]!] = Number(found[i])
    return { plain: answer.slice(0, plain.length), values }
  }

  return { tallies, hashes }
}

function wideFields({ group, fingerprint }: TallyKey, start: number): WideField[] {
  return Array.from({ length: group.counts }, (_, count) => ({
    field: wideField(fingerprint, count),
    place: start + count,
  }))
}
