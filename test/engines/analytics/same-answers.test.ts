import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { views } from '../../../infra/analytics/views.ts'
import { reportDimensions, reportMetrics } from '../../../schemas/http/panel/reports/reports.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import type { AttributionModel } from '../../../services/domain/attribution/credit.ts'
import { reportsApp } from '../../../services/registry/reports/app.ts'
import { tries } from '../../effort.ts'
import { factsOf } from '../../services/registry/reports/facts/facts.ts'
import { store } from '../../services/registry/reports/facts/stored.ts'
import { openWorld as openReports } from '../../services/registry/reports/world.ts'
import {
  campaign,
  emission,
  HOUR,
  pageView,
  purchase,
  returned,
  shop,
  T0,
  touch,
} from '../../streams/attribution/events.ts'
import type { Happening } from '../../streams/attribution/happenings.ts'
import { openWorld, SMALL_PARTS } from '../../streams/attribution/world.ts'
import { addresses, removeDatabase, testNamespace } from '../addresses.ts'

const options = { url: addresses.clickhouseUrl, namespace: testNamespace() }
const folder = mkdtempSync(join(tmpdir(), 'same-answers-'))
let engines: Analytics[]
beforeAll(async () => {
  await migrateClickHouse(options)
  engines = [await openEmbeddedAnalytics({ folder }), connectClickHouse(options)]
})
afterAll(async () => {
  await removeDatabase(options.url, options.namespace)
  for (const engine of engines) await engine.close()
  rmSync(folder, { recursive: true })
})

const TOUCHES = 2_500
const PURCHASES = 500
const PEOPLE = 150
const STEPS = 4
/** By these the first step is a past of some parts and slices. */
const LIMITS = { ...SMALL_PARTS, partLines: 100, partSliceLines: 25, otherTouches: 50 }
/** Of the facts that reports count. */
const SEEDS = tries([1], [1, 2, 3])
const models: AttributionModel[] = ['LAST_TOUCH', 'FIRST_TOUCH', 'LINEAR', 'TIME_DECAY', 'POSITION']

/** Many people who see, click, change devices and buy, over four weeks. The same seed gives the same history. */
function history(seed: number): Happening[] {
  const random = sequence(seed).next
  const below = (n: number) => Math.floor(random() * n)
  const person = () => {
    const n = below(PEOPLE)
    return { cid: `c${n}-${below(2)}`, uid: random() < 0.3 ? `u${n % 40}` : null }
  }
  const at = () => T0 + below(28 * 24) * HOUR
  const product = () => `p${below(60)}`
  const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const happenings: Happening[] = [
    ...times(TOUCHES, (n) => ({
      topic: 'judged-events' as const,
      value: touch({
        ...person(),
        eventId: `e${n}`,
        type: random() < 0.3 ? 'CLICK' : 'VIEW',
        verdict: random() < 0.9 ? 'VALID' : 'BOT',
        at: at(),
        adId: product(),
        itemGroupId: random() < 0.3 ? `g${below(10)}` : null,
        campaignId: `k${below(8)}`,
      }),
    })),
    ...times(PURCHASES, (n) => ({
      topic: 'transactions' as const,
      value: purchase({
        ...person(),
        // Some order ids occur with two contents.
        eventId: `o${n % (PURCHASES - 50)}`,
        kind: random() < 0.7 ? 'PURCHASE' : 'CART',
        at: at(),
        imported: random() < 0.05,
        products: times(1 + below(4), product),
        proof: random() < 0.3 ? 'SIGNED' : 'ANONYMOUS',
      }),
    })),
    ...times(40, (n) => ({
      topic: 'transaction-returns' as const,
      value: returned({
        returnId: `r${n}`,
        eventId: `o${below(PURCHASES - 50)}`,
        at: at(),
        lines:
          n % 4 === 0
            ? []
            : [
                [product(), 1],
                [product(), 2],
              ],
      }),
    })),
    ...times(200, (n) => ({ topic: 'page-views' as const, value: pageView({ ...person(), id: `v${n}`, at: at() }) })),
    ...times(100, (n) => ({ topic: 'emissions' as const, value: emission({ ...person(), id: `r${n}`, at: at() }) })),
    ...times(60, (n) => ({
      topic: 'item-groups' as const,
      value: { shopId: 'shop', feedId: 'feed', id: `p${n}`, itemGroupId: `g${n % 10}` },
    })),
  ]
  const shuffled = happenings
    .map((each) => ({ each, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each)
  const registry: Happening[] = [
    { topic: 'registry', value: shop({ version: 1, clickWindowHours: 7 * 24, viewWindowHours: 12 }) },
    ...times(8, (n) => ({
      topic: 'registry' as const,
      value: campaign({ id: `k${n}`, version: 1, at: T0, list: times(5, product) }),
    })),
  ]
  const later: Happening[] = [
    { topic: 'registry', value: shop({ version: 2, clickWindowHours: 10 * 24, viewWindowHours: 24 }) },
    { topic: 'registry', value: campaign({ id: 'k1', version: 2, at: T0 + 14 * 24 * HOUR, list: ['p1'] }) },
  ]
  return [...registry, ...shuffled, ...later]
}

/** Rounds weights, because engines may add floating point numbers in another order. */
const rounded = <T extends { weight: number }>(lines: T[]) =>
  lines.map((line) => ({ ...line, weight: Number(line.weight.toFixed(9)) }))

describe('chDB and ClickHouse', () => {
  test('credit the same lines, to the last column, in every model, and explain them alike', async () => {
    const happenings = history(7)
    const answers = []
    for (const engine of engines) {
      const world = await openWorld(engine, 1)
      const step = Math.ceil(happenings.length / STEPS)
      for (let from = 0; from < happenings.length; from += step) {
        await world.store(happenings.slice(from, from + step))
        await world.attribute({ limits: LIMITS })
      }
      const lines = await engine.query<{ outcome: string }>(
        'SELECT * FROM attributed_lines FINAL ORDER BY shopId, kind, eventId, line',
      )
      const weighed = []
      for (const model of models) weighed.push(rounded(await world.whatIf(model, { clickWindowHours: 48 })))
      answers.push({ lines, weighed, explained: await world.explain('o1') })
    }
    expect(answers[0]!.lines.filter(({ outcome }) => outcome === 'CREDITED').length).toBeGreaterThan(100)
    expect(answers[0]!.weighed.every((lines) => lines.length > 50)).toBe(true)
    expect(answers[1]).toEqual(answers[0])
  })

  test('answer reports alike, in any grouping, row by row and in their order, and views', async () => {
    const worlds = await Promise.all(engines.map((engine) => openReports(engine)))
    for (const world of worlds) world.server.register(reportsApp(world))
    const groupings = [
      ...reportDimensions.map((each) => [each]),
      ['day', 'campaign'],
      ['shop', 'adUnit', 'country'],
      [],
    ]
    const conditions = ['', '&shopId=warsaw', '&country=PL', '&algorithm=DISPLAY']
    for (const seed of SEEDS) {
      for (const world of worlds) {
        await world.clear()
        await store(world, factsOf(seed), `reports ${seed}`)
      }
      for (const [at, groupBy] of groupings.entries()) {
        const grouped = groupBy.length > 0 ? `&groupBy=${groupBy.join(',')}` : ''
        const asked = `metrics=${reportMetrics.join(',')}${grouped}${conditions[at % conditions.length]}`
        const path = `/v1/panel/reports?from=2026-01-01&to=2026-12-31&${asked}`
        const [embedded, real] = await Promise.all(worlds.map((world) => world.get(path)))
        expect(embedded!.status, JSON.stringify(embedded!.body)).toBe(200)
        expect(real!.body, path).toEqual(embedded!.body)
      }
      for (const view of Object.keys(views)) {
        const [ofEmbedded, ofReal] = await Promise.all(
          engines.map((engine) => engine.query(`SELECT * FROM ${view} ORDER BY ALL`)),
        )
        expect(ofReal, view).toEqual(ofEmbedded)
      }
    }
    for (const world of worlds) await world.close()
  })
})
