import type { ChainableCommander } from 'ioredis'
import PQueue from 'p-queue'
import type { RedisConnection } from '../../redis/connection.ts'
import {
  type CounterKey,
  CountersBehind,
  CountersMoved,
  CountersUnavailable,
  type LoadedShard,
  type Reservation,
  type ShardChange,
  type ShardLoad,
  type TallyKey,
} from '../port.ts'
import { HOLDERS_MAX } from '../reservations.ts'
import { byBucket, fingerprintsOf, packField } from './buckets.ts'
import { changeArguments, type SeenChange } from './change-arguments.ts'
import { fieldBytes, shardKeys } from './keys.ts'
import { LastingHashes } from './lasting-hashes.ts'
import { PackedArguments } from './packed.ts'
import { type SeenCache, SeenShard } from './seen-blocks.ts'
import { addTallies, entriesOf, wideField } from './tallies.ts'

/** A reservation reads every other holder of its keys: mostly a few processes. */
const RESERVATIONS_PER_CALL = 100
/** How long Redis keeps an expired reservation: for callers whose clocks are behind its own. */
const RESERVATION_GRACE_MS = 60_000
/** Of those who change seen keys at once one always succeeds, and a shard has hardly more than one. */
const STALE_MAX = 50

/** Thrown when seen keys have been changed since they were known. Nothing was stored. */
export class SeenStale extends Error {
  override readonly name = 'SeenStale'
}

export type CounterScripts = 'storeChange' | 'readValues' | 'reserveAmounts' | 'raiseNumber'

/** What of the port concerns one shard. */
export interface Shard {
  load(loads: readonly ShardLoad[]): Promise<LoadedShard[]>
  store(change: ShardChange): Promise<void>
  read(keys: readonly CounterKey[]): Promise<number[]>
  positions(sources: readonly string[]): Promise<number[]>
  isComplete(): Promise<boolean>
  markComplete(): Promise<void>
  reserve(reservations: readonly Reservation[]): Promise<number[]>
}

export interface ShardOptions {
  connection: RedisConnection<CounterScripts>
  namespace: string
  shards: number
  shard: number
  seenCache: SeenCache
  /** A word that no process has ever used. */
  newToken: () => string
  /** UTC epoch milliseconds. */
  now: () => number
}

/** One shard in Redis. All keys of a call are of one hash slot. */
export function openShard({ connection, namespace, shards, shard, seenCache, newToken, now }: ShardOptions): Shard {
  const names = shardKeys(namespace, shards, shard)
  const seenShard = new SeenShard(seenCache, shard)
  /** What is known of seen keys is read and changed by one call after the other. */
  const seenCalls = new PQueue({ concurrency: 1 })
  const lasting = new Map<string, LastingHashes>()

  function lastingOf(source: string): LastingHashes {
    const hashes = lasting.get(source) ?? new LastingHashes()
    lasting.set(source, hashes)
    return hashes
  }

  const fetchBlocks = (paths: readonly string[]) =>
    pipelined<Buffer | null>((pipeline) => {
      for (const path of paths) pipeline.getBuffer(names.seenBlock(path))
    })

  /** Commands sent together. @throws when one of them fails. */
  async function pipelined<Answer>(fill: (pipeline: ChainableCommander) => void): Promise<Answer[]> {
    const answers = await connection.run((client) => {
      const pipeline = client.pipeline()
      fill(pipeline)
      return pipeline.exec()
    })
    return (answers ?? []).map(([error, answer]) => {
      if (error) throw new CountersUnavailable(`Redis: ${error.message}`)
      return answer as Answer
    })
  }

  async function loadOne({ source, after, keys, tallies, seen }: ShardLoad): Promise<LoadedShard> {
    const state = [names.position(source), names.note(source), names.seenToken, names.complete]
    // Counters that are newer than the position, because the source has moved on meanwhile, are refused by `store`.
    const [{ plain, sums }, { values }] = await Promise.all([readTallies(state, tallies), readHashes([], keys)])
    const [offset, note, token, complete] = plain.map((each) => each?.toString() ?? null)
    const position = Number(offset ?? -1)
    if (position < after) throw new CountersBehind(`${source} stands at ${position} in shard ${shard}, not at ${after}`)
    if (seen.length > 0) seenShard.expect(token ?? '')
    return {
      position,
      note: note ?? null,
      values,
      tallies: sums,
      seen: await seenShard.look(seen, fetchBlocks),
      complete: complete !== null,
    }
  }

  /** Reads plain keys and tallies as of one moment, but for those of wide blocks, which are read after it. */
  async function readTallies(plain: readonly string[], keys: readonly TallyKey[]) {
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
    const starts = startsOf(keys)
    const sums = new Array<number>(starts[keys.length]!).fill(0)
    const wide: { name: string; fields: { place: number; field: Buffer }[] }[] = []
    let next = plain.length
    for (const { group, parts } of groups) {
      const anyWide = found[next++] !== null
      for (const { bucket, places } of parts) {
        const block = found[next++]!
        if (block !== null) {
          const entries = entriesOf(block)
          for (const place of places) addTallies(entries, keys[place]!.fingerprint, sums, starts[place]!)
        } else if (anyWide) {
          wide.push({
            name: names.bucket(group, bucket),
            fields: places.flatMap((place) => wideFields(place, keys[place]!)),
          })
        }
      }
    }
    if (wide.length > 0) {
      const answers = await pipelined<(string | null)[]>((pipeline) => {
        for (const { name, fields } of wide) pipeline.hmget(name, ...fields.map(({ field }) => field))
      })
      for (const [i, { fields }] of wide.entries()) {
        for (const [j, { place }] of fields.entries()) sums[place] = Number(answers[i]![j] ?? 0)
      }
    }
    return { plain: found.slice(0, plain.length), sums }

    function wideFields(place: number, { group, fingerprint }: TallyKey) {
      return Array.from({ length: group.counts }, (_, count) => {
        return { place: starts[place]! + count, field: wideField(fingerprint, count) }
      })
    }
  }

  /** Reads plain keys and counters of hashes as of one moment. */
  async function readHashes(plain: readonly string[], keys: readonly CounterKey[]) {
    const fingerprints = fingerprintsOf(keys)
    const all = [...plain]
    const packed = new PackedArguments()
    const order: number[] = []
    for (const { group, parts } of byBucket(keys, fingerprints)) {
      packed.number(fieldBytes(group))
      packed.number(parts.length)
      for (const { bucket, places } of parts) {
        all.push(names.bucket(group, bucket))
        packed.number(places.length)
        for (const place of places) {
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

  async function storeSeen(change: ShardChange): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (seenShard.token === null) {
          seenShard.expect((await connection.run((client) => client.get(names.seenToken))) ?? '')
        }
        const { appends, stored } = await seenShard.append(change.seen, fetchBlocks)
        const token = newToken()
        await send(change, { expected: seenShard.token!, token, blocks: appends })
        stored(token)
        return
      } catch (error) {
        // A change whose answer is missing may have been stored.
        if (!(error instanceof CountersMoved)) seenShard.expect(null)
        if (!(error instanceof SeenStale)) throw error
        if (attempt === STALE_MAX) throw new CountersUnavailable(error.message)
      }
    }
  }

  async function send(change: ShardChange, seen: SeenChange | null): Promise<void> {
    const hashes = lastingOf(change.source)
    hashes.expect(change.after)
    const { keys, args, written } = changeArguments(change, { names, lasting: hashes, now: now() }, seen)
    await connection.run((client) => client.storeChange(keys.length, keys, args))
    hashes.remember(written, change.upTo)
  }

  return {
    load: (loads) =>
      Promise.all(loads.map((load) => (load.seen.length > 0 ? seenCalls.add(() => loadOne(load)) : loadOne(load)))),
    store: (change) => (change.seen.length > 0 ? seenCalls.add(() => storeSeen(change)) : send(change, null)),
    async read(keys) {
      const { plain, values } = await readHashes([names.complete], keys)
      if (plain[0] === null) throw new CountersUnavailable(`Shard ${shard} of the counters is being counted again`)
      return values
    },
    async positions(sources) {
      const offsets = await connection.run((client) => client.mget(sources.map(names.position)))
      return offsets.map((offset) => Number(offset ?? -1))
    },
    isComplete: async () => (await connection.run((client) => client.get(names.complete))) !== null,
    async markComplete() {
      await connection.run((client) => client.set(names.complete, '1'))
    },
    async reserve(reservations) {
      const granted: number[] = []
      for (let from = 0; from < reservations.length; from += RESERVATIONS_PER_CALL) {
        const { keys, args } = reservationArguments(reservations.slice(from, from + RESERVATIONS_PER_CALL))
        const answer = await connection.run((client) => client.reserveAmounts(keys.length, keys, args))
        granted.push(...answer.map(Number))
      }
      return granted
    },
  }

  /** The KEYS and ARGV of reserve.lua. */
  function reservationArguments(reservations: readonly Reservation[]) {
    const keys: string[] = []
    const fields: (Buffer | string)[] = []
    const tuples = reservations.map(({ holder, retained, requested, minimum, expiresAt, now, limits }) => {
      const limitTuples = limits.map(({ key, counted, max }) => {
        const holders = keys.push(names.holders(key))
        if (counted === null) return [holders, max, false]
        const { hash, field } = names.counter(counted)
        return [holders, max, keys.push(hash), FIXED_ARGUMENTS + fields.push(field)]
      })
      return [holder, retained, requested, minimum, expiresAt, now, limitTuples]
    })
    return { keys, args: [HOLDERS_MAX, RESERVATION_GRACE_MS, JSON.stringify(tuples), ...fields] }
  }
}

const FIXED_ARGUMENTS = 3

/** Where the counters of each key begin among those of all, and where they end. */
function startsOf(keys: readonly TallyKey[]): number[] {
  const starts = [0]
  for (const [i, { group }] of keys.entries()) starts.push(starts[i]! + group.counts)
  return starts
}
