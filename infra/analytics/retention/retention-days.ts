import { DAY_MS } from '../../../schemas/durations.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { numbersByName } from '../../settings.ts'
import { VISIT_LOOKBACK_MS } from '../queries/visits.ts'

const DAYS_MAX = 36_500
/** ClickHouse computes when a row expires in seconds of 32 bits, which end in 2106: a later time would be one of long ago. */
const TTL_DAYS_MAX = 10_000
/** Days of visits that the panel shows by default. */
const VISITS_SHOWN_DAYS = 30
/** Days after its ad was served in which a click counts; the ad request must be available for as long. */
const CLICKS_DAYS = 30
/** Days that the list of ad requests shows by default. What is computed from ad requests needs 28. */
const REQUESTS_SHOWN_DAYS = 30

/** A table whose rows may be dropped some days after their `occurredAt`; its readers need them for at least `daysMin` days. */
interface Retained {
  topic: TopicName
  daysMin: number
  daysMax: number
  /** TTL: rows expire. COUNTED_MONTHS: rows are dropped by months, each once report counts cover all of it. */
  by: 'TTL' | 'COUNTED_MONTHS'
}

export const retainedTables = {
  page_views: {
    ...{ topic: 'page-views', by: 'TTL' },
    ...{ daysMin: VISIT_LOOKBACK_MS / DAY_MS + VISITS_SHOWN_DAYS, daysMax: TTL_DAYS_MAX },
  },
  emissions: {
    ...{ topic: 'emissions', by: 'COUNTED_MONTHS' },
    ...{ daysMin: CLICKS_DAYS + REQUESTS_SHOWN_DAYS, daysMax: DAYS_MAX },
  },
} as const satisfies Record<string, Retained>
export type RetainedTable = keyof typeof retainedTables

/** For how many days tables keep their rows. Tables that are not named keep all of them. */
export type RetentionDays = Readonly<Partial<Record<RetainedTable, number>>>

/** Why no retention can be set for the rows of the other topics. */
const reasons: Partial<Record<TopicName, string>> = {
  registry: 'past purchases are credited by the earlier versions of campaigns and shops',
  'item-groups': 'past purchases are credited by it',
  'judged-events': 'reports, corrections and other attribution models read its rows',
  corrections: 'they are part of what was billed',
  transactions: 'reports under other attribution models and later versions of an order need them',
  'transaction-returns': 'they are part of what was sold',
  'feed-issues': 'a run that found its feed unchanged shows the issues of the run that read it',
  'security-events': 'SECURITY_LOG_DAYS sets how long they are kept',
  'empty-searches': 'they are kept for 30 days',
}

/** Reads `topic:days,…`. @param problems gets a sentence for each entry that cannot be used. */
export function readRetentionDays(setting: string, text: string, problems: string[]): RetentionDays {
  const tables = Object.entries(retainedTables) as [RetainedTable, Retained][]
  const named = tables.map(([, { topic }]) => topic).join(', ')
  const wanted = new Map<RetainedTable, number>()
  for (const { name, number: days } of numbersByName(setting, text, 'topic:days', problems)) {
    const [table, retained] = tables.find(([, { topic }]) => topic === name) ?? []
    const reason = reasons[name as TopicName]
    if (!table || !retained) {
      problems.push(`${setting}: only ${named} can be named, not ${name}${reason === undefined ? '' : `: ${reason}`}`)
    } else if (days < retained.daysMin || days > retained.daysMax) {
      problems.push(`${setting}: ${name} must be kept for ${retained.daysMin} to ${retained.daysMax} days, not ${days}`)
    } else if (wanted.has(table)) problems.push(`${setting} names ${name} twice`)
    else wanted.set(table, days)
  }
  return Object.fromEntries(wanted)
}
