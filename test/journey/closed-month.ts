import { join } from 'node:path'
import { openEmbeddedAnalytics } from '../../infra/analytics/embedded/analytics.ts'
import { type Month, monthOf, readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { Snapshot } from '../../services/domain/snapshot.ts'
import { createEmissionRetention } from '../../streams/report-counts/emission-retention.ts'
import { createReportCounts } from '../../streams/report-counts/report-counts.ts'
import { runToEnd } from '../../streams/runtime/run-to-end.ts'
import { createSink } from '../../streams/sink/sink.ts'
import { must, type Program } from '../program.ts'
import { apply } from '../services/registry/reports/world.ts'
import { emission } from '../streams/attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../streams/attribution/happenings.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 60
const REQUESTS = 20

/** The setting with which a program keeps the month closed. */
export const CLOSING = { ANALYTICS_RETENTION_DAYS: `emissions:${KEPT_DAYS}` }

export interface ClosedMonth extends Month {
  requests: number
}

/** Gives a shop of `openShop` ad requests from long ago, and closes their month, in a data folder that no program is using. */
export async function closeMonth(dataFolder: string, shopId: string): Promise<ClosedMonth> {
  const month = monthOf(Date.now() - 4 * KEPT_DAYS * DAY_MS)
  const log = await openEmbeddedEventLog({ folder: join(dataFolder, 'log') })
  const analytics = await openEmbeddedAnalytics({ folder: join(dataFolder, 'analytics') })
  const snapshot = new Snapshot()
  apply(snapshot, 'Shop', shopId, { timeZone: 'Europe/Berlin', currency: 'EUR' })
  const happenings = Array.from({ length: REQUESTS }, (_, n): Happening => {
    const at = month.start + (n + 1) * DAY_MS
    return { topic: 'emissions', value: emission({ id: `long-ago-${n}`, shopId, cid: 'long-ago', uid: null, at }) }
  })
  await log.append(happenings.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
  const logger = { info() {}, warn() {}, error() {} }
  const deps = { log, analytics, snapshot, days: KEPT_DAYS, now: Date.now, logger }
  await runToEnd(createSink(deps))
  for (const turn of [createReportCounts(deps), createEmissionRetention(deps).turn]) {
    while (await turn()) {
      // Each turn handles only part of the rows.
    }
  }
  const closedUntil = await readClosedUntil(analytics)
  await log.close()
  await analytics.close()
  if (closedUntil !== month.end) throw new Error(`closed until ${closedUntil} in place of ${month.end}`)
  return { ...month, requests: REQUESTS }
}

/** What a program reports about the month: the number of ad requests, and the time up to which single requests are forgotten, if any. */
export async function answersOfClosed(program: Pick<Program, 'call'>, shopId: string, { start, end }: Month) {
  const [from, to] = [start, end].map((at) => new Date(at).toISOString())
  const report = `/v1/panel/reports?shopId=${shopId}&from=${from}&to=${to}&metrics=requests`
  const { totals } = await must(program.call<{ totals: { requests: number } }>('GET', report))
  const one = await program.call<{ detail?: string }>('GET', '/v1/panel/explain/emission/long-ago-0')
  return { ...totals, forgottenUntil: one.body.detail?.match(/from before (\S+) are forgotten/)?.[1] ?? null }
}
