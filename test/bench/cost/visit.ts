import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Visited, Visits } from './shoppers.load.ts'

/** Lets shoppers in a process of their own visit. */
export async function visit(visits: Visits): Promise<Visited> {
  const shoppers = fork(new URL('./shoppers.load.ts', import.meta.url))
  shoppers.send(visits)
  const [visited] = (await once(shoppers, 'message')) as [Visited]
  return visited
}
