import { applyStep } from '../../../infra/counters/embedded/step.ts'
import { type Counters, CountersBehind, type Outcome } from '../../../infra/counters/port.ts'

interface Held {
  values: Map<string, { value: number; expiresAt: number | null }>
  outcomes: Map<string, Outcome>
  positions: Map<string, number>
  now: number
}

/** Counters in memory that can be set back to what they once were. */
export interface LossyCounters extends Counters {
  /** How often steps were applied: the points that `loseTo` knows. */
  readonly moments: number
  /** Forgets everything since a moment; 0: everything. */
  loseTo(moment: number): void
}

export function lossyCounters(): LossyCounters {
  let held: Held = { values: new Map(), outcomes: new Map(), positions: new Map(), now: 0 }
  const history: Held[] = [structuredClone(held)]
  const valueAt = (key: string, now: number) => {
    const found = held.values.get(key)
    return found && (found.expiresAt === null || found.expiresAt > now) ? found.value : 0
  }
  const positionOf = (source: string) => held.positions.get(source) ?? -1
  const state = {
    value: (key: string, now: number) => valueAt(`c ${key}`, now),
    set: (key: string, value: number, expiresAt: number | null) => held.values.set(`c ${key}`, { value, expiresAt }),
    takeOnce(key: string, expiresAt: number, now: number) {
      if (valueAt(`o ${key}`, now) > 0) return false
      held.values.set(`o ${key}`, { value: 1, expiresAt })
      return true
    },
    isTaken: (key: string, now: number) => valueAt(`o ${key}`, now) > 0,
  }
  return {
    async apply(steps, progress) {
      if (progress && positionOf(progress.source) < progress.after) throw new CountersBehind('lost')
      const outcomes = steps.map((step) => {
        const position = `${step.source}@${step.offset}`
        if (step.offset > positionOf(step.source)) {
          held.outcomes.set(position, applyStep(step, state))
          held.positions.set(step.source, step.offset)
          held.now = Math.max(held.now, step.now)
        }
        const outcome = held.outcomes.get(position)
        if (outcome === undefined) throw new Error(`no outcome of ${position}`)
        return outcome
      })
      if (progress) held.positions.set(progress.source, Math.max(positionOf(progress.source), progress.upTo))
      history.push(structuredClone(held))
      return outcomes
    },
    read: async (keys) => keys.map((key) => valueAt(`c ${key}`, held.now)),
    agree: async (_name, proposed) => proposed,
    reserve: async () => Promise.reject(new Error('streams hold nothing')),
    positions: async (sources) => sources.map(positionOf),
    clear: async () => loseTo(0),
    close: async () => {},
    get moments() {
      return history.length
    },
    loseTo,
  }

  function loseTo(moment: number): void {
    held = structuredClone(history[moment]!)
    history.length = moment + 1
  }
}
