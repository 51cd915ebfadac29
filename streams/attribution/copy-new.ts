import type { Analytics } from '../../infra/analytics/port.ts'
import {
  copyStatements,
  foundLinkStatements,
  foundPairsSql,
  foundSizeSql,
  type NewRows,
  type News,
  newsSql,
  seenLinkStatements,
  seenSql,
} from '../../infra/analytics/queries/attribution/lookups.ts'
import type { Scratch } from '../../infra/analytics/queries/attribution/scratch.ts'
import { refill } from './scratch-tables.ts'

/** What the copied rows tell. */
export interface CopiedNews extends News {
  /** Pairs of cid and uid that the last run did not know. */
  newPairs: number
}

/**
 * Copies the new rows into the tables that people and transactions are looked up in. Doing it again changes nothing.
 * @param done links up to this version are known. Later ones count as new, because a run that died may have stored them. Null when
 * nothing depends on which links are new: all pairs are stored, because to look up the known ones takes longer the more there are.
 */
export async function copyNew(
  analytics: Analytics,
  scratch: Scratch,
  newRows: NewRows,
  { done, version }: { done: number | null; version: number },
): Promise<CopiedNews> {
  for (const statement of copyStatements(newRows)) await analytics.command(statement)
  const news = await readNews(analytics, scratch, newRows)
  if (news.pairs === 0) return { ...news, newPairs: 0 }
  const storeLinks = async (statements: readonly string[]) => {
    for (const statement of statements) await analytics.command(statement, { version })
  }
  if (done === null) {
    await storeLinks(seenLinkStatements(scratch))
    return { ...news, newPairs: news.pairs }
  }
  await refill(analytics, scratch.found, foundPairsSql(scratch), { done })
  const [found] = await analytics.query<{ pairs: number }>(foundSizeSql(scratch))
  if (found!.pairs > 0) await storeLinks(foundLinkStatements(scratch))
  return { ...news, newPairs: found!.pairs }
}

async function readNews(analytics: Analytics, scratch: Scratch, newRows: NewRows): Promise<News> {
  const seen = seenSql(newRows, scratch)
  if (seen === null) return { pairs: 0, touches: 0, shopIds: [], firstAt: 0 }
  await refill(analytics, scratch.seen, seen)
  return (await analytics.query<News>(newsSql(scratch)))[0]!
}
