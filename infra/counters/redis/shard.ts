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
} from '../port.ts'
import { HOLDERS_MAX } from '../reservations.ts'
import { changeArguments, type SeenChange } from './change-arguments.ts'
import { shardKeys } from './keys.ts'
import { LastingHashes } from './lasting-hashes.ts'
import { type SeenCache, SeenShard } from './seen-blocks.ts'

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

  async function loadOne({ source, after, keys, seen }: ShardLoad): Promise<LoadedShard> {
    const reads = hashReads(keys)
    const [state, ...hashes] = await pipelined<(string | null)[]>((pipeline) => {
      pipeline.mget(names.position(source), names.note(source), names.seenToken, names.complete)
      for (const [hash, { fields }] of reads) pipeline.hmget(hash, ...fields)
    })
    const position = Number(state![0] ?? -1)
    if (position < after) throw new CountersBehind(`${source} stands at ${position} in shard ${shard}, not at ${after}`)
    if (seen.length > 0) seenShard.expect(state![2] ?? '')
    return {
      position,
      note: state![1] ?? null,
      values: valuesOf(keys.length, reads, hashes.flat()),
      seen: await seenShard.look(seen, fetchBlocks),
      complete: typeof state![3] === 'string',
    }
  }

  /** Of each hash: the fields to read, and at which places of `keys` they are. */
  function hashReads(keys: readonly CounterKey[]) {
    const reads = new Map<string, { fields: (Buffer | string)[]; places: number[] }>()
    for (const [place, key] of keys.entries()) {
      const { hash, field } = names.counter(key)
      const read = reads.get(hash)
      if (read) {
        read.fields.push(field)
        read.places.push(place)
      } else reads.set(hash, { fields: [field], places: [place] })
    }
    return reads
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
      const reads = hashReads(keys)
      const args = [...reads.values()].flatMap(({ fields }) => [fields.length, ...fields])
      const answer = await connection.run((client) =>
        client.readValues(1 + reads.size, names.complete, [...reads.keys()], args),
      )
      if (answer.length === 0) throw new CountersUnavailable(`Shard ${shard} of the counters is being counted again`)
      return valuesOf(keys.length, reads, answer)
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

/** @param answers the values of all hashes, one after the other. */
function valuesOf(
  count: number,
  reads: ReadonlyMap<string, { places: number[] }>,
  answers: readonly (string | null)[],
): number[] {
  const values = new Array<number>(count).fill(0)
  let next = 0
  for (const { places } of reads.values()) for (const place of places) values[place] = Number(answers[next++] ?? 0)
  return values
}
