import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { runsOf } from './run-state.ts'

/** Cursors of two numbers, or a number and a text: where the page before ended. */
export function writePosition(...parts: (number | string)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** One page of a feed's runs, the latest first. @throws Problem INVALID. */
export function runsPage(
  snapshot: Snapshot,
  feedId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): { items: Entity<'FeedRun'>[]; nextCursor: string | null } {
  const [queuedAt, id] =
    cursor === undefined ? [Number.POSITIVE_INFINITY, ''] : readPosition(cursor, 'number', 'string')
  const following = runsOf(snapshot, feedId).filter(
    (run) => run.body.queuedAt < queuedAt || (run.body.queuedAt === queuedAt && run.id < id),
  )
  const items = following.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && following.length > limit ? writePosition(last.body.queuedAt, last.id) : null }
}

/** The line and offset that a page of issues begins after. @throws Problem INVALID. */
export function issuesPosition(cursor: string | undefined): { line: number; offset: number } | null {
  if (cursor === undefined) return null
  const [line, offset] = readPosition(cursor, 'number', 'number')
  return { line, offset }
}

interface Types {
  number: number
  string: string
}

function readPosition<A extends keyof Types, B extends keyof Types>(cursor: string, a: A, b: B): [Types[A], Types[B]] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts) && parts.length === 2 && fits(parts[0], a) && fits(parts[1], b)) {
      return parts as [Types[A], Types[B]]
    }
  } catch {
    // Told below.
  }
  const message = 'is not the nextCursor of a page'
  throw new Problem('INVALID', `querystring/cursor: ${message}`, { errors: [{ path: 'querystring/cursor', message }] })
}

function fits(value: unknown, type: keyof Types): boolean {
  return type === 'number' ? Number.isSafeInteger(value) : typeof value === 'string'
}
