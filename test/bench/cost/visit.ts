import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Visited, Visits } from './shoppers.load.ts'

/**
 * A shop's program runs for days, so it is measured after V8 has compiled its code. Before that, a visit takes up to half as much
 * again.
 */
export const WARM_UP = { shoppers: 'early', visitsPerSecond: 100, seconds: 30 }

/** Runs the visits of shoppers in a separate process. @throws when it ends before they have. */
export async function visit(visits: Visits): Promise<Visited> {
  const shoppers = fork(new URL('./shoppers.load.ts', import.meta.url))
  shoppers.send(visits)
  const ended = once(shoppers, 'exit').then(([code]) => {
    throw new Error(`The process of the shoppers has ended with ${code}`)
  })
  const [visited] = (await Promise.race([once(shoppers, 'message'), ended])) as [Visited]
  return visited
}
