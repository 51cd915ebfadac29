import type { NewRecord } from '../../../infra/event-log/port.ts'
import { type ErrorCode, type FieldError, Problem } from '../../domain/errors.ts'
import type { ClientHashes } from '../../domain/identity/client-hashes.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Sender } from '../sender.ts'

/** Errors of an event that a message about it tells. */
export const ERRORS_TOLD_MAX = 5

const RETRY_AFTER_S = 5

/** An event that may be stored. */
export interface AcceptedEvent {
  status: 'ACCEPTED'
  record: NewRecord
  shopId: string
  /** The cid that it is recorded under. */
  cid: string
  /** Two events with one identity are the same event told twice. */
  identity: string
  /** Two events with one fingerprint also say the same, of the same person; when they were received does not count. */
  fingerprint: string
  /** What of it was left out or read otherwise. */
  warnings: FieldError[]
}

/** An event that cannot be: which fields are wrong, by their path from the event. */
export interface RejectedEvent {
  status: 'REJECTED'
  code: ErrorCode
  errors: FieldError[]
}

export type ValidationResult = AcceptedEvent | RejectedEvent

/** What events are judged by. */
export interface ValidationDeps {
  showIds: Pick<ShowIds, 'openBytes'>
  snapshot: Snapshot
  uuid: () => string
}

/** The request that events came with. */
export interface RequestContext {
  /** UTC epoch milliseconds. */
  receivedAt: number
  bot: boolean
  client: ClientHashes
  /** From the headers, null when missing. */
  cid: string | null
  uid: string | null
  sender: Sender
  /** What of the headers was left out. */
  warnings: FieldError[]
}

/** The event, with what was left out of it before it was judged. */
export function withWarnings(event: ValidationResult, warnings: readonly FieldError[]): ValidationResult {
  if (event.status === 'REJECTED' || warnings.length === 0) return event
  return { ...event, warnings: [...warnings, ...event.warnings] }
}

export function rejected(path: string, message: string, code: ErrorCode = 'INVALID'): RejectedEvent {
  return { status: 'REJECTED', code, errors: [{ path, message }] }
}

/** An event of a shop that the sender's proof is not of. */
export function foreign(path: string): RejectedEvent {
  return rejected(path, 'is of a shop that the token or signature is not of', 'FORBIDDEN')
}

/** @throws Problem (503) when the shop may only be missing from the copy of the registry here. */
export function unknownShop(snapshot: Snapshot): RejectedEvent {
  if (snapshot.staleReason === null) return rejected('/shopId', 'there is no such shop')
  throw new Problem('UNAVAILABLE', 'The shop is not known here yet', { retryAfterSeconds: RETRY_AFTER_S })
}

/** @throws Problem when the event is rejected. */
export function acceptedOrThrow<T extends { status: string }>(event: T | RejectedEvent): Exclude<T, RejectedEvent> {
  if (!isRejected(event)) return event as Exclude<T, RejectedEvent>
  const told = event.errors.slice(0, ERRORS_TOLD_MAX).map(({ path, message }) => `${path}: ${message}`)
  throw new Problem(event.code, told.join('; '), { errors: event.errors })
}

const isRejected = (event: { status: string }): event is RejectedEvent => event.status === 'REJECTED'
