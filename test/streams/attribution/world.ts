import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type AttributionSettings,
  attributionQuery,
  type ShopHas,
  shopHasSql,
} from '../../../infra/analytics/queries/attribution/attribution-query.ts'
import type { Commit } from '../../../infra/event-log/port.ts'
import type { AttributionModel } from '../../../services/domain/attribution/credit.ts'
import { touchesOf } from '../../../services/registry/explain/attribution.ts'
import { ATTRIBUTION_LIMITS, type AttributionDeps, attribute } from '../../../streams/attribution/attribution.ts'
import { storeBatches } from '../../../streams/sink/batch.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { tablesOf } from '../../../streams/sink/rows.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { fakeLog, logRecord } from '../runtime/fake-log.ts'
import { bytesOf, type Happening, keyOf, partitionOf, partitionsOf } from './happenings.ts'

const TABLES = [
  ...Object.values(tablesOf).flatMap((tables) => tables.map(({ table }) => table)),
  'links_by_cid',
  'links_by_uid',
  'touches',
  'transactions_by_person',
  'transactions_by_id',
  'attributed_lines',
  'credited_lines',
  'signal_days',
  'signal_day_positions',
  'phrase_days',
]

/** By these limits even a small past has several parts, a part has several slices, and not all touches of other cids are held in memory. */
export const SMALL_PARTS = { ...ATTRIBUTION_LIMITS, partLines: 20, partSliceLines: 4, otherTouches: 10 }

/** One engine for all tests of a file. Each call empties its tables. */
export function openWorlds(): () => ReturnType<typeof openWorld> {
  let analytics: Analytics
  let epoch = 0
  beforeAll(async () => {
    analytics = await openTemporaryAnalytics()
  })
  afterAll(() => analytics.close())
  return () => openWorld(analytics, epoch++)
}

/** Empty tables into which a test stores events step by step, as if the sink had stored them. */
export async function openWorld(analytics: Analytics, epoch: number) {
  for (const table of TABLES) await analytics.command(`TRUNCATE TABLE ${table}`)
  const log = fakeLog()
  const ends = new Map<string, Commit>()

  return {
    /** Stores more events at once, as the sink does. Each partition gets its share as one batch. */
    async store(happenings: readonly Happening[]) {
      const groups = Map.groupBy(
        happenings,
        (each) => `${each.topic}/${partitionOf(keyOf(each), partitionsOf(each.topic))}`,
      )
      const batches = [...groups].map(([place, group]) => {
        const topic = group[0]!.topic
        const partition = Number(place.split('/')[1])
        const first = ends.get(place)?.offset ?? 0
        const records = group.map((each, i) =>
          logRecord({ topic, key: keyOf(each), value: bytesOf(each) }, partition, first + i),
        )
        ends.set(place, { topic, partition, offset: first + records.length, metadata: '' })
        return { topic, partition, first, last: first + records.length - 1, records, epoch }
      })
      const dead = (await storeBatches(analytics, batches)).flatMap((stored) => stored.dead)
      if (dead.length > 0) throw new Error(dead[0]!.message)
      await log.reset(SINK_GROUP, [...ends.values()])
    },
    attribute: (changed: Partial<AttributionDeps> = {}) => attribute({ log, analytics, runId: randomUUID, ...changed }),
    analytics,
    /** The log with the commits of all groups. */
    log,
    committed: () => log.committed('attribution'),
    /** Sets attribution back to earlier commits, as after a crash before its commit. */
    rewind: (commits: Commit[]) => log.reset('attribution', commits.length === 0 ? null : commits),
    /** Sets the commit of each partition of the sink back, until more is stored. Its rows stay. */
    rewindSink: (offsets: number) =>
      log.reset(
        SINK_GROUP,
        [...ends.values()].map((end) => ({ ...end, offset: Math.max(0, end.offset - offsets) })),
      ),
    /** The lines that a model credits, for all times. */
    async whatIf(model: AttributionModel, windows: Partial<AttributionSettings> = {}) {
      const settings = { model, clickWindowHours: null, viewWindowHours: null, ...windows }
      const scope = { shopId: 'shop', from: 0, to: Number.MAX_SAFE_INTEGER }
      const [has] = await analytics.query<ShopHas>(shopHasSql, scope)
      const { sql, params } = attributionQuery(settings, scope, has!)
      return analytics.query<CreditedLine>(
        `SELECT shopId, kind, eventId, line, match, touchType, touchEventId, campaignId, returnedMicros,
           weight FROM (${sql})
         ORDER BY shopId, kind, eventId, line, touchAt, touchEventId`,
        params,
      )
    },
    explain(eventId: string) {
      return touchesOf(analytics, { shopId: 'shop', eventId })
    },
    lines: () => attributedLines(analytics),
  }
}

/** The lines as attribution has stored them. @throws when reports would see other credit. */
export async function attributedLines(analytics: Analytics): Promise<StoredLine[]> {
  const creditIn = (table: string, condition: string) =>
    analytics.query(
      `SELECT shopId, kind, eventId, line, occurredAt, match, campaignId, accountId, adId, adUnitId, algorithm, country, currency,
         priceMicros, returnedMicros, cid, uid, shopProductId, quantity, returnedQuantity, touchType, touchEventId, touchAt, slotHash
       FROM ${table} FINAL WHERE ${condition} ORDER BY shopId, kind, eventId, line, occurredAt`,
    )
  const reported = await creditIn('credited_lines', 'true')
  expect(reported).toEqual(await creditIn('attributed_lines', "outcome = 'CREDITED'"))
  return analytics.query<StoredLine>(
    `SELECT shopId, kind, eventId, line, cid, shopProductId, outcome, proof, trust, returnedQuantity, returnedMicros,
       match, touchType, touchEventId, campaignId
     FROM attributed_lines FINAL ORDER BY shopId, kind, eventId, line`,
  )
}

export type CreditedLine = Omit<
  StoredLine,
  'outcome' | 'proof' | 'trust' | 'returnedQuantity' | 'cid' | 'shopProductId'
> & {
  weight: number
}

export interface StoredLine {
  shopId: string
  kind: string
  eventId: string
  line: number
  cid: string
  shopProductId: string
  outcome: string
  proof: string
  trust: string
  returnedQuantity: number
  returnedMicros: number
  match: string
  touchType: string
  touchEventId: string
  campaignId: string
}
