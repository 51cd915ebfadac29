import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import type { LogRecord } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import { type Failure, remedyFor } from '../client/errors.ts'
import { FETCH_PARTITION_MAX_BYTES, type FetchedPartition, fetchRequest } from '../client/protocol/fetch.ts'
import { type BatchView, recordsFrom } from '../client/protocol/record-batch.ts'
import { namingTheRight } from '../client/rights.ts'
import { createCondition } from '../condition.ts'
import type { KafkaNames } from '../names.ts'
import type { LogReader } from './reader.ts'

/** How long a broker holds back its answer to a fetch while there are no records. */
const FETCH_MAX_WAIT_MS = 500
const FETCH_TIMEOUT_MS = FETCH_MAX_WAIT_MS + 5_000
/** Nothing more is fetched while this many bytes wait to be taken, so that a slow reader does not fill memory. */
const PREFETCHED_MAX_BYTES = 8 * 1024 * 1024
const RETRY_MS = 250
const FIRST_TURN_MAX = 1_000

/** A partition that is being read. It is replaced at a seek or pause, so that the responses to earlier fetches are ignored. */
interface PartitionReader {
  readonly topic: TopicName
  readonly partition: number
  /** Offset of the next record to hand over. */
  position: number
  /** Offset where the next fetch begins. */
  fetchAt: number
  /** When a fetch last brought something, by `performance.now()`. */
  fetchedAt: number
  batches: BatchView[]
  decoded: LogRecord[]
  readonly isPaused: boolean
}

export interface FetcherOptions {
  client: BrokerClient
  names: KafkaNames
  reader: LogReader
}

/** Reads ahead from some partitions, from all brokers at once. It reads committed transactions only. */
export function createFetcher({ client, names, reader }: FetcherOptions) {
  const partitions = new Map<string, PartitionReader>()
  const busyLeaders = new Set<number>()
  const arrived = createCondition()
  let prefetchedBytes = 0
  /** Start at a random partition: a process that restarts often would starve the last one. */
  let turn = randomInt(FIRST_TURN_MAX)
  /** Whether the last pump fetched nothing because too many bytes wait to be taken. */
  let isHeldBack = false
  let isPumping = false
  /** Whether to pump again afterwards: something changed during the pump, which may therefore miss some partitions. */
  let isPumpDue = false
  let closed = false
  let failing: Failure | null = null

  const keyOf = (topic: TopicName, partition: number) => `${topic}/${partition}`

  /** Starts a fetch at every broker that leads some of the partitions and has none in flight. */
  async function pump(): Promise<void> {
    isPumpDue = isPumping
    if (isPumping || closed || partitions.size === 0) return
    isHeldBack = prefetchedBytes >= PREFETCHED_MAX_BYTES
    if (isHeldBack) return
    isPumping = true
    const begun = performance.now()
    try {
      for (const [leader, readers] of await byLeader()) {
        if (busyLeaders.has(leader)) continue
        busyLeaders.add(leader)
        void fetchAll(leader, readers)
      }
    } catch (error) {
      fail(error as Error, begun)
    } finally {
      isPumping = false
      if (isPumpDue) void pump()
    }
  }

  async function byLeader(): Promise<Map<number, PartitionReader[]>> {
    const deadline = performance.now() + FETCH_TIMEOUT_MS
    const leaders = new Map<TopicName, Map<number, number>>()
    for (const topic of new Set([...partitions.values()].map(({ topic }) => topic))) {
      leaders.set(topic, await client.leaders(names.topic(topic), deadline))
    }
    // A partition of a topic that was added meanwhile waits for the next round.
    const ready = [...partitions.values()].filter(({ topic, isPaused }) => leaders.has(topic) && !isPaused)
    // A broker fills its response in the order of the request: partitions with the fewest batches in memory come first.
    ready.sort((a, b) => a.batches.length - b.batches.length || a.fetchedAt - b.fetchedAt)
    return Map.groupBy(ready, ({ topic, partition }) => leaders.get(topic)!.get(partition) ?? -1)
  }

  async function fetchAll(leader: number, readers: PartitionReader[]): Promise<void> {
    const begun = performance.now()
    const positions = readers.map(({ topic, partition, fetchAt }) => ({
      topic: names.topic(topic),
      partition,
      offset: fetchAt,
    }))
    try {
      const limits = { maxWaitMs: FETCH_MAX_WAIT_MS, maxBytes: FETCH_PARTITION_MAX_BYTES }
      const deadline = begun + FETCH_TIMEOUT_MS
      const fetched = await client.send({ leaderOf: positions[0]! }, fetchRequest(positions, limits), deadline)
      const asked = new Map(positions.map(({ topic, partition }, index) => [`${topic}/${partition}`, index]))
      for (const answer of fetched) {
        const index = asked.get(`${answer.topic}/${answer.partition}`)!
        const each = readers[index]!
        const isCurrent = partitions.get(keyOf(each.topic, each.partition)) === each
        if (isCurrent && each.fetchAt === positions[index]!.offset) await accept(each, answer)
      }
      failing = null
      setImmediate(() => void pump())
    } catch (error) {
      if (!closed) fail(error as Error, begun)
    } finally {
      busyLeaders.delete(leader)
      arrived.notify()
    }
  }

  async function accept(each: PartitionReader, { error, batches, next }: FetchedPartition): Promise<void> {
    if (error) return recover(each, error)
    each.batches.push(...batches)
    for (const { bytes } of batches) prefetchedBytes += bytes
    each.fetchAt = next
    each.fetchedAt = performance.now()
  }

  async function recover(each: PartitionReader, error: Error & { type: string }): Promise<void> {
    if (error.type === 'OFFSET_OUT_OF_RANGE') {
      // The offset is no longer held, or never was: go on with the earliest, as a new group would.
      const bounds = await reader.bounds(each.topic, performance.now() + FETCH_TIMEOUT_MS)
      each.fetchAt = bounds.find(({ partition }) => partition === each.partition)!.start
      each.position = each.fetchAt
      return
    }
    if (remedyFor(error) === 'NONE') throw namingTheRight(error, 'Fetch', { topic: names.topic(each.topic) })
    client.refresh()
    await sleep(RETRY_MS)
  }

  function fail(error: Error, since: number): void {
    failing ??= { error, since }
    setTimeout(() => void pump(), RETRY_MS)
  }

  /** Decodes just enough batches to hand over `maxRecords`. */
  function decode(each: PartitionReader, maxRecords: number): void {
    const { topic, partition } = each
    while (each.decoded.length < maxRecords && each.batches.length > 0) {
      const batch = each.batches[0]!
      for (const { offset, key, value, timestamp } of recordsFrom(batch, each.position)) {
        each.decoded.push({ topic, partition, offset, key, value, appendedAt: timestamp })
      }
      // Removed only now, so that a batch that cannot be decoded is not skipped.
      each.batches.shift()
      prefetchedBytes -= batch.bytes
    }
  }

  function discard({ batches }: PartitionReader): void {
    for (const { bytes } of batches) prefetchedBytes -= bytes
  }

  function replace(key: string, change: (old: PartitionReader) => Partial<PartitionReader>): void {
    const old = partitions.get(key)
    if (!old) return
    discard(old)
    partitions.set(key, { ...old, batches: [], decoded: [], ...change(old) })
  }

  return {
    add(topic: TopicName, partition: number, from: number): void {
      const added = {
        topic,
        partition,
        position: from,
        fetchAt: from,
        fetchedAt: 0,
        batches: [],
        decoded: [],
        isPaused: false,
      }
      partitions.set(keyOf(topic, partition), added)
      void pump()
    },
    remove(topic: TopicName, partition: number): void {
      const removed = partitions.get(keyOf(topic, partition))
      if (removed) discard(removed)
      partitions.delete(keyOf(topic, partition))
      if (isHeldBack) void pump()
    },
    /** Also ends a pause. */
    seek(topic: TopicName, partition: number, offset: number): void {
      replace(keyOf(topic, partition), () => ({ position: offset, fetchAt: offset, isPaused: false }))
      void pump()
    },
    /** Stops fetching a partition and handing over its records, until a seek. */
    pause(topic: TopicName, partition: number): void {
      replace(keyOf(topic, partition), ({ position }) => ({ fetchAt: position, isPaused: true }))
      if (isHeldBack) void pump()
    },
    /** Fetched records of any one partition; null when there are none. The partitions take turns. */
    take(maxRecords: number): { topic: TopicName; partition: number; records: LogRecord[] } | null {
      const all = [...partitions.values()]
      for (let step = 0; step < all.length; step++) {
        const each = all[(turn + step) % all.length]!
        decode(each, maxRecords)
        if (each.decoded.length === 0) continue
        turn = (turn + step + 1) % all.length
        const records = each.decoded.splice(0, maxRecords)
        each.position = records.at(-1)!.offset + 1
        // Unless held back, each broker has a fetch in flight, whose end starts the next one.
        if (isHeldBack) void pump()
        return { topic: each.topic, partition: each.partition, records }
      }
      return null
    },
    /** Everything before this offset has been taken. */
    position(topic: TopicName, partition: number): number {
      const { batches, decoded, fetchAt, position } = partitions.get(keyOf(topic, partition))!
      return batches.length === 0 && decoded.length === 0 ? fetchAt : position
    },
    /** Resolves when something may have arrived, or after the timeout. */
    arrival: (timeoutMs: number) => arrived.wait(timeoutMs),
    /** Wakes all callers that wait for an arrival. */
    wake: () => arrived.notify(),
    /** The failure that keeps the fetcher from reading, or null. */
    failure: () => failing,
    close() {
      closed = true
      partitions.clear()
      arrived.notify()
    },
  }
}
