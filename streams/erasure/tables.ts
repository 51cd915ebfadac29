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
 * Puts the pseudonyms of some people into the tables, by looking at what is left: first into those of the sink, then, at once, into
 * those that attribution has made of them, so that none of its runs finds half a person. What was credited in between is credited
 * again. Only while attribution does not run.
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

/** @returns whether there was anything. */
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
