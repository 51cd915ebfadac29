import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import type { LogRecord } from '../../port.ts'
import { remedyFor } from '../client/errors.ts'
import type { Link } from '../client/link.ts'
import type { BatchView } from '../client/record-batch.ts'
import type { KafkaNames } from '../names.ts'
import { createSignal } from '../signal.ts'
import { FETCH_PARTITION_MAX_BYTES, type Fetched, fetchFrom, recordsFrom } from './fetch.ts'
import type { Reader } from './reader.ts'

/** How long a broker holds a fetch back while there is nothing. */
const FETCH_MAX_WAIT_MS = 500
const FETCH_TIMEOUT_MS = FETCH_MAX_WAIT_MS + 5_000
/** Fetched and not yet taken; no more is fetched above it, so that a slow reader does not fill memory. */
const PREFETCHED_MAX_BYTES = 8 * 1024 * 1024
const RETRY_MS = 250
const FIRST_TURN_MAX = 1_000

/** A partition that is being read. */
interface Followed {
  topic: TopicName
  partition: number
  /** The next record to hand over. */
  position: number
  /** Where the next fetch begins. */
  fetchAt: number
  batches: BatchView[]
  decoded: LogRecord[]
  /** Nothing is fetched or handed over until a seek. */
  paused: boolean
}

/** Reads ahead from some partitions, of all brokers at once, in committed transactions only. */
export interface Fetcher {
  follow(topic: TopicName, partition: number, from: number): void
  drop(topic: TopicName, partition: number): void
  /** Also ends a pause. */
  seek(topic: TopicName, partition: number, offset: number): void
  pause(topic: TopicName, partition: number): void
  /** What is at hand of any one partition; the partitions take turns. */
  take(maxRecords: number): { topic: TopicName; partition: number; records: LogRecord[] } | null
  /** Everything before this offset has been taken. */
  position(topic: TopicName, partition: number): number
  /** Resolves when something may have come, or after `waitMs`. */
  arrival(waitMs: number): Promise<void>
  /** Wakes whoever waits for an arrival. */
  wake(): void
  /** The error that keeps it from reading, and since when by `performance.now()`. */
  failure(): { error: Error; since: number } | null
  close(): void
}

export function createFetcher({ link, names, reader }: { link: Link; names: KafkaNames; reader: Reader }): Fetcher {
  const followed = new Map<string, Followed>()
  const busyLeaders = new Set<number>()
  const arrived = createSignal()
  let prefetchedBytes = 0
  /** Who is started again and again must not always begin with the same. */
  let turn = randomInt(FIRST_TURN_MAX)
  let pumping = false
  let closed = false
  let failing: { error: Error; since: number } | null = null

  const placeOf = (topic: TopicName, partition: number) => `${topic}/${partition}`

  /** Starts a fetch at every broker that leads some of the partitions and has none under way. */
  async function pump(): Promise<void> {
    if (pumping || closed || followed.size === 0 || prefetchedBytes >= PREFETCHED_MAX_BYTES) return
    pumping = true
    const begun = performance.now()
    try {
      for (const [leader, group] of await byLeader()) {
        if (busyLeaders.has(leader)) continue
        busyLeaders.add(leader)
        void fetchGroup(leader, group)
      }
    } catch (error) {
      fail(error as Error, begun)
    } finally {
      pumping = false
    }
  }

  async function byLeader(): Promise<Map<number, Followed[]>> {
    const until = performance.now() + FETCH_TIMEOUT_MS
    const leaders = new Map<TopicName, Map<number, number>>()
    for (const topic of new Set([...followed.values()].map((each) => each.topic))) {
      leaders.set(topic, await link.leaders(names.topic(topic), until))
    }
    // What is followed only since the question is left to the next round.
    const known = [...followed.values()].filter(({ topic, paused }) => leaders.has(topic) && !paused)
    return Map.groupBy(known, ({ topic, partition }) => leaders.get(topic)!.get(partition) ?? -1)
  }

  async function fetchGroup(leader: number, group: Followed[]): Promise<void> {
    const begun = performance.now()
    const asked = group.map((each) => ({ each, offset: each.fetchAt }))
    const from = asked.map(({ each, offset }) => ({
      topic: names.topic(each.topic),
      partition: each.partition,
      offset,
    }))
    try {
      const answers = await link.request(
        { leaderOf: from[0]! },
        (broker) => fetchFrom(broker, from, { maxWaitMs: FETCH_MAX_WAIT_MS, maxBytes: FETCH_PARTITION_MAX_BYTES }),
        performance.now() + FETCH_TIMEOUT_MS,
      )
      for (const { each, offset } of asked) {
        const answer = answers.find((a) => a.topic === names.topic(each.topic) && a.partition === each.partition)
        // Dropped or sought elsewhere meanwhile.
        if (!answer || followed.get(placeOf(each.topic, each.partition)) !== each || each.fetchAt !== offset) continue
        await takeAnswer(each, answer)
      }
      failing = null
      setImmediate(() => void pump())
    } catch (error) {
      if (!closed) fail(error as Error, begun)
    } finally {
      busyLeaders.delete(leader)
      arrived.raise()
    }
  }

  async function takeAnswer(each: Followed, { error, batches, next }: Fetched): Promise<void> {
    if (error) return recover(each, error)
    each.batches.push(...batches)
    for (const { bytes } of batches) prefetchedBytes += bytes
    each.fetchAt = next
  }

  async function recover(each: Followed, error: Error & { type: string }): Promise<void> {
    if (error.type === 'OFFSET_OUT_OF_RANGE') {
      // What it wanted is not held any more, or never was: goes on with the earliest, as a new group would.
      const all = await reader.bounds(each.topic, performance.now() + FETCH_TIMEOUT_MS)
      each.fetchAt = all.find(({ partition }) => partition === each.partition)!.start
      each.position = each.fetchAt
      return
    }
    if (remedyFor(error) === 'NONE') throw error
    link.refresh()
    await sleep(RETRY_MS)
  }

  function fail(error: Error, since: number): void {
    failing ??= { error, since }
    setTimeout(() => void pump(), RETRY_MS)
  }

  /** Unpacks as few batches as fill the wish. */
  function unpack(each: Followed, maxRecords: number): void {
    while (each.decoded.length < maxRecords && each.batches.length > 0) {
      const { topic, partition } = each
      const batch = each.batches[0]!
      for (const { offset, key, value, timestamp } of recordsFrom(batch, each.position)) {
        each.decoded.push({ topic, partition, offset, key, value, appendedAt: timestamp })
      }
      // Only now: a batch that cannot be read is not passed over.
      each.batches.shift()
      prefetchedBytes -= batch.bytes
    }
  }

  function forget(each: Followed): void {
    for (const { bytes } of each.batches) prefetchedBytes -= bytes
    each.batches = []
    each.decoded = []
  }

  return {
    follow(topic, partition, from) {
      const each = { topic, partition, position: from, fetchAt: from, batches: [], decoded: [], paused: false }
      followed.set(placeOf(topic, partition), each)
      void pump()
    },
    drop(topic, partition) {
      const each = followed.get(placeOf(topic, partition))
      if (each) forget(each)
      followed.delete(placeOf(topic, partition))
    },
    seek(topic, partition, offset) {
      const each = followed.get(placeOf(topic, partition))
      if (!each) return
      forget(each)
      // A new object: what is being fetched for the old one is not taken.
      followed.set(placeOf(topic, partition), { ...each, position: offset, fetchAt: offset, paused: false })
      void pump()
    },
    pause(topic, partition) {
      const each = followed.get(placeOf(topic, partition))
      if (!each) return
      forget(each)
      // A new object, as above.
      followed.set(placeOf(topic, partition), { ...each, fetchAt: each.position, paused: true })
    },
    take(maxRecords) {
      const places = [...followed.values()]
      for (let step = 0; step < places.length; step++) {
        const each = places[(turn + step) % places.length]!
        unpack(each, maxRecords)
        if (each.decoded.length === 0) continue
        turn = (turn + step + 1) % places.length
        const records = each.decoded.splice(0, maxRecords)
        each.position = records.at(-1)!.offset + 1
        void pump()
        return { topic: each.topic, partition: each.partition, records }
      }
      return null
    },
    position(topic, partition) {
      const each = followed.get(placeOf(topic, partition))!
      return each.batches.length === 0 && each.decoded.length === 0 ? each.fetchAt : each.position
    },
    arrival: (waitMs) => arrived.wait(waitMs),
    wake: () => arrived.raise(),
    failure: () => failing,
    close() {
      closed = true
      for (const each of followed.values()) forget(each)
      followed.clear()
      arrived.raise()
    },
  }
}
