import { Readable } from 'node:stream'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { PersonSpec } from '../../../infra/analytics/queries/people/personal-data.ts'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import { Problem } from '../../domain/errors.ts'
import { personalDataDocument } from './personal-data.ts'

/** Each holds a page of rows in memory, and makes the store look through the events of a shop. */
const EXPORTS_PER_ACCOUNT_MAX = 2
const RETRY_AFTER_SECONDS = 30
/** Otherwise a client that reads slowly could keep an export open for ever. */
const EXPORT_TIME_MAX_MS = 10 * MINUTE_MS

export interface PersonalDataExportsDeps {
  analytics: Pick<Analytics, 'query'>
  /** UTC epoch milliseconds. */
  now: () => number
  timeMaxMs?: number
}

export interface PersonalDataExport {
  accountId: string
  person: PersonSpec
  /** Called when the store has answered, before any data is given out. When it fails, so does the export. */
  onAnswer: () => Promise<void>
}

/**
 * Begins exports of people's data: a few of each account at once, each within a limit of time. The stream reads from the store only
 * as fast as it is read itself. It fails when the store does, and when its time is over.
 */
export function createPersonalDataExports({ analytics, now, timeMaxMs = EXPORT_TIME_MAX_MS }: PersonalDataExportsDeps) {
  /** By account; only those with exports under way. */
  const underWay = new Map<string, number>()

  /** @throws Problem RATE_LIMITED. */
  return function begin({ accountId, person, onAnswer }: PersonalDataExport): Readable {
    const others = underWay.get(accountId) ?? 0
    if (others >= EXPORTS_PER_ACCOUNT_MAX) {
      throw new Problem('RATE_LIMITED', `${others} exports of this account are under way, which is the most at once`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    underWay.set(accountId, others + 1)
    const pieces = personalDataDocument(analytics, person, { exportedAt: now() })
    const stream = Readable.from(announced(pieces, onAnswer))
    const tooSlow = () => stream.destroy(new Error(`An export of a person's data was not read within ${timeMaxMs} ms`))
    const timer = setTimeout(tooSlow, timeMaxMs).unref()
    return stream.once('close', () => {
      clearTimeout(timer)
      const left = underWay.get(accountId)! - 1
      if (left > 0) underWay.set(accountId, left)
      else underWay.delete(accountId)
    })
  }
}

async function* announced(pieces: AsyncIterable<string>, onFirst: () => Promise<void>): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) await onFirst()
    isFirst = false
    yield piece
  }
}
