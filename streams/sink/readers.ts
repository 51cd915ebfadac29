import { within } from '../../infra/within.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'
import { BATCH_AGE_MS } from './fillings.ts'

/** How long the oldest record waits to be stored while nobody reads. Shorter than any lag that an operator should notice. */
const UNREAD_BATCH_AGE_MS = 10_000
/** Who has read is likely to read again within this time. */
const READING_MS = 60_000
/** Readers wait no longer than a record would have without them. When the sink is far behind, they see what there is. */
const CATCH_UP_MAX_MS = UNREAD_BATCH_AGE_MS

/**
 * Decides how soon Analytics follows the log where only this process can read it, because all engines are embedded. What a store
 * and a turn of attribution cost depends little on how many rows they take. So rows come every second only while somebody reads; a first
 * reader waits until the others are there.
 */
export interface Readers {
  batchAgeMs(): number
  /** Call it before a read. Resolves at once while others have been reading lately. @throws when what waits could not be stored yet. */
  arrive(): Promise<void>
}

/** @param catchUp stores everything that waits, and computes what follows from it. */
export function createReaders({ catchUp, now }: { catchUp: () => Promise<void>; now: () => number }): Readers {
  let readAt = Number.NEGATIVE_INFINITY
  let catchingUp: Promise<void> | null = null
  const areReading = () => msSince(readAt, now()) < READING_MS

  return {
    batchAgeMs: () => (areReading() ? BATCH_AGE_MS : UNREAD_BATCH_AGE_MS),
    async arrive() {
      if (!areReading()) {
        const late = () => new Error('Analytics could not catch up with the log yet')
        catchingUp ??= within(catchUp(), CATCH_UP_MAX_MS, late).finally(() => {
          catchingUp = null
        })
      }
      readAt = now()
      await catchingUp
    },
  }
}
