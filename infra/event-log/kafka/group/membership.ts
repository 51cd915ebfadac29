import { setTimeout as sleep } from 'node:timers/promises'
import protocol from 'kafkajs/src/consumer/assignerProtocol.js'
import { isExpelled, isRebalancing } from '../client/errors.ts'
import type { Link } from '../client/link.ts'
import { createSignal } from '../signal.ts'
import { assignPartitions, type Candidate, decodeWishes, encodeWishes } from './assignment.ts'

const { MemberMetadata, MemberAssignment } = protocol

/** All members of a group must agree on this name. */
const PROTOCOL = 'sticky-by-topic'
const PROTOCOL_VERSION = 1
const HEARTBEAT_MS = 1_000
const HEARTBEAT_TIMEOUT_MS = 3_000
const RETRY_MS = 250
/** How long the group waits for a member that has not joined again; then it goes on without it. */
const REBALANCE_TIMEOUT_MS = 10_000
/** Beyond what a broker may take: over the rebalance. */
const JOIN_TIMEOUT_MS = REBALANCE_TIMEOUT_MS + 10_000
const LEAVE_TIMEOUT_MS = 1_000

/** What names a member towards the coordinator; a commit with an older one is refused. */
export interface MemberIdentity {
  memberId: string
  generation: number
}

export interface Membership {
  /** What it is to the group; also while it joins again, when the group may still take it. Null: nothing. */
  identity(): MemberIdentity | null
  /** Whether it has joined, and nothing has been heard since that makes it join again. */
  isSettled(): boolean
  /** Resolves when the member has joined (again), or `until`, by `performance.now()`, has passed. */
  joined(until: number): Promise<void>
  /** Joins again, and prepares again for what it is assigned and has dropped. */
  rejoin(): void
  /** The group gives this place, `topic/partition`, to another member if one would have it. */
  refuse(place: string): void
  /** The error that keeps it out of the group, and since when by `performance.now()`. */
  failure(): { error: Error; since: number } | null
  leave(): Promise<void>
}

export interface MembershipOptions {
  /** To join, which may wait long, and for heartbeats, which must not wait behind an append. */
  link: Link
  /** To leave, also while joining waits. */
  control: Link
  /** Full name. */
  group: string
  /** Full names. */
  topics: readonly string[]
  sessionTimeoutMs: number
  /** To find the group's coordinator. */
  timeoutMs: number
  /** Resolves when the member may give partitions up: what was polled from them has been worked or has had its time. */
  readyToMove: () => Promise<void>
  /** The member has lost all that it had, because the group has gone on without it. */
  onLost: () => void
  /** What the member reads from now on, as `topic/partition`; resolves when it is prepared to. */
  onAssigned: (places: ReadonlySet<string>) => Promise<void>
}

/** Joins a group, and again whenever that changes, until left. Heartbeats go on while the caller works. */
export function joinGroup(options: MembershipOptions): Membership {
  const { link, control, group, topics, sessionTimeoutMs } = options
  const target = { groupOf: group }
  const ending = new AbortController()
  const changed = createSignal()
  let memberId = ''
  let generation = -1
  let places: ReadonlySet<string> = new Set()
  const refused = new Set<string>()
  let isSettled = false
  let failing: { error: Error; since: number } | null = null
  let lastHeard = performance.now()

  async function join(): Promise<void> {
    // Not to wait as long as the group may when there is no Kafka to speak to.
    await link.request(target, async () => {}, performance.now() + options.timeoutMs)
    const until = performance.now() + JOIN_TIMEOUT_MS
    const userData = encodeWishes({ owned: places, refused })
    const metadata = MemberMetadata.encode({ version: PROTOCOL_VERSION, topics, userData })
    const answer = await link.request(
      target,
      (broker) =>
        broker.joinGroup({
          groupId: group,
          sessionTimeout: sessionTimeoutMs,
          rebalanceTimeout: REBALANCE_TIMEOUT_MS,
          memberId,
          groupProtocols: [{ name: PROTOCOL, metadata }],
        }),
      until,
    )
    ;({ memberId } = answer)
    // In a generation that it has missed, others may have read and committed what it takes for its own.
    if (generation >= 0 && answer.generationId > generation + 1) loseAll()
    const groupAssignment = answer.leaderId === memberId ? await assignAll(answer.members, until) : []
    const request = { groupId: group, generationId: answer.generationId, memberId, groupAssignment }
    const synced = await link.request(target, (broker) => broker.syncGroup(request), until)
    lastHeard = performance.now()
    const assignment = MemberAssignment.decode(synced.memberAssignment)?.assignment ?? {}
    places = new Set(Object.entries(assignment).flatMap(([topic, of]) => of.map((number) => `${topic}/${number}`)))
    generation = answer.generationId
    await options.onAssigned(places)
  }

  async function assignAll(members: { memberId: string; memberMetadata: Buffer }[], until: number) {
    const candidates = members.map(({ memberId, memberMetadata }): Candidate => {
      const { topics, userData } = MemberMetadata.decode(memberMetadata)
      return { id: memberId, topics, ...decodeWishes(userData) }
    })
    const counts = new Map<string, number>()
    for (const topic of new Set(candidates.flatMap((candidate) => candidate.topics))) {
      counts.set(topic, (await link.leaders(topic, until)).size)
    }
    return [...assignPartitions(candidates, counts)].map(([id, assignment]) => ({
      memberId: id,
      memberAssignment: MemberAssignment.encode({
        version: PROTOCOL_VERSION,
        assignment: Object.fromEntries(assignment),
      }),
    }))
  }

  async function beat(): Promise<void> {
    const identity = { groupId: group, groupGenerationId: generation, memberId }
    await link.request(target, (broker) => broker.heartbeat(identity), performance.now() + HEARTBEAT_TIMEOUT_MS)
    lastHeard = performance.now()
  }

  async function step(): Promise<void> {
    if (!isSettled) {
      if (places.size > 0) await options.readyToMove()
      await join()
      isSettled = true
      changed.raise()
    }
    await sleep(HEARTBEAT_MS, undefined, { signal: ending.signal })
    if (isSettled) await beat()
  }

  function loseAll(): void {
    places = new Set()
    options.onLost()
  }

  function expel(): void {
    memberId = ''
    generation = -1
    isSettled = false
    loseAll()
  }

  /** @returns whether to wait before the next attempt. */
  function takeError(error: Error, begun: number): boolean {
    if (isExpelled(error)) expel()
    else if (isRebalancing(error)) isSettled = false
    else {
      failing ??= { error, since: begun }
      // By now the group has gone on without a member that it has not heard of for so long.
      if (generation >= 0 && performance.now() - lastHeard > sessionTimeoutMs) expel()
      return true
    }
    return false
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const begun = performance.now()
      try {
        await step()
        failing = null
      } catch (error) {
        if (ending.signal.aborted) break
        if (takeError(error as Error, begun))
          await sleep(RETRY_MS, undefined, { signal: ending.signal }).catch(() => {})
      }
    }
    if (memberId === '') return
    const until = performance.now() + LEAVE_TIMEOUT_MS
    await control.request(target, (broker) => broker.leaveGroup({ groupId: group, memberId }), until).catch(() => {})
  }

  const running = run()

  return {
    identity: () => (generation < 0 ? null : { memberId, generation }),
    isSettled: () => isSettled,
    async joined(until) {
      while (!isSettled && !ending.signal.aborted && performance.now() < until) {
        await changed.wait(until - performance.now())
      }
    },
    rejoin() {
      isSettled = false
    },
    refuse(place) {
      if (refused.has(place)) return
      refused.add(place)
      isSettled = false
    },
    failure: () => failing,
    async leave() {
      ending.abort()
      changed.raise()
      await Promise.race([running, sleep(LEAVE_TIMEOUT_MS)])
    },
  }
}
