import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { EventAnswer } from '../../schemas/http/events.ts'
import type { JudgedEvent, TakenEvent } from './event.ts'

/** Stores records; resolves once they are durable. @throws LogUnavailable when none may be taken now. */
export type Store = (records: readonly NewRecord[]) => Promise<void>

/** Errors of one rejected element that its message lists. */
const ERRORS_TOLD_MAX = 5

/** Straight to the log. */
export function storeInLog({ log }: { log: Pick<EventLog, 'append'> }): Store {
  return async (records) => {
    await log.append(records)
  }
}

/**
 * Takes what can be taken of a request's events and says so once it is durable.
 * @param clientId the cid that the answer names; asked for only after the events were judged.
 */
export async function accept(
  events: readonly JudgedEvent[],
  { store, clientId }: { store: Store; clientId: (taken: readonly TakenEvent[]) => string },
): Promise<EventAnswer> {
  const taken = events.filter((event) => event.status === 'TAKEN')
  if (taken.length > 0) await store(taken.map((event) => event.record))

  const duplicates = taken.length - new Set(taken.map((event) => event.identity)).size
  return {
    clientId: clientId(taken),
    accepted: taken.length,
    ...(duplicates > 0 ? { duplicates } : {}),
    rejected: events.flatMap((event, index) => (event.status === 'TAKEN' ? [] : [rejection(event, index)])),
  }
}

function rejection({ code, errors }: Extract<JudgedEvent, { status: 'REFUSED' }>, index: number) {
  const told = errors.slice(0, ERRORS_TOLD_MAX).map(({ path, message }) => `/events/${index}${path}: ${message}`)
  return { index, code, message: told.join('; ') }
}
