import { setTimeout as delay } from 'node:timers/promises'
import { type Assignment, type EventLog, type LogConsumer, LogUnavailable } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { StreamLogger } from './stream.ts'

/** Of one partition, so that one member of a group holds it and thereby leads. */
const ELECTION_TOPIC: TopicName = 'registry'
/** A poll ends when the group changes. This only bounds how late a leader that `yields` gives way. */
const POLL = { maxRecords: 1_000, maxWaitMs: 5_000 }
const RETRY_MS = 500

export interface LeaderElection {
  /** Gives the lead up, after the last `onChange`. */
  stop(): Promise<void>
}

export interface LeaderElectionDeps {
  log: Pick<EventLog, 'consumer'>
  /** Of the office: one process leads for each name. */
  name: string
  /** True: this process cannot do all of the work, so another one should lead, if there is any. */
  yields?: () => boolean
  logger: StreamLogger
}

/** RENEWED: this process was out of the group for a while and leads again, so another one may have led in between. */
export type LeadChange = 'WON' | 'RENEWED' | 'LOST'

const changeMessages: Readonly<Record<LeadChange, string>> = {
  WON: 'leads',
  RENEWED: 'leads again after a while out of the group',
  LOST: 'leads no more',
}

/**
 * Stands for the lead among all processes until stopped. The group of the office reads a topic of one partition, and
 * whoever holds it leads. What it reads is of no interest, and it never commits.
 *
 * The lead is lost only to another member. A process that is cut off from the log goes on leading, since nobody can be told
 * otherwise, and learns that another leads only when it can reach the log again: what it does as a leader must need the log,
 * or bear being done twice.
 * @param onChange is told what has changed, one call after the other; the next look waits for it. It must not reject.
 */
export function runForLeader(
  deps: LeaderElectionDeps,
  onChange: (change: LeadChange) => Promise<void> | void,
): LeaderElection {
  const { log, name, logger, yields = () => false } = deps
  const stopping = new AbortController()
  /** By which it leads. */
  let held: Assignment | null = null
  let polling: LogConsumer | null = null
  let isAway = false

  async function hold(now: Assignment | null): Promise<void> {
    if (now === held) return
    const change = held === null ? 'WON' : now === null ? 'LOST' : 'RENEWED'
    held = now
    logger.info({ lead: name }, `${changeMessages[change]}: ${name}`)
    await onChange(change)
  }

  const pause = () => delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})

  async function takeError(err: Error): Promise<void> {
    if (!isAway) logger.warn({ lead: name, err }, 'the log does not say who leads; will ask again')
    isAway = true
    await pause()
  }

  /** A consumer finds its own way back to a log that was away: a new one would have to join anew. */
  async function poll(consumer: LogConsumer): Promise<void> {
    polling = consumer
    try {
      await consumer.poll(POLL)
      isAway = false
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      await takeError(error)
    } finally {
      polling = null
    }
  }

  async function stand(): Promise<void> {
    const consumer = await log.consumer({ group: `lead.${name}`, topics: [ELECTION_TOPIC] })
    try {
      while (!stopping.signal.aborted) {
        if (held && yields()) for (const assignment of consumer.assigned()) consumer.refuse(assignment)
        // A new consumer may hold the partition before its first poll, which then has no change to end for.
        if (consumer.isMember()) await hold(consumer.assigned()[0] ?? null)
        await poll(consumer)
      }
      await hold(null)
    } finally {
      await consumer.close().catch(() => {})
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) await stand().catch(takeError)
    await hold(null)
  }

  const ended = loop()
  return {
    async stop() {
      stopping.abort()
      await polling?.close().catch(() => {})
      await ended
    },
  }
}

/**
 * Resolves once this process leads. `lost` resolves when another has taken over, not when the lead was given up. Whether
 * another one has led for a while, its caller finds out by other means, such as the fence of an exclusive writer.
 */
export async function awaitLeadership(deps: LeaderElectionDeps): Promise<LeaderElection & { lost: Promise<Error> }> {
  const won = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<Error>()
  let givenUp = false
  const election = runForLeader(deps, (change) => {
    if (change === 'WON') won.resolve()
    if (change === 'LOST' && !givenUp) lost.resolve(new Error(`another process leads now: ${deps.name}`))
  })
  await won.promise
  return {
    lost: lost.promise,
    stop() {
      givenUp = true
      return election.stop()
    },
  }
}
