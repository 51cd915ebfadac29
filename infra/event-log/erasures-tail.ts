import { Erasures } from '../../services/domain/erasure/erasures.ts'
import type { EventLog, Tail } from './port.ts'

/** The erasures in the log, followed from the first time that they are needed. */
export interface ErasuresTail {
  /** Empty until they are known; what comes later is added. */
  readonly erasures: Erasures
  /** Resolves once those in the log are known. @throws when the log cannot be read. */
  known(): Promise<void>
  close(): Promise<void>
}

export function followErasures(log: Pick<EventLog, 'tail'>): ErasuresTail {
  const erasures = new Erasures()
  let following: Promise<Tail> | null = null
  return {
    erasures,
    async known() {
      following ??= log.tail('erasures', (records) => {
        for (const { value } of records) erasures.take(value)
      })
      try {
        await following
      } catch (error) {
        following = null
        throw error
      }
    },
    async close() {
      await following?.then((tail) => tail.close()).catch(() => {})
    },
  }
}
