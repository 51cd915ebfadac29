import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faults, rebuild } from './faults.ts'
import {
  type Audit,
  auditOf,
  eventually,
  isAllWritten,
  isSettledBeside,
  NO_FIGURES,
  NOTHING,
  reportOf,
  type Trial,
  tryFault,
  unwrittenOf,
} from './trial.ts'
import { openWorld, roles, type World } from './world/world.ts'

const FAULT_TIMEOUT_MS = 900_000

interface Line {
  fault: string
  acknowledged: number
  stored: number
  duplicates: number
  repeats: number
  'dead letters': number
  'intake away, s': string
  'selection away, s': string
  'settled after, s': string
  restarts: string
}

describe('whatever dies under load, what was acknowledged is stored, once', () => {
  let world: World
  const lines: Line[] = []

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
      const trial = await tryFault(world, fault)
      lines.push(lineOf(fault.name, trial))
      const { verdict, audited, restarts } = trial
      expect(trial.outcome).toBe('mended')
      expect(trial.unwritten).toEqual(NOTHING)
      expect(audited).toMatchObject({ stored: audited.logged, duplicates: 0, deadLetters: 0 })
      expect({ ...verdict, wrongAnswers: trial.wrongAnswers.slice(0, 5) }).toMatchObject({
        missing: [],
        duplicates: [],
        wrongAnswers: [],
      })
      expect(verdict.acknowledged).toBe(trial.sent)
      // Each event counts once, however often it was sent and stored.
      expect(trial.report.found).toEqual(trial.report.expected)
      for (const role of roles)
        expect(restarts[role], `restarts of ${role}`).toBeLessThanOrEqual(fault.restarts?.[role] ?? 0)
    },
    FAULT_TIMEOUT_MS,
  )

  it(
    'replays every projection from the log to what it was',
    async () => {
      const isClean = ({ logged, stored, duplicates }: Audit) => logged === stored && duplicates === 0
      const atRest = async () => {
        await world.heal()
        expect(await eventually(() => unwrittenOf(world), isAllWritten)).toEqual(NOTHING)
        return eventually(() => auditOf(world), isSettledBeside(NO_FIGURES))
      }
      const stopAndRebuild = async () => {
        for (const role of roles) await world.programs[role].stop()
        return rebuild(world)
      }
      // Repair first what a fault has broken: this test is about the rebuild.
      if (!isClean(await atRest())) await stopAndRebuild().catch(() => {})
      const before = await atRest()
      const report = await reportOf(world)
      expect(await stopAndRebuild()).toContain('Every projection is as it was.')
      expect(figuresOf(await atRest())).toEqual(figuresOf(before))
      expect(await reportOf(world)).toEqual(report)
    },
    FAULT_TIMEOUT_MS,
  )
})

/** The figures of each topic, so that a difference shows its topic. */
const figuresOf = ({ topics }: Audit) => topics.map(({ lagMs: _, ...figures }) => figures)
const seconds = (ms: number) => (ms / 1_000).toFixed(1)

function lineOf(fault: string, trial: Trial): Line {
  const { verdict, audited, restarts } = trial
  return {
    fault,
    acknowledged: trial.acknowledged,
    stored: verdict.stored,
    duplicates: verdict.duplicates.length + audited.duplicates,
    repeats: verdict.repeats,
    'dead letters': audited.deadLetters,
    'intake away, s': seconds(trial.intakeOutageMs),
    'selection away, s': seconds(trial.selectionOutageMs),
    'settled after, s': seconds(trial.settledMs),
    restarts: roles.flatMap((role) => (restarts[role] > 0 ? `${role} ${restarts[role]}` : [])).join(', '),
  }
}

/** Aligned text, for the output of a test run. */
function table(lines: readonly Line[]): string {
  if (lines.length === 0) return 'no fault was tried'
  const rows = [Object.keys(lines[0]!), ...lines.map((line) => Object.values(line).map(String))]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n')
}
