import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Visited, Visits } from './shoppers.load.ts'

/** A shop's program runs for days. Until V8 has compiled what it runs, a visit takes up to half as much again. */
export const WARM_UP = { shoppers: 'early', visitsPerSecond: 100, seconds: 30 }

/** Lets shoppers in a process of their own visit. */
export async function visit(visits: Visits): Promise<Visited> {
  const shoppers = fork(new URL('./shoppers.load.ts', import.meta.url))
  shoppers.send(visits)
  const [visited] = (await once(shoppers, 'message')) as [Visited]
  return visited
}
