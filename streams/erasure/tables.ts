import {
  attributionErasures,
  type Erasing,
  erasedPeopleSql,
  pendingErasuresSql,
  sinkErasures,
  type TableErasure,
} from '../../infra/analytics/queries/people/erasure.ts'
import { type AttributionDeps, creditPeople } from '../attribution/attribution.ts'

/**
 * Replaces the identifiers of some people by pseudonyms wherever the tables still have them: first in the sink's tables, then at once
 * in those that attribution has made from them, so that no run of attribution finds half a person. Then it credits these people's
 * transactions again, since a run may have credited some in between. Call it only while attribution does not run.
 * @returns whether nothing was left.
 */
export async function eraseInTables(deps: AttributionDeps, people: Erasing): Promise<boolean> {
  const { analytics } = deps
  const [changes] = await analytics.query<{ pending: number }>(pendingErasuresSql)
  if (changes!.pending > 0) return false
  if (await eraseEach(deps, sinkErasures(people))) return false
  if (await eraseEach(deps, attributionErasures(people))) return false
  const pseudonyms = people.map(({ pseudonym }) => pseudonym)
  const keys = await analytics.query<{ personKey: number }>(erasedPeopleSql, { pseudonyms })
  await creditPeople(
    deps,
    keys.map(({ personKey }) => personKey),
  )
  return true
}

/** @returns whether there was anything to erase. */
async function eraseEach({ analytics }: AttributionDeps, tables: readonly TableErasure[]): Promise<boolean> {
  let hasFound = false
  for (const { countSql, statements } of tables) {
    const [named] = await analytics.query<{ rows: number }>(countSql)
    if (named!.rows === 0) continue
    hasFound = true
    for (const statement of statements) await analytics.command(statement)
  }
  return hasFound
}
