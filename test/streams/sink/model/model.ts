import { countsIn, type StreamCounts } from '../../../../infra/analytics/audit/counts.ts'
import { AnalyticsUnavailable } from '../../../../infra/analytics/port.ts'
import { createSink } from '../../../../streams/sink/sink.ts'
import { T0 } from '../../attribution/events.ts'
import { type Call, createCalls } from './calls.ts'
import { createModelLog } from './log.ts'
import { createModelStore } from './store.ts'

/**
 * Two sinks, one partition and a store, in which nothing happens by itself: a schedule chooses which of the possible actions
 * happens next. A process is frozen for as long as the schedule does not deliver its answers. One request or answer may be lost,
 * and the store may restart once.
 */

const TICK_MS = 1_000
/** The most ticks that may pass while something waits; and after everything is stored, for what may still be done. */
const TICKS_MAX = 20
const TICKS_AFTER_MAX = 1
const LOST_ANSWERS_MAX = 1
const RESTARTS_MAX = 1
/** A longer schedule goes round in circles. */
const STEPS_MAX = 500
const PROCESSES = [0, 1]
const WORLD = PROCESSES.length
const silent = { info() {}, warn() {}, error() {} }

/** Something that may happen next, and its actor: a process with its requests, or the world. */
export interface Action {
  name: string
  actor: number
  /** The actor that goes on after it. */
  next: number
  run(): void
}

export interface Outcome {
  /** The number of rows of each record. */
  rows: number[]
  /** The committed offset of the group; null when nothing is committed. */
  committed: number | null
  /** What the sink has counted up to there. */
  counts: StreamCounts | null
  /** The actions that happened, in order. */
  trace: string[]
}

/** @param choose chooses the action that happens next; the first one is what happens when nobody interferes. */
export async function runModel(choose: (actions: readonly Action[]) => number): Promise<Outcome> {
  let time = T0
  const now = () => time
  const calls = createCalls()
  const log = createModelLog(calls, now)
  const store = createModelStore(calls)
  const trace: string[] = []
  let lost = 0
  let restarts = 0
  let ticks = 0
  /** The partition moves to the other process, and back. */
  const moves = [1, 0]

  function actionsOf(call: Call): Action[] {
    const { process, name } = call
    const by = { actor: process, next: process }
    const actions: Action[] = []
    if (call.steps.length > 0) {
      actions.push({ ...by, name: `${process}: ${name}, at the server`, run: () => call.steps.shift()!() })
    } else if (call.isReady()) {
      actions.push({ ...by, name: `${process}: ${name}, answered`, run: () => calls.answer(call) })
    }
    if (call.canLose && lost < LOST_ANSWERS_MAX) {
      const run = () => {
        lost += 1
        calls.lose(call, new AnalyticsUnavailable('the answer was lost'))
      }
      actions.push({ actor: WORLD, next: process, name: `${process}: ${name}, answer lost`, run })
    }
    return actions
  }

  function actionsOfTheWorld(): Action[] {
    const actions: Action[] = []
    if (isWaiting() && ticks < (isStored() ? TICKS_AFTER_MAX : TICKS_MAX)) {
      const run = () => {
        ticks += 1
        time += TICK_MS
      }
      actions.push({ actor: WORLD, next: log.owner(), name: 'time passes', run })
    }
    const [to] = moves
    if (to !== undefined) {
      const run = () => {
        moves.shift()
        ticks = 0
        log.moveTo(to)
      }
      actions.push({ actor: WORLD, next: to, name: `${to} gets the partition`, run })
    }
    if (store.isInserting() && restarts < RESTARTS_MAX) {
      const run = () => {
        restarts += 1
        store.restart()
      }
      actions.push({ actor: WORLD, next: WORLD, name: 'the store restarts', run })
    }
    return actions
  }

  const isWaiting = () => calls.open.every((call) => call.steps.length === 0 && !call.isReady())
  const isStored = () => log.isCommitted() && calls.open.every(({ name }) => name === 'poll')

  /** Waits until each process waits for an answer. A process that starts again does so after a moment of real time. */
  async function settle(): Promise<void> {
    await microtasks()
    while (!PROCESSES.every(calls.waitsFor)) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  const retry = { firstMs: 0, maxMs: 0 }
  const sinks = PROCESSES.map((process) =>
    createSink({
      log: log.of(process),
      analytics: store.of(process),
      now,
      logger: silent,
      retry,
      gather: async () => {},
    }),
  )
  const runs = sinks.map((sink) => sink.run())
  let current = 0
  for (let step = 0; ; step++) {
    await settle()
    const actions = [...calls.open.flatMap(actionsOf), ...actionsOfTheWorld()]
    if (actions.length === 0) break
    if (step === STEPS_MAX) throw new Error(`no end after ${STEPS_MAX} steps:\n${trace.slice(-40).join('\n')}`)
    // The process at work goes on first, then the other process, then the world.
    const ordered = actions.toSorted((a, b) => rank(a, current) - rank(b, current))
    const action = ordered[choose(ordered)]!
    trace.push(action.name)
    current = action.next
    action.run()
  }
  log.close()
  const stopped = Promise.all(sinks.map((sink) => sink.stop()))
  while (calls.open.length > 0) {
    for (const call of [...calls.open]) calls.answer(call)
    await microtasks()
  }
  await Promise.all([stopped, ...runs])
  const committed = log.committed()
  const counts = committed && countsIn(committed)
  return { rows: store.rows(), committed: committed?.offset ?? null, counts, trace }
}

function rank({ actor }: Action, current: number): number {
  return actor === WORLD ? WORLD : actor === current ? -1 : actor
}

/** Waits until no await can go on. Node looks at the next tick once its queue of microtasks is empty. */
const microtasks = () => new Promise<void>((resolve) => process.nextTick(resolve))
