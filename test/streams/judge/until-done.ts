import { CountersBehind, CountersMoved } from '../../../infra/counters/port.ts'

const ATTEMPTS_MAX = 5

/** Retries failed work, as streams do. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !(error instanceof CountersBehind || error instanceof CountersMoved)) throw error
    }
  }
}
