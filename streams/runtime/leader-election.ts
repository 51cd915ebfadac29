import { setTimeout as delay } from 'node:timers/promises'
import type { EventLog, LogConsumer } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { StreamLogger } from './stream.ts'

/** Of one partition, so that one member of a group holds it and thereby leads. */
const ELECTION_TOPIC: TopicName = 'registry'
const POLL = { maxRecords: 1_000, maxWaitMs: 500 }
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

/**
 * Stands for the lead among all processes until stopped. The group of the office reads a topic of one partition, and
 * whoever holds it leads. What it reads is of no interest, and it never commits.
 *
 * A process that is cut off from the log learns that another leads only when it can reach the log again: what it does
 * as a leader must need the log, or bear being done twice.
 * @param onChange is told what has changed, one call after the other; the next look waits for it. It must not reject.
 */
export function runForLeader(
  deps: LeaderElectionDeps,
  onChange: (leads: boolean) => Promise<void> | void,
): LeaderElection {
  const { log, name, logger, yields = () => false } = deps
  const stopping = new AbortController()
  let leads = false
  let polling: LogConsumer | null = null

  async function become(leader: boolean): Promise<void> {
    if (leads === leader) return
    leads = leader
    logger.info({ lead: name }, leader ? `leads: ${name}` : `leads no more: ${name}`)
    await onChange(leader)
  }

  async function stand(): Promise<void> {
    const consumer = await log.consumer({ group: `lead.${name}`, topics: [ELECTION_TOPIC] })
    try {
      while (!stopping.signal.aborted) {
        polling = consumer
        await consumer.poll(POLL)
        polling = null
        if (leads && yields()) for (const assignment of consumer.assigned()) consumer.refuse(assignment)
        if (!stopping.signal.aborted) await become(consumer.assigned().length > 0)
      }
      await become(false)
    } finally {
      polling = null
      await consumer.close().catch(() => {})
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await stand().catch(async (err: Error) => {
        logger.warn({ lead: name, err }, 'the log does not say who leads; will ask again')
        await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      })
    }
    await become(false)
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

/** Resolves once this process leads. `lost` resolves when another has taken over, not when the lead was given up. */
export async function awaitLeadership(deps: LeaderElectionDeps): Promise<LeaderElection & { lost: Promise<Error> }> {
  const won = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<Error>()
  let givenUp = false
  const election = runForLeader(deps, (leads) => {
    if (leads) won.resolve()
    else if (!givenUp) lost.resolve(new Error(`another process leads now: ${deps.name}`))
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
