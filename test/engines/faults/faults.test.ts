import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../program.ts'
import { faults, rebuild } from './faults.ts'
import { startLoad } from './load.ts'
import { compare } from './verdict.ts'
import { reported } from './visit.ts'
import { NAMESPACE, openWorld, type Role, roles, type World } from './world.ts'

const RATE = { eventsPerSecond: 400, batchEvents: 20, adsPerRequest: 8 }
/** Of undisturbed load before and after each fault. */
const QUIET_MS = 1_500
const DELIVERED_WITHIN_MS = 90_000
const STORED_WITHIN_MS = 120_000
const POLL_MS = 100
/** Engines start slowly on a busy machine. */
const MENDED_WITHIN_MS = 240_000
const FAULT_TIMEOUT_MS = 600_000

interface Figures {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
}
interface Audit extends Figures {
  topics: (Figures & { topic: string; lagMs: number })[]
}

interface Line {
  fault: string
  acknowledged: number
  stored: number
  duplicates: number
  repeats: number
  'dead letters': number
  'intake away, s': string
  'selection away, s': string
  restarts: string
}

describe('whatever dies under load, what was acknowledged is stored, once', () => {
  let world: World
  const lines: Line[] = []
  const everSent = new Set<string>()

  beforeAll(async () => {
    world = await openWorld()
  }, FAULT_TIMEOUT_MS)
  afterAll(async () => {
    process.stdout.write(`${table(lines)}\n`)
    await world?.remove()
  }, FAULT_TIMEOUT_MS)

  it.each(faults)(
    '$name',
    async (fault) => {
      await world.heal()
      const before = restarts()
      const from = Date.now()
      const { urlOf, shop, engines } = world
      const load = startLoad(`${from}`, {
        selectionUrl: urlOf('selection'),
        intakeUrl: urlOf('intake'),
        shopId: shop.shopId,
        slotHash: shop.slotHash,
        ...RATE,
      })
      await pause(QUIET_MS)
      const late = pause(MENDED_WITHIN_MS).then(() => 'not mended in time')
      const mended = fault.run(world).then(() => 'mended')
      const outcome = await Promise.race([mended, late]).catch((error: Error) => error.message)
      await pause(QUIET_MS)
      const result = await load.finish(DELIVERED_WITHIN_MS)

      for (const name of result.ledger.entries.keys()) everSent.add(name)
      const verdict = await eventually(
        () => compare(result.ledger, { url: engines.clickhouseUrl, database: NAMESPACE, from }),
        ({ missing }) => missing.length === 0,
      )
      const unwritten = await eventually(unwrittenByRole, isAllWritten)
      const audited = await eventually(audit, isSettled)

      const { acknowledged, stored, duplicates, missing, repeats } = verdict
      const after = restarts()
      const restarted = mapRoles((role) => after[role] - before[role])
      lines.push({
        fault: fault.name,
        acknowledged: result.ledger.acknowledgedCount(),
        stored,
        duplicates: duplicates.length + audited.duplicates,
        repeats,
        'dead letters': audited.deadLetters,
        'intake away, s': seconds(result.intakeOutageMs),
        'selection away, s': seconds(result.selectionOutageMs),
        restarts: roles.flatMap((role) => (restarted[role] > 0 ? `${role} ${restarted[role]}` : [])).join(', '),
      })
      expect(outcome).toBe('mended')
      expect(unwritten).toEqual(NOTHING)
      expect(audited).toMatchObject({ stored: audited.logged, duplicates: 0, deadLetters: 0 })
      expect({ missing, duplicates, wrongAnswers: result.wrongAnswers.slice(0, 5) }).toEqual({
        missing: [],
        duplicates: [],
        wrongAnswers: [],
      })
      expect(acknowledged).toBe(result.ledger.entries.size)
      for (const role of roles)
        expect(restarted[role], `restarts of ${role}`).toBeLessThanOrEqual(fault.restarts?.[role] ?? 0)
    },
    FAULT_TIMEOUT_MS,
  )

  it(
    'reports each event once, however often it was sent and stored',
    async () => {
      await world.heal()
      expect(await settledReport()).toEqual(reported(everSent))
    },
    FAULT_TIMEOUT_MS,
  )

  it(
    'replays every projection from the log to what it was',
    async () => {
      expect(await eventually(unwrittenByRole, isAllWritten)).toEqual(NOTHING)
      const before = await eventually(audit, isSettled)
      expect(before.stored).toBe(before.logged)
      for (const role of roles) await world.programs[role].stop()
      expect(await rebuild(world)).toContain('Every projection is as it was.')
      await world.heal()
      expect(figuresOf(await audit())).toEqual(figuresOf(before))
      expect(await settledReport()).toEqual(reported(everSent))
    },
    FAULT_TIMEOUT_MS,
  )

  /** Events on its disk and emissions in its memory that each program has yet to write to the log. */
  async function unwrittenByRole(): Promise<Record<Role, number>> {
    const gauges = await Promise.all(
      roles.map(async (role) => {
        const metrics = await (await world.programs[role].ready()).metrics()
        const gauge = (name: string) => Number(new RegExp(`^endcap_${name} (\\d+)$`, 'm').exec(metrics)?.[1])
        return [role, gauge('spool_records') + gauge('emission_queue_records')]
      }),
    )
    return Object.fromEntries(gauges)
  }

  const audit = () => must(world.call<Audit>('GET', '/v1/panel/audit'))

  /** Once it says what it must, or as it is after a while. */
  async function settledReport() {
    const day = 86_400_000
    const [from, to] = [-day, day].map((ms) => new Date(Date.now() + ms).toISOString())
    const path = `/v1/panel/reports?shopId=${world.shop.shopId}&from=${from}&to=${to}&metrics=views,clicks,purchases`
    const totals = async () => {
      const { views, clicks, purchases } = (
        await must(world.call<{ totals: ReturnType<typeof reported> }>('GET', path))
      ).totals
      return { views, clicks, purchases }
    }
    return eventually(totals, (each) => isDeepStrictEqual(each, reported(everSent)))
  }

  const restarts = () => mapRoles((role) => world.programs[role].restarts())
})

/** What is read once it is as awaited, or as it is `STORED_WITHIN_MS` later. A read that fails is tried again until then. */
async function eventually<T>(read: () => Promise<T>, isAwaited: (value: T) => boolean): Promise<T> {
  const end = performance.now() + STORED_WITHIN_MS
  for (;;) {
    const isLast = performance.now() > end
    const value = await read().catch((error) => {
      if (isLast) throw error
      return null
    })
    if (value !== null && (isLast || isAwaited(value))) return value
    await pause(POLL_MS)
  }
}
const isSettled = ({ logged, stored, deadLetters }: Figures) => logged === stored + deadLetters
/** Each topic by itself: a difference says where it lies. */
const figuresOf = ({ topics }: Audit) => topics.map(({ lagMs: _, ...figures }) => figures)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const mapRoles = (figureOf: (role: Role) => number) =>
  Object.fromEntries(roles.map((role) => [role, figureOf(role)])) as Record<Role, number>
const NOTHING = mapRoles(() => 0)
const isAllWritten = (unwritten: Record<Role, number>) => isDeepStrictEqual(unwritten, NOTHING)
const seconds = (ms: number) => (ms / 1_000).toFixed(1)

/** Aligned text, for the output of a test run. */
function table(lines: readonly Line[]): string {
  if (lines.length === 0) return 'no fault was tried'
  const rows = [Object.keys(lines[0]!), ...lines.map((line) => Object.values(line).map(String))]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n')
}
