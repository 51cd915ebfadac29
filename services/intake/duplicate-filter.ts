import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AcceptedEvent } from './events/validation.ts'

/** The first and so many repeats of one event are stored, so that the judge and the reports see that it was repeated. */
const STORED_MAX = 3
/** Events remembered, some 10 MiB; the one that was told last the longest ago is forgotten first. */
const EVENTS_MAX = 100_000

/**
 * The events that this process has stored of late, by what they say. DuplicateFilter of them are acknowledged without being stored,
 * so that one event sent a million times takes the room of three.
 */
export interface DuplicateFilter {
  /** Which events of a request are to be stored, in their order, and which of all are repeats. */
  sift(taken: readonly AcceptedEvent[]): { unstored: AcceptedEvent[]; repeated: Set<AcceptedEvent> }
  /** Call once they are durable, and not before: what failed must be stored when it is told again. */
  stored(events: readonly AcceptedEvent[]): void
}

export function createDuplicateFilter(): DuplicateFilter {
  const storedCounts = new LRUCache<string, number>({ max: EVENTS_MAX })
  return {
    sift(taken) {
      const unstored: AcceptedEvent[] = []
      const counts = new Map<string, number>()
      const repeated = new Set<AcceptedEvent>()
      for (const event of taken) {
        const { fingerprint } = event
        const count = counts.get(fingerprint) ?? storedCounts.get(fingerprint) ?? 0
        if (count > 0) repeated.add(event)
        if (count < STORED_MAX) unstored.push(event)
        counts.set(fingerprint, count + 1)
      }
      return { unstored, repeated }
    },
    stored(events) {
      for (const { fingerprint } of events) storedCounts.set(fingerprint, (storedCounts.get(fingerprint) ?? 0) + 1)
    },
  }
}

/** What a record holds of its event's own: not when it was received, nor the cid, which may have been assigned. */
export function told<T extends { cid: string; occurredAt: number; receivedAt: number }>(record: T) {
  const { cid, receivedAt, occurredAt, ...rest } = record
  return { ...rest, occurredAt: occurredAt === receivedAt ? null : occurredAt }
}

/** Stands for all that an event says, in a few characters. */
export function fingerprintOf(said: unknown): string {
  return hash('sha256', JSON.stringify(said), 'base64url')
}
