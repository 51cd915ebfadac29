import { isDeepStrictEqual } from 'node:util'
import { must } from '../../program.ts'
import { onceAnswered } from '../../wait-for.ts'
import type { Fault } from './faults.ts'
import { compare, type Verdict } from './verdict.ts'
import { startLoad } from './world/load.ts'
import { reported } from './world/visit.ts'
import { NAMESPACE, type Role, roles, type World } from './world/world.ts'

/** Ten visits a second, each with every kind of event. */
const RATE = { eventsPerSecond: 100, batchEvents: 10, adsPerRequest: 4 }
/** The time of undisturbed load before and after each fault. */
const QUIET_MS = 1_000
const DELIVERED_WITHIN_MS = 90_000
const STORED_WITHIN_MS = 120_000
/** Each reading of the audit or the report is work for Kafka and ClickHouse. */
const POLL_MS = 300
/** A long time, because up to seven faults run in turn, and engines start slowly on a busy machine. */
const MENDED_WITHIN_MS = 480_000
const DAY_MS = 86_400_000

type Report = ReturnType<typeof reported>

export interface Figures {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
}
export interface Audit extends Figures {
  topics: (Figures & { topic: string; lagMs: number })[]
}

/** The effect of one fault on the events that were sent during it, whatever an earlier fault may have left behind. */
export interface Trial {
  /** `mended`, or why it was not repaired. */
  outcome: string
  sent: number
  acknowledged: number
  verdict: Verdict
  /** The increase in what the log and the tables hold. */
  audited: Figures
  /** The increase in the report's figures, and what it must be. */
  report: { found: Report; expected: Report }
  /** The records that each program has not written to the log yet. */
  unwritten: Record<Role, number>
  restarts: Record<Role, number>
  wrongAnswers: string[]
  intakeOutageMs: number
  selectionOutageMs: number
  /** The time from the repair until everything that was sent is stored, judged and in the report. */
  settledMs: number
}

/** Runs a fault under load, and measures its effect once everything has settled. */
export async function tryFault(world: World, fault: Fault): Promise<Trial> {
  await world.heal()
  const before = {
    audit: await eventually(() => auditOf(world), isSettledBeside(NO_FIGURES)),
    report: await onceAnswered(() => reportOf(world)),
    restarts: restartsOf(world),
  }
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
  const mendedAt = performance.now()
  await pause(QUIET_MS)
  const { ledger, ...result } = await load.finish(DELIVERED_WITHIN_MS)

  const verdict = await eventually(
    () => compare(ledger, { url: engines.clickhouseUrl, database: NAMESPACE, from }),
    ({ missing }) => missing.length === 0,
  )
  const unwritten = await eventually(() => unwrittenOf(world), isAllWritten)
  const after = await eventually(() => auditOf(world), isSettledBeside(before.audit))
  const expected = reported(ledger.entries.keys())
  const found = await eventually(
    async () => difference(await reportOf(world), before.report),
    (each) => isDeepStrictEqual(each, expected),
  )
  const settledMs = performance.now() - mendedAt
  const restarts = restartsOf(world)
  return {
    ...result,
    outcome,
    settledMs,
    verdict,
    unwritten,
    sent: ledger.entries.size,
    acknowledged: ledger.acknowledgedCount(),
    audited: difference(totalsOf(after), totalsOf(before.audit)),
    report: { found, expected },
    restarts: mapRoles((role) => restarts[role] - before.restarts[role]),
  }
}

export const auditOf = (world: World) => must(world.call<Audit>('GET', '/v1/panel/audit'))

/** The report of everything that was ever sent. */
export async function reportOf(world: World): Promise<Report> {
  const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString())
  const path = `/v1/panel/reports?shopId=${world.shop.shopId}&from=${from}&to=${to}&metrics=views,clicks,purchases`
  const { views, clicks, purchases } = (await must(world.call<{ totals: Report }>('GET', path))).totals
  return { views, clicks, purchases }
}

/** The records that each program has not written to the log yet: events on its disk and emissions in its memory. */
export async function unwrittenOf(world: World): Promise<Record<Role, number>> {
  const gauges = await Promise.all(
    roles.map(async (role) => {
      const metrics = await (await world.programs[role].ready()).metrics()
      const gauge = (name: string) => Number(new RegExp(`^endcap_${name} (\\d+)$`, 'm').exec(metrics)?.[1])
      return [role, gauge('spool_records') + gauge('emission_queue_records')]
    }),
  )
  return Object.fromEntries(gauges)
}

/** The value once it is as expected, or the one read after `STORED_WITHIN_MS`. Until then a failed read is retried. */
export async function eventually<T>(read: () => Promise<T>, isAwaited: (value: T) => boolean): Promise<T> {
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

const waitingIn = ({ logged, stored, deadLetters }: Figures) => logged - stored - deadLetters
/** Whether nothing waits, except what an earlier fault has lost. */
export const isSettledBeside = (before: Figures) => (now: Figures) => waitingIn(now) <= waitingIn(before)
export const NO_FIGURES: Figures = { logged: 0, stored: 0, duplicates: 0, deadLetters: 0 }

const mapRoles = (figureOf: (role: Role) => number) =>
  Object.fromEntries(roles.map((role) => [role, figureOf(role)])) as Record<Role, number>
export const NOTHING = mapRoles(() => 0)
export const isAllWritten = (unwritten: Record<Role, number>) => isDeepStrictEqual(unwritten, NOTHING)

const restartsOf = (world: World) => mapRoles((role) => world.programs[role].restarts())
const totalsOf = ({ logged, stored, duplicates, deadLetters }: Audit): Figures => ({
  logged,
  stored,
  duplicates,
  deadLetters,
})
function difference<T extends object>(after: T, before: T): T {
  const names = Object.keys(after) as (keyof T)[]
  return Object.fromEntries(names.map((name) => [name, Number(after[name]) - Number(before[name])])) as T
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
