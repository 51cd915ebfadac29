import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { readPosition, writePosition } from '../resources/paging.ts'
import { runsOf } from './runs/run-state.ts'

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
