import { linkErasures, peopleOfErasuresSql } from '../../infra/analytics/queries/people/erased-links.ts'
import {
  attributionErasures,
  type Erasing,
  erasedTables,
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
  if ((await analytics.unfinishedMutations(erasedTables)) > 0) return false
  if (await eraseEach(deps, sinkErasures(people))) return false
  const hasFound = await eraseEach(deps, attributionErasures(people))
  await eraseInLinks(deps, people)
  if (hasFound) return false
  await creditPeople(deps, peopleOfErasuresSql(people))
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

/** Runs even when no link has an identifier, because a run that died may have left it without the links of what came later. */
async function eraseInLinks({ analytics }: AttributionDeps, people: Erasing): Promise<void> {
  for (const statement of linkErasures(people)) await analytics.command(statement)
}
