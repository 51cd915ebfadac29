import { setTimeout as sleep } from 'node:timers/promises'
import type { TopicName } from '../../../../schemas/topics.ts'
import { sentTogether, sharedNext } from '../../../together.ts'
import {
  type Assignment,
  type LogConsumer,
  LogUnavailable,
  METADATA_MAX_CHARS,
  type NewRecord,
  type OffsetAndMetadata,
  Revoked,
} from '../../port.ts'
import { checkedBytes } from '../../record-check.ts'
import { type BrokerClient, unavailable } from '../client/broker-client.ts'
import { isExpelled, isFenced, isRebalancing } from '../client/errors.ts'
import { createCondition } from '../condition.ts'
import type { ProducerOptions } from '../produce/produce.ts'
import { openTransactionalWriter, type TransactionalWriter } from '../produce/transaction.ts'
import { createFetcher } from '../read/fetcher.ts'
import type { LogReader } from '../read/reader.ts'
import { joinGroup, type MemberIdentity } from './membership.ts'

/** When the group changes while the caller works on a batch, the caller has this long to finish it before the partition moves. */
const HAND_OVER_MAX_MS = 1_000
/** A new member waits this long to join its group. If that takes longer, its first polls go on waiting. */
const FIRST_JOIN_MAX_MS = 3_000
const REJOIN_PAUSE_MS = 50
/** Commits of one request. Each has up to 4,000 characters of metadata. */
const COMMITS_MAX = 100

/** A partition that this member owns, and the writer that fences its earlier owners. */
interface OwnedPartition {
  assignment: Assignment
  writer: TransactionalWriter
}

/** What a commit without outputs stores. `topic` is a full name. */
interface OffsetToStore extends OffsetAndMetadata {
  topic: string
  partition: number
  deadline: number
}

/** `client` is shared by the whole log. */
export interface ConsumerOptions extends ProducerOptions {
  /** For the fetches of this consumer alone, because they wait long. */
  fetchClient: BrokerClient
  /** For its membership alone: a join waits even longer, and requests behind it would take the broker for dead. */
  groupClient: BrokerClient
  reader: LogReader
  group: string
  topics: readonly TopicName[]
  sessionTimeoutMs: number
  /** Limit of a commit. Polls fail, too, once Kafka has been unavailable for this long. */
  timeoutMs: number
}

/**
 * A member of a group. Once a partition has gone to another member, this member's commits of it are refused. The consumer refuses
 * them itself, because a commit names the assignment under which its records were read. While the consumer does not know of the move
 * yet, the brokers refuse them: they check member and generation and, for a commit with outputs, also the epoch of the partition's
 * transactional id. A member that gets a partition takes over that id before it reads the group's commit, so that nothing of a
 * frozen member becomes visible afterwards.
 */
export async function openConsumer(options: ConsumerOptions): Promise<LogConsumer> {
  const { client, fetchClient, groupClient, names, reader, group, topics, timeoutMs } = options
  const groupId = names.group(group)
  const fetcher = createFetcher({ client: fetchClient, names, reader })
  const owned = new Map<string, OwnedPartition>()
  const handedOver = createCondition()
  let isWorking = false
  /** Whether the assignments may have changed since the last poll. */
  let hasChanged = false
  let closed = false

  const deadlineFromNow = () => performance.now() + timeoutMs
  const keyOf = ({ topic, partition }: { topic: TopicName; partition: number }) => `${names.topic(topic)}/${partition}`

  function parseKey(key: string): { topic: TopicName; partition: number } {
    const slash = key.lastIndexOf('/')
    return { topic: names.topicOf(key.slice(0, slash))!, partition: Number(key.slice(slash + 1)) }
  }

  async function readyToMove(): Promise<void> {
    const deadline = performance.now() + HAND_OVER_MAX_MS
    while (isWorking && !closed && performance.now() < deadline) await handedOver.wait(deadline - performance.now())
  }

  function drop(key: string): void {
    const lost = owned.get(key)
    if (!lost) return
    owned.delete(key)
    fetcher.remove(lost.assignment.topic, lost.assignment.partition)
  }

  const committedNow = sharedNext(async () => {
    const commits = await reader.committed(group, deadlineFromNow())
    return new Map(commits.map((commit) => [keyOf(commit), commit]))
  })
  const startsNow = new Map(topics.map((topic) => [topic, sharedNext(() => reader.starts(topic, deadlineFromNow()))]))

  /**
   * Fences the earlier owners first and reads the group's commit afterwards, so that no earlier owner can still change it. Partitions
   * that are fenced while the commits are being read for others share the next read.
   */
  async function acquire({ topic, partition }: { topic: TopicName; partition: number }): Promise<void> {
    const key = keyOf({ topic, partition })
    const writer = await openTransactionalWriter(options, names.committer(group, topic, partition), deadlineFromNow())
    const committed = (await committedNow()).get(key) ?? null
    const from = committed?.offset ?? (await startsNow.get(topic)!()).get(partition)!
    owned.set(key, { assignment: { topic, partition, committed }, writer })
    fetcher.add(topic, partition, from)
  }

  /**
   * Acquires each partition on its own: one whose last transaction waits for a frozen broker does not delay the others.
   * @returns whether all are acquired. @throws when one is not and the member owns none, or on a refusal, which no retry would change.
   */
  async function acquireAll(partitions: { topic: TopicName; partition: number }[]): Promise<boolean> {
    const failures = (await Promise.allSettled(partitions.map(acquire))).flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as Error] : [],
    )
    const refusal = failures.find((error) => !(error instanceof LogUnavailable))
    if (refusal) throw refusal
    if (failures[0] && owned.size === 0) throw failures[0]
    return failures.length === 0
  }

  const membership = joinGroup({
    client: groupClient,
    sharedClient: client,
    group: groupId,
    topics: topics.map(names.topic),
    sessionTimeoutMs: options.sessionTimeoutMs,
    timeoutMs,
    readyToMove,
    onLost() {
      for (const key of [...owned.keys()]) drop(key)
    },
    async onAssigned(keys) {
      for (const key of [...owned.keys()]) if (!keys.has(key)) drop(key)
      const gained = [...keys].filter((key) => !owned.has(key)).map(parseKey)
      return acquireAll(gained)
    },
    onChanged() {
      hasChanged = true
      fetcher.wake()
    },
  })

  function throwIfUnavailable(): void {
    for (const failure of [membership.failure(), fetcher.failure()]) {
      if (failure && performance.now() - failure.since >= timeoutMs) throw unavailable(failure.error)
    }
  }

  /** Null once the assignment has ended. */
  function ownedBy(assignment: Assignment): OwnedPartition | null {
    const found = owned.get(keyOf(assignment))
    return found?.assignment === assignment && !closed ? found : null
  }

  function requireOwned(assignment: Assignment): OwnedPartition {
    const found = ownedBy(assignment)
    if (found) return found
    throw new Revoked(`${assignment.topic}/${assignment.partition} is not assigned to this consumer any more`)
  }

  async function store(
    { assignment, writer }: OwnedPartition,
    { offset, metadata }: OffsetAndMetadata,
    outputs: readonly NewRecord[],
    deadline: number,
  ): Promise<void> {
    const place = { topic: names.topic(assignment.topic), partition: assignment.partition, offset, metadata }
    if (outputs.length === 0) return storeOffset({ ...place, deadline })
    await writer.transact(outputs, { group: groupId, ...requireIdentity(), ...place }, deadline)
  }

  function requireIdentity(): MemberIdentity {
    const identity = membership.identity()
    if (identity) return identity
    throw new Revoked('The consumer is not a member of its group')
  }

  /** Commits of several partitions at once, such as those of the sink, share one request. */
  const storeOffset = sentTogether(async (commits: OffsetToStore[]) => {
    const { memberId, generation: groupGenerationId } = requireIdentity()
    const topics = [...Map.groupBy(commits, ({ topic }) => topic)].map(([topic, of]) => ({
      topic,
      partitions: of.map(({ partition, offset, metadata }) => ({ partition, offset, metadata })),
    }))
    const request = { groupId, memberId, groupGenerationId, topics }
    await client.request({ groupOf: groupId }, 'offsetCommit', request, commits[0]!.deadline)
    return commits.map(() => undefined)
  }, COMMITS_MAX)

  async function commit(
    assignment: Assignment,
    place: OffsetAndMetadata,
    outputs: readonly NewRecord[],
  ): Promise<void> {
    const deadline = deadlineFromNow()
    for (;;) {
      const committing = requireOwned(assignment)
      try {
        return await store(committing, place, outputs, deadline)
      } catch (error) {
        if (isRebalancing(error) && performance.now() < deadline) {
          isWorking = false
          membership.rejoin()
          handedOver.notify()
          await sleep(REJOIN_PAUSE_MS)
          await membership.joined(deadline)
          continue
        }
        if (!isFenced(error) && !isExpelled(error)) throw asUnavailable(error as Error)
        // The partition may still or again belong to this member: then it is acquired and read again.
        const key = keyOf(assignment)
        if (owned.get(key) === committing) drop(key)
        membership.rejoin()
        throw new Revoked(`${assignment.topic}/${assignment.partition} has gone to another member`)
      }
    }
  }

  await membership.joined(performance.now() + FIRST_JOIN_MAX_MS)
  hasChanged = false

  return {
    async poll({ maxRecords, maxWaitMs }) {
      const deadline = performance.now() + maxWaitMs
      isWorking = false
      handedOver.notify()
      for (;;) {
        if (closed) return null
        throwIfUnavailable()
        const taken = fetcher.take(maxRecords)
        const isAnew = hasChanged
        hasChanged = false
        if (taken) {
          isWorking = true
          return { ...taken, assignment: owned.get(keyOf(taken))!.assignment }
        }
        if (isAnew || performance.now() >= deadline) return null
        await fetcher.arrival(Math.min(deadline - performance.now(), timeoutMs))
      }
    },
    assigned: () => [...owned.values()].map(({ assignment }) => assignment),
    isMember: () => !closed && membership.isPrepared(),
    seek(assignment, offset) {
      if (ownedBy(assignment)) fetcher.seek(assignment.topic, assignment.partition, offset)
    },
    refuse(assignment) {
      if (!ownedBy(assignment)) return
      fetcher.pause(assignment.topic, assignment.partition)
      membership.refuse(keyOf(assignment))
    },
    async commit(assignment, place, outputs = []) {
      requireOwned(assignment)
      const { length } = place.metadata
      if (length > METADATA_MAX_CHARS) {
        throw new RangeError(`The metadata of a commit has ${length} of ${METADATA_MAX_CHARS} characters`)
      }
      checkedBytes(outputs)
      await commit(assignment, place, outputs)
    },
    async close() {
      if (closed) return
      closed = true
      handedOver.notify()
      owned.clear()
      fetcher.close()
      await membership.leave()
      await Promise.all([fetchClient.close(), groupClient.close()])
    },
  }
}

function asUnavailable(error: Error): Error {
  if (error instanceof LogUnavailable || error instanceof Revoked) return error
  return new LogUnavailable(`Kafka did not accept the commit: ${error.message}`)
}
