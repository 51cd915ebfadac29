import { setTimeout as delay } from 'node:timers/promises'
import { type Assignment, type EventLog, type LogConsumer, LogUnavailable } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { StreamLogger } from './stream.ts'

/** A topic of one partition: the member of the group that holds it is the leader. */
const ELECTION_TOPIC: TopicName = 'registry'
/** A poll ends early when the group changes. The wait only bounds how late a leader that `yields` gives way. */
const POLL = { maxRecords: 1_000, maxWaitMs: 5_000 }
const RETRY_MS = 500

export interface LeaderElection {
  /** Gives up leadership once the last `onChange` has resolved. */
  stop(): Promise<void>
}

export interface LeaderElectionDeps {
  log: Pick<EventLog, 'consumer'>
  /** The name of the election: one process leads for each name. */
  name: string
  /** True when this process cannot do all of the work, so that another one should lead if there is any. */
  yields?: () => boolean
  logger: StreamLogger
}

/** RENEWED: this process was out of the group for a while and leads again, so another one may have led in between. */
export type LeadChange = 'WON' | 'RENEWED' | 'LOST'

const changeMessages: Readonly<Record<LeadChange, string>> = {
  WON: 'leads',
  RENEWED: 'leads again after it was out of the group',
  LOST: 'no longer leads',
}

/**
 * Runs for leader among all processes until stopped. Each election has a consumer group on a topic of one partition, and the
 * member that holds the partition leads. It ignores the records that it reads, and never commits.
 *
 * Leadership is lost only to another member. A process that is cut off from the log keeps leading, and learns that another one
 * leads only when it reaches the log again. So the work of a leader must either need the log or tolerate being done twice.
 * @param onChange is called for each change, one call at a time; the next poll waits for it. It must not reject.
 */
export function runForLeader(
  deps: LeaderElectionDeps,
  onChange: (change: LeadChange) => Promise<void> | void,
): LeaderElection {
  const { log, name, logger, yields = () => false } = deps
  const stopping = new AbortController()
  /** The assignment by which this process leads; null while it does not lead. */
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
    if (!isAway) logger.warn({ lead: name, err }, 'the leader could not be determined; will try again')
    isAway = true
    await pause()
  }

  /** Keeps the consumer while the log is unavailable: it recovers by itself, and a new one would have to join the group again. */
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
        // A new consumer may hold the partition before its first poll, so no later change would end that poll early.
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
 * Resolves once this process leads. `lost` resolves when another process has taken over, not after `stop`. It does not tell whether
 * another process led for a while in between: the caller finds that out by other means, such as the fence of an exclusive writer.
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
