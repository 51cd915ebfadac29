import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs from 'kafkajs'
import { within } from '../../../within.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import { type Failure, isExpelled, isRebalancing } from '../client/errors.ts'
import { type JoinAnswer, joinGroupRequest } from '../client/protocol/join-group.ts'
import { createCondition } from '../condition.ts'
import { assignPartitions, decodeSubscriptionData, encodeSubscriptionData, type JoiningMember } from './assignment.ts'

const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol

/** All members of a group must name the same protocol. */
const PROTOCOL = 'sticky-by-topic'
const PROTOCOL_VERSION = 1
const NO_USER_DATA = Buffer.alloc(0)
const HEARTBEAT_MS = 1_000
const HEARTBEAT_TIMEOUT_MS = 3_000
const RETRY_MS = 250
/** How long the group waits for a member to join again before it goes on without it. */
const REBALANCE_TIMEOUT_MS = 10_000
/** Time for the rebalance, and for the broker to answer. */
const JOIN_TIMEOUT_MS = REBALANCE_TIMEOUT_MS + 10_000
const LEAVE_TIMEOUT_MS = 1_000

/** How the coordinator identifies a member. It refuses commits of an older generation. */
export interface MemberIdentity {
  memberId: string
  generation: number
}

export interface MembershipOptions {
  /** For joins, which may wait long, and heartbeats, which must not wait behind an append. */
  client: BrokerClient
  /** For leaving the group, which must work even while a join waits. */
  sharedClient: BrokerClient
  /** Full name. */
  group: string
  /** Full names. */
  topics: readonly string[]
  sessionTimeoutMs: number
  /** Limit for finding the group's coordinator. */
  timeoutMs: number
  /** Resolves when the member may give up partitions: the records polled from them are processed, or had their time to be. */
  readyToMove: () => Promise<void>
  /** Called when the group has gone on without the member, which has lost every partition. */
  onLost: () => void
  /**
   * Called with the partitions that the member reads from now on, as `topic/partition`. Resolves with whether it is prepared to read
   * all of them; it is called again, between heartbeats, until it is.
   */
  onAssigned: (partitions: ReadonlySet<string>) => Promise<boolean>
  /** Called when the member's assignment may have changed, or the member has been prepared for it. */
  onChanged: () => void
}

/** Joins a group, and joins again whenever the group changes, until `leave`. Heartbeats go on while the caller works. */
export function joinGroup(options: MembershipOptions) {
  const { client, sharedClient, group, topics, sessionTimeoutMs } = options
  const coordinator = { groupOf: group }
  const leaving = new AbortController()
  const changed = createCondition()
  let memberId = ''
  let generation = -1
  let owned: ReadonlySet<string> = new Set()
  const refused = new Set<string>()
  let isJoined = false
  let isPrepared = false
  let failing: Failure | null = null
  let lastHeard = performance.now()

  async function join(): Promise<void> {
    // When Kafka is away, this fails earlier than the join would.
    await client.connect(coordinator, performance.now() + options.timeoutMs)
    const deadline = performance.now() + JOIN_TIMEOUT_MS
    const userData = encodeSubscriptionData({ owned, refused })
    const metadata = MemberMetadata.encode({ version: PROTOCOL_VERSION, topics: [...topics], userData })
    const { generation: joinedGeneration, leaderId, members } = await askToJoin(metadata, deadline)
    // In a generation that this member has missed, others may have read and committed the partitions that it believes it owns.
    if (generation >= 0 && joinedGeneration > generation + 1) loseAll()
    const groupAssignment = leaderId === memberId ? await assignAll(members, deadline) : []
    const sync = { groupId: group, generationId: joinedGeneration, memberId, groupAssignment }
    const { memberAssignment } = await client.request(coordinator, 'syncGroup', sync, deadline)
    lastHeard = performance.now()
    const assignment = MemberAssignment.decode(memberAssignment)?.assignment ?? {}
    owned = new Set(Object.entries(assignment).flatMap(([topic, of]) => of.map((partition) => `${topic}/${partition}`)))
    generation = joinedGeneration
    isPrepared = false
  }

  /**
   * Joins under the id that the group knows this member by, or under a new one. The id is kept before the group answers: were a join
   * whose answer is lost repeated under another id, the group would take the first for a member of its own, and give it partitions.
   */
  async function askToJoin(metadata: Buffer, deadline: number) {
    const membership = { group, sessionTimeoutMs, rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS }
    for (;;) {
      const request = joinGroupRequest({ ...membership, memberId, protocol: { name: PROTOCOL, metadata } })
      const answer = await client.send(coordinator, request, deadline)
      ;({ memberId } = answer)
      if (answer.joined) return answer.joined
    }
  }

  /** Assigns the partitions to all members, as the leader of the group. */
  async function assignAll(members: NonNullable<JoinAnswer['joined']>['members'], deadline: number) {
    const joining = members.map(({ memberId, memberMetadata }): JoiningMember => {
      const { topics, userData } = MemberMetadata.decode(memberMetadata)!
      return { id: memberId, topics, ...decodeSubscriptionData(userData) }
    })
    const counts = new Map<string, number>()
    for (const topic of new Set(joining.flatMap(({ topics }) => topics))) {
      counts.set(topic, (await client.leaders(topic, deadline)).size)
    }
    return [...assignPartitions(joining, counts)].map(([id, partitions]) => {
      const assignment = Object.fromEntries(partitions)
      const encoded = MemberAssignment.encode({ version: PROTOCOL_VERSION, assignment, userData: NO_USER_DATA })
      return { memberId: id, memberAssignment: encoded }
    })
  }

  async function heartbeat(): Promise<void> {
    const request = { groupId: group, groupGenerationId: generation, memberId }
    const deadline = performance.now() + HEARTBEAT_TIMEOUT_MS
    await client.request(coordinator, 'heartbeat', request, deadline)
    lastHeard = performance.now()
  }

  async function step(): Promise<void> {
    if (!isJoined) {
      if (owned.size > 0) await options.readyToMove()
      await join()
      isJoined = true
      await prepare()
    }
    await sleep(HEARTBEAT_MS, undefined, { signal: leaving.signal })
    if (isJoined) await heartbeat()
    if (isJoined && !isPrepared) await prepare()
  }

  /** A failure here is retried without joining again, which would move partitions of other members. */
  async function prepare(): Promise<void> {
    try {
      isPrepared = await options.onAssigned(owned)
    } finally {
      changed.notify()
      options.onChanged()
    }
  }

  function loseAll(): void {
    owned = new Set()
    options.onLost()
    options.onChanged()
  }

  function loseMembership(): void {
    generation = -1
    isJoined = false
    loseAll()
  }

  /** @returns whether to wait before the next attempt. */
  function handle(error: Error, begun: number): boolean {
    if (isExpelled(error)) {
      memberId = ''
      loseMembership()
    } else if (isRebalancing(error)) isJoined = false
    else {
      failing ??= { error, since: begun }
      // After such a long silence, the group may have gone on without this member. The id is kept: only the group knows.
      if (generation >= 0 && performance.now() - lastHeard > sessionTimeoutMs) loseMembership()
      return true
    }
    return false
  }

  async function run(): Promise<void> {
    while (!leaving.signal.aborted) {
      const begun = performance.now()
      try {
        await step()
        failing = null
      } catch (error) {
        if (leaving.signal.aborted) break
        const waits = handle(error as Error, begun)
        if (waits) await sleep(RETRY_MS, undefined, { signal: leaving.signal }).catch(() => {})
      }
    }
    if (memberId === '') return
    // If the coordinator is away, go on trying for a session: until then it makes the group wait for this member, which is gone.
    const deadline = performance.now() + sessionTimeoutMs
    const request = { groupId: group, memberId }
    await sharedClient.request(coordinator, 'leaveGroup', request, deadline).catch(() => {})
  }

  const running = run()

  return {
    /** The identity is kept while the member joins again, because the group may still accept it. Null when it is not a member. */
    identity: (): MemberIdentity | null => (generation < 0 ? null : { memberId, generation }),
    /** Whether the member has joined and is prepared, and nothing since requires it to join again. */
    isPrepared: () => isJoined && isPrepared,
    /** Resolves when the member has joined (again), or at the deadline. */
    async joined(deadline: number): Promise<void> {
      while (!isJoined && !leaving.signal.aborted && performance.now() < deadline) {
        await changed.wait(deadline - performance.now())
      }
    },
    /** Makes the member join again, and acquire again the assigned partitions that it has dropped. */
    rejoin() {
      isJoined = false
    },
    /** Makes the group give this partition, `topic/partition`, to another member if one takes it. */
    refuse(partition: string): void {
      if (refused.has(partition)) return
      refused.add(partition)
      isJoined = false
    },
    /** The failure that keeps the member out of the group, or null. */
    failure: () => failing,
    async leave(): Promise<void> {
      leaving.abort()
      changed.notify()
      await within(running, LEAVE_TIMEOUT_MS, () => new Error('The group has not answered')).catch(() => {})
    },
  }
}
