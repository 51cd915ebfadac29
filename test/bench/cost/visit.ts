import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Visited, Visits } from './shoppers.load.ts'

/**
 * A shop's program runs for days, so it is measured after V8 has compiled its code. Before that, a visit takes up to half as much
 * again.
 */
export const WARM_UP = { shoppers: 'early', visitsPerSecond: 100, seconds: 30 }

/** Runs the visits of shoppers in a separate process. */
export async function visit(visits: Visits): Promise<Visited> {
  const shoppers = fork(new URL('./shoppers.load.ts', import.meta.url))
  shoppers.send(visits)
  const [visited] = (await once(shoppers, 'message')) as [Visited]
  return visited
}
