import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { latestPageOf } from '../resources/paging.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import { runsOf } from './runs/run-state.ts'

/** A run of a feed. @throws Problem NOT_FOUND, also when the run belongs to another feed. */
export function needRun(
  access: Access,
  principal: Principal,
  { id, run }: { id: string; run: string },
): Entity<'FeedRun'> {
  const feed = access.need(principal, 'Feed', id)
  const entity = access.find(principal, 'FeedRun', run)
  if (entity?.body.feedId !== feed.id) throw new Problem('NOT_FOUND', `There is no run ${run} of this feed`)
  return entity
}

/** One page of a feed's runs, the latest first. @throws Problem INVALID. */
export function runsPage(
  snapshot: Snapshot,
  feedId: string,
  page: { limit: number; cursor: string | undefined },
): { items: Entity<'FeedRun'>[]; nextCursor: string | null } {
  return latestPageOf(runsOf(snapshot, feedId), ({ body }) => body.queuedAt, page)
}
