import type { Analytics } from '../../../infra/analytics/port.ts'

export class Killed extends Error {}

/**
 * A store for a process that dies, either before its `dies`th statement, or when its `late`th statement is held back. A held
 * statement reaches the store when the test calls it, perhaps much later. Statements count from 1; 0 means none.
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
