import { hash } from 'node:crypto'
import { lruCache } from '../../domain/caches.ts'
import type { AcceptedEvent } from './validation.ts'

/**
 * An event that is durable this many times, duplicates included, is not stored again. So the judge and the reports see that it was
 * repeated.
 */
const STORED_MAX = 3
/** Events remembered, some 10 MiB. The one that was not repeated for the longest time is forgotten first. */
const EVENTS_MAX = 100_000

/**
 * The events that this process has stored recently, by their content. Further duplicates are acknowledged without being
 * stored, so that an event that is sent a million times takes the space of three.
 */
export interface DuplicateFilter {
  /** Which of a request's events to store, in their order, and how many of all its events are duplicates. */
  sift(events: readonly AcceptedEvent[]): { toStore: AcceptedEvent[]; duplicates: number }
  /** Must be called only once the events are durable: an event that could not be stored must be stored when it is repeated. */
  remember(stored: readonly AcceptedEvent[]): void
}

export function createDuplicateFilter(): DuplicateFilter {
  const storedCounts = lruCache<number>(EVENTS_MAX)
  return {
    sift(events) {
      const toStore: AcceptedEvent[] = []
      const counts = new Map<string, number>()
      const identities = new Set<string>()
      let duplicates = 0
      for (const event of events) {
        const { fingerprint, identity } = event
        const count = counts.get(fingerprint) ?? storedCounts.get(fingerprint) ?? 0
        if (count > 0 || identities.has(identity)) duplicates += 1
        if (count < STORED_MAX) toStore.push(event)
        counts.set(fingerprint, count + 1)
        identities.add(identity)
      }
      return { toStore, duplicates }
    },
    remember(stored) {
      for (const { fingerprint } of stored) storedCounts.set(fingerprint, (storedCounts.get(fingerprint) ?? 0) + 1)
    },
  }
}

/** What the sender said, without the time of receipt and without the cid, which may have been assigned. */
export function contentOf<T extends { cid: string; occurredAt: number; receivedAt: number }>(record: T) {
  const { cid, receivedAt, occurredAt, ...rest } = record
  return { ...rest, occurredAt: occurredAt === receivedAt ? null : occurredAt }
}

/** A hash that stands for the whole content of an event. */
export function fingerprintOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'base64url')
}
