import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { ReportedTopic } from '../../../schemas/topics.ts'
import { type FieldError, fieldProblem, Problem, type RejectionCode } from '../../domain/errors.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** An event that may be stored. */
export interface AcceptedEvent {
  status: 'ACCEPTED'
  record: NewRecord & { topic: ReportedTopic }
  shopId: string
  /** The cid under which the event is recorded. */
  cid: string
  /** Equal for two reports of the same event. */
  identity: string
  /** Equal for two reports of the same event with the same content and person. The time of receipt may differ. */
  fingerprint: string
  /** Optional fields that were left out or replaced, and why, and values that may be mistakes. */
  warnings: FieldError[]
}

/** An event that is not stored. The paths of its errors begin at the event. */
export interface RejectedEvent {
  status: 'REJECTED'
  code: RejectionCode
  errors: FieldError[]
}

export type ValidationResult = AcceptedEvent | RejectedEvent

/** What events are validated against. */
export interface ValidationDeps {
  showIds: Pick<ShowIds, 'openBytes'>
  snapshot: Snapshot
  uuid: () => string
}

export function rejected(path: string, message: string, code: RejectionCode = 'INVALID'): RejectedEvent {
  return { status: 'REJECTED', code, errors: [{ path, message }] }
}

/** Rejects an event whose sender proved itself for another shop. */
export function rejectedOtherShop(path: string): RejectedEvent {
  return rejected(path, 'belongs to another shop than the token or signature', 'FORBIDDEN')
}

/** @throws Problem UNAVAILABLE when the shop may be missing only because this process's copy of the registry is stale. */
export function rejectedUnknownShop(snapshot: Snapshot): RejectedEvent {
  throwIfStale(snapshot, 'The shop')
  return rejected('/shopId', 'there is no such shop')
}

/**
 * To be called when something is not known. @param what begins the sentence that says so.
 * @throws Problem UNAVAILABLE when it may be missing only because this process's copy of the registry is stale.
 */
export function throwIfStale({ staleReason }: Snapshot, what: string): void {
  if (staleReason === null) return
  throw new Problem('UNAVAILABLE', `${what} is not known to this process yet: try again shortly`)
}

/** Adds warnings that arose before the event was validated. */
export function withWarnings(result: ValidationResult, warnings: readonly FieldError[]): ValidationResult {
  if (result.status === 'REJECTED' || warnings.length === 0) return result
  return { ...result, warnings: [...warnings, ...result.warnings] }
}

/** @throws Problem when the event is rejected. */
export function orThrow(result: ValidationResult): AcceptedEvent {
  if (result.status === 'REJECTED') throw fieldProblem(result.code, result.errors)
  return result
}
