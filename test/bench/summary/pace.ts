import { startStopwatch } from '../stopwatch.ts'

const ROUNDS = 9
const OBJECTS = 2_000
const PASSES = 20

/**
 * Processor time of a fixed piece of work, milliseconds: what this machine's processors do at the moment. Those of a shared machine
 * may take twice as long within minutes, though nothing else runs on it.
 */
export function paceMs(): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const spent = startStopwatch()
    work()
    return spent().threadCpuMs
  })
  return rounds.sort((a, b) => a - b)[(ROUNDS - 1) / 2]!
}

/** As the program: many small objects, through JSON, counted in a map. */
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
