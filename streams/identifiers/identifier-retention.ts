import type { Analytics } from '../../infra/analytics/port.ts'
import { endingSteps, endingTables } from '../../infra/analytics/queries/people/ended-identifiers.ts'
import { monthOf } from '../../infra/analytics/retention/closed-months.ts'
import { markEnded, readEndedUntil, settledUntilOf } from '../../infra/analytics/retention/ended-identifiers.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { DAY_MS, MINUTE_MS } from '../../schemas/durations.ts'
import { LOGGED_AFTER_MAX_MS } from '../../schemas/event-times.ts'
import {
  ATTRIBUTION_GROUP,
  type AttributionDeps,
  attribute,
  attributionTopics,
  isOfAttribution,
} from '../attribution/attribution.ts'
import { progressOf } from '../attribution/progress.ts'
import { JUDGE_GROUP } from '../judge/recount/judged-up-to.ts'
import { uncommitted } from '../runtime/lag.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'

/** What credit depends on, by the group that works it. */
const readers = [
  [JUDGE_GROUP, ['ad-events']],
  [SINK_GROUP, attributionTopics],
] as const
/** The store needs some time to change rows. */
const CHANGING_PAUSE_MS = 5_000
/** A month whose purchases cannot be settled yet is tried again after this. */
const WAITING_PAUSE_MS = 10 * MINUTE_MS
/** How often to look for rows that were stored after the identifiers of their time had ended, such as imported orders. */
const LOOK_PAUSE_MS = DAY_MS

export interface IdentifierRetentionDeps extends AttributionDeps {
  /** How many days after its end the identifiers of a month end; null: never. */
  days: number | null
  /** Runs work while attribution does not run. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>
  /** UTC epoch milliseconds. */
  now: () => number
}

export interface IdentifierRetention {
  turn(): Promise<NextTurn>
  /** For how long identifiers have been due to end, as of the last turn; 0 when none are. */
  overdueMs(): number
}

/**
 * Ends the identifiers of people month by month (`retention/ended-identifiers.ts`). Each turn goes by the mark and by what is left,
 * so another process can take over at any point, and doing a step twice changes nothing:
 *
 * 1. Once everything that may concern the purchases to be settled is judged, stored and credited, mark until when identifiers have
 *    ended.
 * 2. Change the rows from before the mark.
 */
export function createIdentifierRetention(deps: IdentifierRetentionDeps): IdentifierRetention {
  const { analytics, days, exclusively, now } = deps
  let overdueMs = 0

  async function turn(): Promise<NextTurn> {
    const at = now()
    const endedUntil = await readEndedUntil(analytics)
    const dueUntil = days === null ? 0 : monthOf(at - days * DAY_MS).start
    const isDue = dueUntil > endedUntil
    overdueMs = isDue ? at - dueUntil - days! * DAY_MS : 0
    if (isDue) {
      if (!(await exclusively(() => settle(deps, dueUntil)))) return { pauseMs: WAITING_PAUSE_MS }
      overdueMs = 0
      return true
    }
    if (endedUntil === 0) return { pauseMs: LOOK_PAUSE_MS }
    return { pauseMs: (await isChanged(analytics, endedUntil)) ? LOOK_PAUSE_MS : CHANGING_PAUSE_MS }
  }

  return { turn, overdueMs: () => overdueMs }
}

/** Call it only while attribution does not run. @returns whether the purchases are settled now. */
async function settle(deps: IdentifierRetentionDeps, until: number): Promise<boolean> {
  const { log, analytics } = deps
  if (!(await isStored(log, settledUntilOf(until) + LOGGED_AFTER_MAX_MS))) return false
  if (!(await isFollowing(log))) return false
  await attribute(deps)
  await markEnded(analytics, until)
  return true
}

/** Whether every record of before that time which credit depends on has been judged and stored. */
async function isStored(log: Pick<EventLog, 'bounds' | 'committed' | 'read'>, before: number): Promise<boolean> {
  for (const [group, topicsOfGroup] of readers) {
    const commits = await log.committed(group)
    for (const topic of topicsOfGroup) {
      for (const { partition, from, end } of await uncommitted(log, topic, commits)) {
        const [waiting] = from < end ? await log.read(topic, partition, from, 1) : []
        if (waiting && waiting.appendedAt < before) return false
      }
    }
  }
  return true
}

/** Whether attribution has credited the past. While nothing is stored, there is none. */
async function isFollowing(log: Pick<EventLog, 'committed'>): Promise<boolean> {
  if (progressOf(await log.committed(ATTRIBUTION_GROUP)).phase === 'FOLLOWING') return true
  return !(await log.committed(SINK_GROUP)).some(({ topic }) => isOfAttribution(topic))
}

/** Asks the store to change what rows from before that time still name. @returns whether nothing was left. */
async function isChanged(analytics: Analytics, until: number): Promise<boolean> {
  if ((await analytics.unfinishedMutations(endingTables)) > 0) return false
  for (const step of endingSteps(until)) {
    let isDone = true
    for (const { countSql, statement } of step) {
      const [left] = await analytics.query<{ rows: number }>(countSql)
      if (left!.rows === 0) continue
      isDone = false
      await analytics.command(statement)
    }
    if (!isDone) return false
  }
  return true
}
