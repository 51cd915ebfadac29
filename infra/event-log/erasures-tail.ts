import { Erasures } from '../../services/domain/erasure/erasures.ts'
import type { EventLog, Tail } from './port.ts'

/** The erasures in the log, followed from the first call of `known` on. */
export interface ErasuresTail {
  /** Empty until the erasures are known; later ones are added as they come. */
  readonly erasures: Erasures
  /** Resolves once all erasures that are in the log have been read. @throws when the log cannot be read. */
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
