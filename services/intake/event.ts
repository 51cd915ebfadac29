import type { NewRecord } from '../../infra/event-log/port.ts'
import { type ErrorCode, type FieldError, Problem } from '../domain/errors.ts'
import type { ShowIds } from '../domain/show-id.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Sender } from './sender.ts'

/** An event that may be stored. */
export interface TakenEvent {
  status: 'TAKEN'
  record: NewRecord
  /** The cid that it is recorded under. */
  cid: string
  /** Two events with one identity are the same event told twice. */
  identity: string
}

/** An event that cannot be: which fields are wrong, by their path from the event. */
export interface RefusedEvent {
  status: 'REFUSED'
  code: ErrorCode
  errors: FieldError[]
}

export type JudgedEvent = TakenEvent | RefusedEvent

/** What events are judged by. */
export interface Rules {
  showIds: Pick<ShowIds, 'openBytes'>
  snapshot: Snapshot
  uuid: () => string
}

/** The request that events came with. */
export interface Reception {
  /** UTC epoch milliseconds. */
  receivedAt: number
  bot: boolean
  /** From the headers, null when missing. */
  cid: string | null
  uid: string | null
  sender: Sender
}

export function refused(path: string, message: string, code: ErrorCode = 'INVALID'): RefusedEvent {
  return { status: 'REFUSED', code, errors: [{ path, message }] }
}

/** An event of a shop that the sender's proof is not of. */
export function foreign(path: string): RefusedEvent {
  return refused(path, 'is of a shop that the token or signature is not of', 'FORBIDDEN')
}

/** @throws Problem when the event is refused. */
export function takenOrThrow(event: JudgedEvent): TakenEvent {
  if (event.status === 'TAKEN') return event
  throw new Problem(event.code, event.errors.map((e) => `${e.path}: ${e.message}`).join('; '), { errors: event.errors })
}
