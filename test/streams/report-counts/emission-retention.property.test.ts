import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportQuery } from '../../../infra/analytics/queries/report.ts'
import { cutsFor } from '../../../infra/analytics/queries/report-counts.ts'
import { needsOf, type ReportSpec } from '../../../infra/analytics/queries/report-spec.ts'
import { readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import { type ReportQuery, reportDimensions, reportMetrics } from '../../../schemas/http/panel/reports/reports.ts'
import type { Emission } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { planReads, readsRowsBefore } from '../../../services/registry/reports/read-plan.ts'
import { readReportRequest } from '../../../services/registry/reports/request.ts'
import { scopeOf } from '../../../services/registry/reports/scope.ts'
import { specOf } from '../../../services/registry/reports/spec.ts'
import {
  createEmissionRetention,
  type EmissionRetentionDeps,
} from '../../../streams/report-counts/emission-retention.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { tries } from '../../effort.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { rowsOf } from '../../services/registry/reports/facts/stored.ts'
import { openWorld, type World } from '../../services/registry/reports/world.ts'
import { faultyStore, Killed } from './faulty-store.ts'

const DAY_MS = 86_400_000
const OPERATOR = { role: 'OPERATOR', accountId: 'operator' } as Parameters<typeof scopeOf>[1]
/** Later than all facts, so that each of their months is over and was kept for long enough. */
let now = Date.parse('2027-02-01T00:00:00Z')
const DAYS = 60
/** Records of a partition are in the order of their times, except within this span. */
const DISORDER_MS = 7 * DAY_MS

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Stored = { occurredAt: number; requestId: string } & Record<string, unknown>
type Step =
  | { do: 'STORE' | 'REPLAY'; share: number }
  | { do: 'COUNT' | 'FORGET'; dies: number; late: number }
  | { do: 'LAND' }
  | { do: 'MERGE' }

const fault = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ dies: 0, late: 0 }) },
  { weight: 1, arbitrary: fc.record({ dies: fc.integer({ min: 1, max: 8 }), late: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ dies: fc.constant(0), late: fc.integer({ min: 1, max: 8 }) }) },
)
const shareOf = (kind: 'STORE' | 'REPLAY') =>
  fc.record({ do: fc.constant(kind), share: fc.double({ min: 0.1, max: 1, noNaN: true }) })
const faultyStep = (kind: 'COUNT' | 'FORGET') => fault.map((how) => ({ do: kind, ...how }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: shareOf('STORE') },
  { weight: 3, arbitrary: faultyStep('COUNT') },
  { weight: 4, arbitrary: faultyStep('FORGET') },
  { weight: 2, arbitrary: shareOf('REPLAY') },
  { weight: 1, arbitrary: fc.constant({ do: 'LAND' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'MERGE' as const }) },
)

const question: fc.Arbitrary<ReportQuery> = fc
  .record({
    from: fc.constantFrom('2026-01-01', '2026-03-08', '2026-04-01', '2026-03-29T00:45:00Z'),
    to: fc.constantFrom('2026-12-31', '2026-11-01', '2026-10-25T01:10:00Z', '2026-07-15'),
    groupBy: fc.subarray([...reportDimensions], { maxLength: 3 }),
    filters: fc.constantFrom({}, { shopId: 'lordHowe' }, { country: 'PL' }, { productId: 'sku-2' }),
  })
  .map(({ from, to, groupBy, filters }) => ({
    ...{ from, to, ...filters, metrics: reportMetrics.join(',') },
    ...(groupBy.length > 0 && { groupBy: groupBy.join(',') }),
  }))

function specFor(asked: ReportQuery): ReportSpec {
  const request = readReportRequest(asked)
  return specOf(world.snapshot, request, scopeOf(world.snapshot, OPERATOR, request.filters), 100_000)
}

/** Null when the answer would need rows that are gone. */
async function answer(asked: ReportQuery): Promise<object[] | null> {
  const spec = specFor(asked)
  const closedUntil = await readClosedUntil(world.analytics)
  const plans = await planReads(world.analytics, spec, { closedUntil, now })
  if (readsRowsBefore(plans, closedUntil)) return null
  const { sql, params } = reportQuery({ ...spec, plans })
  return world.analytics.query(sql, params)
}

/** Whether counts of whole days are enough for the answer. */
function isCountable({ from, to }: ReportQuery, spec: ReportSpec): boolean {
  const isWhole = [from, to].every((moment) => /^\d{4}-\d\d-\d\d$/.test(moment))
  const cuts = cutsFor(needsOf(spec))
  return isWhole && (spec.dimensions.includes('hour') ? cuts.hour : cuts.day) !== null
}

/** A partition of the log, of which the sink has stored the records before `storedTo`. */
function logOf(records: readonly Stored[], storedTo: () => number): EmissionRetentionDeps['log'] {
  return {
    committed: async () => [{ topic: 'emissions', partition: 0, offset: storedTo(), metadata: '' }],
    bounds: async () => [{ partition: 0, start: 0, end: records.length }],
    read: async (topic, partition, offset) => {
      const { _topic, _partition, _offset, ...value } = records[offset]!
      return [
        { topic, partition, offset, key: 'me', value: encode('Emission', value as unknown as Emission), appendedAt: 0 },
      ]
    },
  }
}

/** Plays a history, and asks a question after each step. @param replays the repeated rows by step, recorded by the first play. */
async function play(seed: number, steps: readonly Step[], asked: readonly ReportQuery[], play: Play) {
  await world.clear()
  const { analytics, snapshot } = world
  const { emissions, judged_events } = rowsOf(factsOf(seed))
  const delay = (row: Stored) => (Number(row.requestId.slice(1)) * 0.37 * DISORDER_MS) % DISORDER_MS
  const records = (emissions as unknown as Stored[]).toSorted(
    (a, b) => a.occurredAt + delay(a) - (b.occurredAt + delay(b)),
  )
  let storedTo = 0
  const log = logOf(records, () => storedTo)
  const held: (() => Promise<void>)[] = []
  const token = (i: number) => `${seed} ${now} ${i}`
  await analytics.insert('judged_events', judged_events, { token: token(-1) })
  const answers: (object[] | null)[] = []
  for (const [i, each] of steps.entries()) {
    now += DAY_MS
    switch (each.do) {
      case 'STORE': {
        const part = records.slice(storedTo, storedTo + Math.ceil((records.length - storedTo) * each.share))
        if (part.length > 0) await analytics.insert('emissions', part, { token: token(i) })
        storedTo += part.length
        break
      }
      case 'REPLAY': {
        const closedUntil = await readClosedUntil(analytics)
        const gone = records.slice(0, storedTo).filter(({ occurredAt }) => occurredAt < closedUntil)
        play.replays[i] ??= gone.slice(0, Math.ceil(gone.length * each.share))
        const rows = play.replays[i]
        if (rows.length > 0) await analytics.insert('emissions', rows, { token: token(i) })
        break
      }
      case 'COUNT':
      case 'FORGET': {
        if (each.do === 'FORGET' && !play.forgets) break
        const faults = faultyStore(analytics, each)
        const deps = { log, analytics: faults.store, snapshot, now: () => now, days: DAYS }
        const turn = each.do === 'COUNT' ? createReportCounts(deps) : createEmissionRetention(deps).turn
        const turns = async () => {
          while (await turn()) {
            // Each turn handles only part of the rows.
          }
        }
        await turns().catch((error) => expect(error).toBeInstanceOf(Killed))
        held.push(...faults.held)
        break
      }
      case 'LAND':
        for (const land of held.splice(0))
          await land().catch((error) => expect(String(error)).toContain('not here yet'))
        break
      case 'MERGE':
        for (const table of ['report_counts', 'report_cells', 'emissions', 'report_closed_quarters'])
          await analytics.command(`OPTIMIZE TABLE ${table} FINAL`)
    }
    // Nothing is closed before this, and the answers after a STORE show what was stored.
    if (i > 1 && each.do !== 'STORE') answers.push(await answer(asked[answers.length % asked.length]!))
  }
  return answers
}

interface Play {
  forgets: boolean
  replays: (readonly Stored[] | undefined)[]
}

const rowsBefore = async (until: number) =>
  (await world.analytics.query<{ n: number }>(`SELECT count() AS n FROM emissions WHERE occurredAt < ${until}`))[0]!.n

describe('a history of which ad requests are forgotten', () => {
  it('has the reports of one that is kept, whatever is stored again, interrupted, delayed or merged', async () => {
    const questions = fc.array(question, { minLength: 4, maxLength: 4 })
    const steps = fc.array(step, { minLength: 4, maxLength: 6, size: 'max' })
    await fc.assert(
      fc.asyncProperty(fc.integer(), steps, questions, async (seed, taken, asked) => {
        const all = [{ do: 'STORE', share: 0.7 } as const, { do: 'COUNT', dies: 0, late: 0 } as const, ...taken]
        const replays: Play['replays'] = []
        const forgotten = await play(seed, all, asked, { forgets: true, replays })
        const kept = await play(seed, all, asked, { forgets: false, replays })
        for (const [i, each] of forgotten.entries()) {
          const question = asked[i % asked.length]!
          if (each === null)
            expect(isCountable(question, specFor(question)), JSON.stringify({ i, question })).toBe(false)
          else expect(each, JSON.stringify({ i, question })).toEqual(kept[i])
        }
      }),
      { numRuns: tries(1, 60), endOnFailure: true },
    )
  })

  it('keeps only the months that are not over for long enough, and refuses what takes rows of the others', async () => {
    await world.clear()
    const { analytics, snapshot } = world
    const { emissions } = rowsOf(factsOf(3))
    const rows = emissions as unknown as Stored[]
    await analytics.insert('emissions', rows, { token: `kept ${now}` })
    const log = logOf(rows, () => rows.length)
    const deps = { log, analytics, snapshot, days: DAYS }
    let at = Date.parse('2026-06-29T12:00:00Z')
    const { turn: forget } = createEmissionRetention({ ...deps, now: () => at })
    const turn = async () => {
      while (await forget()) {
        // Each turn closes one month.
      }
      return readClosedUntil(analytics)
    }
    expect(await turn(), 'nothing is counted').toBe(Number.NEGATIVE_INFINITY)
    const count = createReportCounts({ ...deps, now: () => at })
    while (await count()) {
      // Each turn handles only part of the rows.
    }
    const asked = { from: '2026-01-01', to: '2026-12-31', metrics: 'requests,emissions' }
    const questions = ['day', 'day,campaign', 'hour', 'day,country', 'day,product', 'adUnit,campaign']
    const answers = () => Promise.all(questions.map((groupBy) => answer({ ...asked, groupBy })))
    const before = await answers()
    at += 10 * 60_000
    expect(await turn()).toBe(Date.parse('2026-04-01T00:00:00Z'))
    at = Date.parse('2026-06-30T00:00:00Z')
    expect(await turn(), 'April is over for 60 days').toBe(Date.parse('2026-05-01T00:00:00Z'))
    expect(await rowsBefore(Date.parse('2026-05-01T00:00:00Z'))).toBe(0)
    expect(await rowsBefore(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0)
    expect(await answers()).toEqual(before)
    for (const refused of [
      { ...asked, groupBy: 'product,adUnit' },
      { ...asked, groupBy: 'hour,product' },
      { ...asked, from: '2026-03-28T12:30:00Z' },
    ]) {
      expect(await answer(refused), JSON.stringify(refused)).toBe(null)
      expect(await answer({ ...refused, from: '2026-05-02' })).not.toBe(null)
    }
  })
})
