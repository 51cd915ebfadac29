import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import {
  type Assignment,
  type LogConsumer,
  LogUnavailable,
  METADATA_MAX_CHARS,
  type NewRecord,
  type Place,
  Revoked,
} from '../../port.ts'
import { checkedBytes } from '../../record-check.ts'
import type { Codec } from '../client/compression.ts'
import { isExpelled, isFenced, isRebalancing } from '../client/errors.ts'
import type { Link } from '../client/link.ts'
import type { KafkaNames } from '../names.ts'
import { openTransactionalWriter, type TransactionalWriter } from '../produce/transaction.ts'
import { createFetcher } from '../read/fetcher.ts'
import type { Reader } from '../read/reader.ts'
import { createSignal } from '../signal.ts'
import { joinGroup } from './membership.ts'

/** A caller that is at work when the group changes may finish for this long before it can lose the partition. */
const HAND_OVER_MAX_MS = 1_000
/** A new member waits this long for its group; the rest of the wait is that of its first polls. */
const FIRST_JOIN_MAX_MS = 3_000
const REJOIN_PAUSE_MS = 50

/** An assignment, and what commits with outputs need. */
interface Lease {
  assignment: Assignment
  writer: TransactionalWriter
}

export interface ConsumerOptions {
  /** Of this consumer alone: fetches and joining wait long. */
  link: Link
  /** Of the whole log. */
  control: Link
  names: KafkaNames
  reader: Reader
  codec: Codec
  group: string
  topics: readonly TopicName[]
  sessionTimeoutMs: number
  /** Of a commit; and after this long without a word from Kafka, polls fail. */
  timeoutMs: number
  now: () => number
}

/**
 * A member of a group. What it commits is refused once a partition has gone to another: here, because a commit names the
 * assignment that its records were read under; and by the brokers while it does not know yet: a plain commit by member and
 * generation; one with outputs by these too, and by the transactional id that whoever gets the partition takes over before it
 * asks what is committed. So nothing of a frozen member can become visible after its successor has begun.
 */
export async function openConsumer(options: ConsumerOptions): Promise<LogConsumer> {
  const { link, control, names, reader, group, topics, timeoutMs } = options
  const fetcher = createFetcher({ link, names, reader })
  const leases = new Map<string, Lease>()
  const handedOver = createSignal()
  let working = false
  let closed = false

  const deadline = () => performance.now() + timeoutMs

  async function readyToMove(): Promise<void> {
    const until = performance.now() + HAND_OVER_MAX_MS
    while (working && !closed && performance.now() < until) await handedOver.wait(until - performance.now())
  }

  function drop(place: string): void {
    const lease = leases.get(place)
    if (!lease) return
    leases.delete(place)
    fetcher.drop(lease.assignment.topic, lease.assignment.partition)
  }

  /** First takes over the right to commit, then asks what is committed: nothing can change that in between. */
  async function acquire(places: { topic: TopicName; partition: number }[]): Promise<void> {
    const until = deadline()
    const writers = await Promise.all(
      places.map(({ topic, partition }) =>
        openTransactionalWriter({ ...options, link: control }, names.committer(group, topic, partition), until),
      ),
    )
    const wanted = [...new Set(places.map(({ topic }) => topic))]
    const commits = await reader.committed(group, wanted, until)
    const starts = new Map(
      await Promise.all(wanted.map(async (topic) => [topic, await reader.bounds(topic, until)] as const)),
    )
    for (const [index, { topic, partition }] of places.entries()) {
      const committed = commits.find((each) => each.topic === topic && each.partition === partition) ?? null
      const { start } = starts.get(topic)!.find((each) => each.partition === partition)!
      leases.set(`${names.topic(topic)}/${partition}`, {
        assignment: { topic, partition, committed },
        writer: writers[index]!,
      })
      fetcher.follow(topic, partition, committed?.offset ?? start)
    }
  }

  const membership = joinGroup({
    link,
    control,
    group: names.group(group),
    topics: topics.map((topic) => names.topic(topic)),
    sessionTimeoutMs: options.sessionTimeoutMs,
    timeoutMs,
    readyToMove,
    onLost() {
      for (const place of [...leases.keys()]) drop(place)
    },
    async onAssigned(places) {
      for (const place of [...leases.keys()]) if (!places.has(place)) drop(place)
      const gained = [...places].filter((place) => !leases.has(place)).map(parsePlace)
      if (gained.length > 0) await acquire(gained)
      fetcher.wake()
    },
  })

  function parsePlace(place: string): { topic: TopicName; partition: number } {
    const slash = place.lastIndexOf('/')
    return { topic: names.topicOf(place.slice(0, slash))!, partition: Number(place.slice(slash + 1)) }
  }

  function throwIfUnavailable(): void {
    for (const failure of [membership.failure(), fetcher.failure()]) {
      if (failure && performance.now() - failure.since >= timeoutMs) {
        throw new LogUnavailable(`Kafka is not available: ${failure.error.message}`)
      }
    }
  }

  const leaseAt = ({ topic, partition }: { topic: TopicName; partition: number }) =>
    leases.get(`${names.topic(topic)}/${partition}`)

  function leaseOf(assignment: Assignment): Lease {
    const lease = leaseAt(assignment)
    if (lease?.assignment !== assignment || closed) {
      throw new Revoked(`${assignment.topic}/${assignment.partition} is not assigned to this consumer any more`)
    }
    return lease
  }

  async function store(lease: Lease, { offset, metadata }: Place, outputs: readonly NewRecord[], until: number) {
    const identity = membership.identity()
    if (!identity) throw new Revoked('The consumer is not a member of its group')
    const place = { topic: names.topic(lease.assignment.topic), partition: lease.assignment.partition }
    const groupId = names.group(group)
    if (outputs.length > 0) {
      await lease.writer.transact(
        { records: outputs, offset: { group: groupId, ...identity, ...place, offset, metadata } },
        until,
      )
      return
    }
    const { memberId, generation: groupGenerationId } = identity
    const partitions = [{ partition: place.partition, offset, metadata }]
    const request = { groupId, memberId, groupGenerationId, topics: [{ topic: place.topic, partitions }] }
    await control.request({ groupOf: groupId }, (broker) => broker.offsetCommit(request), until)
  }

  async function commitLeased(assignment: Assignment, place: Place, outputs: readonly NewRecord[]): Promise<void> {
    const until = deadline()
    for (;;) {
      const lease = leaseOf(assignment)
      try {
        return await store(lease, place, outputs, until)
      } catch (error) {
        if (isRebalancing(error) && performance.now() < until) {
          working = false
          membership.rejoin()
          handedOver.raise()
          await sleep(REJOIN_PAUSE_MS)
          await membership.joined(until)
          continue
        }
        if (!isFenced(error) && !isExpelled(error)) throw asUnavailable(error as Error)
        // It may be ours again by now, or still: then it is read again from what is committed.
        if (leaseAt(assignment) === lease) drop(`${names.topic(assignment.topic)}/${assignment.partition}`)
        membership.rejoin()
        throw new Revoked(`${assignment.topic}/${assignment.partition} has gone to another member`)
      }
    }
  }

  await membership.joined(performance.now() + FIRST_JOIN_MAX_MS)

  return {
    async poll({ maxRecords, maxWaitMs }) {
      const until = performance.now() + maxWaitMs
      working = false
      handedOver.raise()
      for (;;) {
        if (closed) return null
        throwIfUnavailable()
        const taken = fetcher.take(maxRecords)
        if (taken) {
          working = true
          return { ...taken, assignment: leaseAt(taken)!.assignment }
        }
        if (performance.now() >= until) return null
        await fetcher.arrival(Math.min(until - performance.now(), timeoutMs))
      }
    },
    assigned: () => [...leases.values()].map(({ assignment }) => assignment),
    isMember: () => !closed && membership.isSettled(),
    seek(assignment, offset) {
      const { topic, partition } = assignment
      if (leaseAt(assignment)?.assignment === assignment) fetcher.seek(topic, partition, offset)
    },
    refuse(assignment) {
      const { topic, partition } = assignment
      if (leaseAt(assignment)?.assignment !== assignment) return
      fetcher.pause(topic, partition)
      membership.refuse(`${names.topic(topic)}/${partition}`)
    },
    async commit(assignment, place, outputs = []) {
      leaseOf(assignment)
      if (place.metadata.length > METADATA_MAX_CHARS) {
        throw new RangeError(
          `The metadata of a commit has ${place.metadata.length} of ${METADATA_MAX_CHARS} characters`,
        )
      }
      checkedBytes(outputs)
      await commitLeased(assignment, place, outputs)
    },
    async close() {
      if (closed) return
      closed = true
      handedOver.raise()
      leases.clear()
      fetcher.close()
      await membership.leave()
      await link.close()
    },
  }
}

function asUnavailable(error: Error): Error {
  if (error instanceof LogUnavailable || error instanceof Revoked) return error
  return new LogUnavailable(`Kafka has not taken the commit: ${error.message}`)
}
