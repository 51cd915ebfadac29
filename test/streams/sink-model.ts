import { type Analytics, AnalyticsFenced, AnalyticsUnavailable, type Fence } from '../../infra/analytics/port.ts'
import {
  type Assignment,
  type EventLog,
  type LogConsumer,
  type LogRecord,
  Revoked,
} from '../../infra/event-log/port.ts'
import { createSink } from '../../streams/sink.ts'
import { bytesOf, keyOf, pageView, T0 } from './attribution-events.ts'
import { fakeLog, logRecord } from './fake-log.ts'

/**
 * Two sinks, one partition and a store, in which nothing happens by itself: a schedule says which of the things that may
 * happen next does. The store behaves as ClickHouse does: an insert is looked at when it begins, its rows become visible some
 * time later and in parts, its answer may be lost, and a restart leaves of it what there is. The log refuses commits of
 * whoever has lost the partition. A process is frozen for as long as the schedule leaves its answers lying.
 */

const TOPIC = 'page-views'
const PARTITION = 0
const RECORDS = 3
const POLLED_MAX = 2
const TICK_MS = 1_000
/** Nobody waits longer for anything; and once all is stored, so long for what may still be done. */
const TICKS_MAX = 20
const TICKS_AFTER_MAX = 1
const LOST_ANSWERS_MAX = 1
const RESTARTS_MAX = 1
/** A schedule that is longer goes round in circles. */
const STEPS_MAX = 500
/** More turns of the microtask queue than any chain of awaits in the sink takes. */
const MICROTASKS = 40
const silent = { info() {}, warn() {}, error() {} }

const records: LogRecord[] = Array.from({ length: RECORDS }, (_, offset) => {
  const view = { topic: TOPIC, value: pageView({ id: `v${offset}`, cid: 'a', uid: null, at: T0 }) } as const
  return logRecord({ topic: TOPIC, key: keyOf(view), value: bytesOf(view) }, PARTITION, offset)
})

/** A request of a process that has not been answered yet. */
interface Call {
  process: number
  name: string
  /** What it does at the server, one after the other. */
  steps: (() => void)[]
  /** What is then answered. */
  outcome: () => unknown
  /** Whether an answer may come now, when all steps are done. */
  isReady: () => boolean
  canLose: boolean
  /** Its process has been told that the answer was lost, and waits for it no more. */
  abandoned: boolean
  resolve(value: unknown): void
  reject(error: Error): void
}

interface Insert {
  fence: Fence
  call: Call
}

/** Something that may happen next, and whose doing it is: a process and its requests, or the world's. */
export interface Action {
  name: string
  actor: number
  /** Who goes on after it. */
  next: number
  run(): void
}

const WORLD = 2

export interface Outcome {
  /** How many rows each record has. */
  rows: number[]
  /** Where the group goes on; null: nowhere yet. */
  committed: number | null
  /** What happened, in order. */
  trace: string[]
}

/** @param choose which of the actions happens next; the first is what happens when nobody interferes. */
export async function runModel(choose: (actions: readonly Action[]) => number): Promise<Outcome> {
  const calls: Call[] = []
  const rows = Array.from({ length: RECORDS }, () => 0)
  const trace: string[] = []
  let time = T0
  let ended = false
  /** The last record comes while the partition moves: the first process cuts its batch without it. */
  let end = RECORDS - 1

  function call(
    process: number,
    name: string,
    options: Partial<Pick<Call, 'steps' | 'outcome' | 'isReady' | 'canLose'>>,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const made = {
      process,
      name,
      steps: [],
      outcome: () => undefined,
      isReady: () => true,
      canLose: false,
      abandoned: false,
      ...options,
    }
    calls.push({ ...made, resolve, reject })
    return { promise, call: calls.at(-1)! }
  }
  function remove(each: Call): void {
    calls.splice(calls.indexOf(each), 1)
  }

  // The log.
  let committed: Assignment['committed'] = null
  let owner: { process: number; assignment: Assignment } | null = null
  const views: ({ assignment: Assignment; position: number } | null)[] = [null, null]

  function assign(process: number): void {
    const assignment = { topic: TOPIC, partition: PARTITION, committed } as const
    owner = { process, assignment }
    views[process] = { assignment, position: committed?.offset ?? 0 }
  }

  /** Who has lost the partition hands over what it had fetched by then. */
  const endFor = (process: number) => (owner?.process === process ? end : RECORDS - 1)

  function consumerOf(process: number): LogConsumer {
    let answeredAt = -1
    return {
      poll: () => {
        const view = () => views[process]
        const hasMore = () => (view()?.position ?? end) < endFor(process)
        return call(process, 'poll', {
          isReady: () => ended || hasMore() || time > answeredAt,
          outcome() {
            answeredAt = time
            const reading = view()
            if (ended || !reading || !hasMore()) return null
            const { assignment, position } = reading
            reading.position = Math.min(endFor(process), position + POLLED_MAX)
            const polled = records.slice(position, reading.position)
            return { topic: TOPIC, partition: PARTITION, assignment, records: polled }
          },
        }).promise as ReturnType<LogConsumer['poll']>
      },
      assigned: () => [],
      seek(assignment, offset) {
        const view = views[process]
        if (view?.assignment === assignment) view.position = offset
      },
      async commit(assignment, place) {
        if (views[process]?.assignment !== assignment) throw new Revoked('it has ended')
        let refused = false
        const { promise } = call(process, `commit ${place.offset} ${place.metadata}`, {
          canLose: true,
          steps: [
            () => {
              refused = owner?.assignment !== assignment
              if (!refused) committed = { topic: TOPIC, partition: PARTITION, ...place }
            },
          ],
          outcome() {
            if (!refused) return
            // From now on it knows, and reads no more of it.
            if (views[process]?.assignment === assignment) views[process] = null
            throw new Revoked('it has gone to another')
          },
        })
        await promise
      },
      refuse: () => {
        throw new Error('every record of this model can be read')
      },
      async close() {},
    }
  }

  function logOf(process: number): EventLog {
    return {
      ...fakeLog(),
      async consumer() {
        // A member that begins anew is given again what it has.
        if (owner?.process === process) assign(process)
        return consumerOf(process)
      },
      read: (_topic, _partition, from, max) =>
        call(process, `read ${from}`, { outcome: () => records.slice(from, Math.min(end, from + max)) })
          .promise as Promise<LogRecord[]>,
    }
  }

  // The store.
  const epochs = new Map<string, number>()
  const running = new Set<Insert>()

  function breakOff(insert: Insert): void {
    running.delete(insert)
    insert.call.steps = []
    insert.call.outcome = () => {
      throw new AnalyticsUnavailable('it was ended')
    }
  }

  function insertCall(process: number, placed: { _offset: number }[], fence: Fence) {
    const show = (some: { _offset: number }[]) => () => {
      for (const { _offset } of some) rows[_offset]! += 1
    }
    const half = placed.length >> 1
    const insert: Insert = { fence, call: null as unknown as Call }
    const { promise, call: made } = call(process, `insert ${placed.map((row) => row._offset)} @${fence.epoch}`, {
      canLose: true,
      steps: [
        () => {
          running.add(insert)
          if ((epochs.get(fence.scope) ?? 0) <= fence.epoch) return
          breakOff(insert)
          made.outcome = () => {
            throw new AnalyticsFenced('a later epoch')
          }
        },
        show(placed.slice(0, half)),
        () => {
          show(placed.slice(half))()
          running.delete(insert)
        },
      ],
    })
    insert.call = made
    return promise
  }

  function analyticsOf(process: number): Analytics {
    return {
      async insert(_table, placed, by) {
        if (!('fence' in by)) throw new Error('the sink inserts under a fence')
        await insertCall(process, placed as { _offset: number }[], by.fence)
      },
      async raiseFences(fences) {
        const [{ scope, epoch }] = fences as [Fence]
        await call(process, `raise @${epoch}`, {
          canLose: true,
          steps: [
            () => epochs.set(scope, Math.max(epoch, epochs.get(scope) ?? 0)),
            () => {
              for (const insert of [...running]) {
                if (insert.fence.scope === scope && insert.fence.epoch < epoch) breakOff(insert)
              }
            },
          ],
        }).promise
      },
      async query<Row extends object>(_sql: string, params: object = {}) {
        const { first, last } = params as { first: number; last: number }
        let found: { _offset: number }[] = []
        const look = () => {
          found = rows.flatMap((count, _offset) =>
            count > 0 && _offset >= first && _offset <= last ? [{ _offset }] : [],
          )
        }
        return (await call(process, `look ${first}-${last}`, { steps: [look], outcome: () => found }).promise) as Row[]
      },
      command: () => Promise.reject(new Error('not part of this model')),
      close: async () => {},
    }
  }

  // What may happen.
  let lost = 0
  let restarts = 0
  let ticks = 0
  /** The partition goes to the other process, and comes back. */
  const moves = [1, 0]

  function actionsOf(each: Call): Action[] {
    const { process, name } = each
    const by = { actor: process, next: process }
    const unavailable = () => each.reject(new AnalyticsUnavailable('the answer was lost'))
    const actions: Action[] = []
    if (each.steps.length > 0) {
      actions.push({ ...by, name: `${process}: ${name}, at the server`, run: () => each.steps.shift()!() })
    } else if (each.isReady()) {
      actions.push({ ...by, name: `${process}: ${name}, answered`, run: () => answer(each) })
    }
    if (each.canLose && lost < LOST_ANSWERS_MAX) {
      const lose = () => {
        lost += 1
        each.canLose = false
        each.abandoned = true
        unavailable()
      }
      actions.push({ ...by, actor: WORLD, name: `${process}: ${name}, answer lost`, run: lose })
    }
    return actions
  }

  function answer(each: Call): void {
    remove(each)
    try {
      each.resolve(each.outcome())
    } catch (error) {
      each.reject(error as Error)
    }
  }

  function worldActions(): Action[] {
    const actions: Action[] = []
    if (isWaiting() && ticks < (isStored() ? TICKS_AFTER_MAX : TICKS_MAX)) {
      const run = () => {
        ticks += 1
        time += TICK_MS
      }
      actions.push({ actor: WORLD, next: owner!.process, name: 'time passes', run })
    }
    if (moves.length > 0) {
      const to = moves[0]!
      actions.push({ actor: WORLD, next: to, name: `${to} gets the partition`, run: () => move(moves.shift()!) })
    }
    if (running.size > 0 && restarts < RESTARTS_MAX) {
      const run = () => {
        restarts += 1
        for (const insert of [...running]) breakOff(insert)
      }
      actions.push({ actor: WORLD, next: WORLD, name: 'the store restarts', run })
    }
    return actions
  }

  function move(to: number): void {
    ticks = 0
    end = RECORDS
    assign(to)
  }

  const isWaiting = () => calls.every((each) => each.steps.length === 0 && !each.isReady())
  const isStored = () => committed?.offset === end && calls.every(({ name }) => name === 'poll')

  async function settle(): Promise<void> {
    for (let turn = 0; turn < MICROTASKS; turn++) await null
    // A sink that begins anew does so after a moment of real time.
    while (!ended && [0, 1].some((process) => !calls.some((each) => each.process === process && !each.abandoned))) {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  assign(0)
  const sinks = [0, 1].map((process) =>
    createSink({
      log: logOf(process),
      analytics: analyticsOf(process),
      now: () => time,
      logger: silent,
      retry: { firstMs: 0, maxMs: 0 },
    }),
  )
  const runs = sinks.map((sink) => sink.run())
  let current = 0
  for (let step = 0; ; step++) {
    await settle()
    const actions = [...calls.flatMap(actionsOf), ...worldActions()]
    if (actions.length === 0) break
    if (step === STEPS_MAX) throw new Error(`no end after ${STEPS_MAX} steps:\n${trace.slice(-40).join('\n')}`)
    // Whoever is at work goes on; then the other process, then the world.
    const ordered = actions.toSorted((a, b) => rank(a, current) - rank(b, current))
    const action = ordered[choose(ordered)]!
    trace.push(action.name)
    current = action.next
    action.run()
  }
  ended = true
  const stopped = Promise.all(sinks.map((sink) => sink.stop()))
  for (let left = [...calls]; left.length > 0; left = [...calls]) {
    for (const each of left) answer(each)
    for (let turn = 0; turn < MICROTASKS; turn++) await null
  }
  await Promise.all([stopped, ...runs])
  return { rows, trace, committed: (committed as Assignment['committed'])?.offset ?? null }
}

function rank({ actor }: Action, current: number): number {
  return actor === WORLD ? WORLD : actor === current ? -1 : actor
}
