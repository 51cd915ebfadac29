import { startStopwatch } from '../stopwatch.ts'

const ROUNDS = 9
const OBJECTS = 2_000
const PASSES = 20

/**
 * The processor time of a fixed piece of work, in milliseconds: how fast this machine is at the moment. On a shared machine it may
 * double within minutes although nothing else runs.
 */
export function paceMs(): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const spent = startStopwatch()
    work()
    return spent().threadCpuMs
  })
  return rounds.sort((a, b) => a - b)[(ROUNDS - 1) / 2]!
}

/** Similar to the program's work: many small objects, converted through JSON and counted in a map. */
function work(): void {
  const sums = new Map<string, number>()
  for (let pass = 0; pass < PASSES; pass++) {
    const made = Array.from({ length: OBJECTS }, (_, i) => ({
      id: `${(i * 7) % 997}-${pass}`,
      price: i * 3.1,
      tags: ['a', `${i}`],
    }))
    const read = JSON.parse(JSON.stringify(made)) as typeof made
    for (const { id, price } of read) sums.set(id, (sums.get(id) ?? 0) + price)
  }
}
