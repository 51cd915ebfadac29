import type { Analytics } from '../../../infra/analytics/port.ts'

export class Killed extends Error {}

/**
 * A store that a process writes to which dies: before its `dies`th statement, or because its `late`th is held back. What is held
 * reaches the store when it is called, perhaps long after. Statements count from 1; 0: none.
 */
export function faultyStore(analytics: Analytics, { dies, late }: { dies: number; late: number }) {
  let statements = 0
  const held: (() => Promise<void>)[] = []
  const through = (send: () => Promise<void>): Promise<void> => {
    statements++
    if (statements === dies) throw new Killed()
    if (statements !== late) return send()
    held.push(send)
    throw new Killed()
  }
  const store: Analytics = {
    ...analytics,
    insert: async (...given) => through(() => analytics.insert(...given)),
    command: async (...given) => through(() => analytics.command(...given)),
  }
  return { store, held }
}
