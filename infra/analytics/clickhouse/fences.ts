import { randomUUID } from 'node:crypto'
import { PAUSED } from '../errors.ts'
import { withLiterals } from '../params.ts'
import type { Fence } from '../port.ts'

/**
 * How a server refuses inserts of earlier epochs. A fenced insert asks the table `fences` when it begins, and its name among
 * the running statements says which scopes it belongs to. Whoever raises a fence first writes it down and then ends what runs
 * under an earlier epoch: an insert that began before is in that list, and one that begins later finds the new epoch.
 */

/** Neither is in names of databases or topics. */
const SEPARATOR = '|'
const LIST_SEPARATOR = ','
const MARK = 'fenced'

/** What an insert asks, with `fenceParams` as its parameters. */
export const FENCE_CONDITION = `throwIf((
  SELECT count() FROM fences WHERE scope IN {scopes:Array(String)}
    AND epoch > transform(scope, {scopes:Array(String)}, {epochs:Array(Int64)}, toInt64(0))
) > 0, 'fenced') = 0
  AND throwIf((
    SELECT count() FROM pauses WHERE scope IN {scopes:Array(String)} AND until > toUnixTimestamp64Milli(now64(3))
  ) > 0, '${PAUSED}') = 0`

/** The name of an insert among the running statements. No two may have the same. */
export function fencedQueryId(namespace: string, fences: readonly Fence[]): string {
  const { scopes, epochs } = fenceParams(fences)
  return [MARK, namespace, scopes.join(LIST_SEPARATOR), epochs.join(LIST_SEPARATOR), randomUUID()].join(SEPARATOR)
}

/** Writes fences down. */
export const raiseStatement = (fences: readonly Fence[]): string =>
  withLiterals(
    `INSERT INTO fences (scope, epoch)
     SELECT each.1, each.2 FROM (SELECT arrayJoin(arrayZip({scopes:Array(String)}, {epochs:Array(Int64)})) AS each)`,
    fenceParams(fences),
  )

/** The names of inserts that run under an earlier epoch. */
export const earlierStatement = (namespace: string, fences: readonly Fence[]): string =>
  `SELECT query_id FROM system.processes WHERE ${isEarlier(namespace, fences)}`

/** Ends inserts, and returns when they have ended. */
export const endStatement = (ids: readonly string[]): string =>
  withLiterals('KILL QUERY WHERE query_id IN {ids:Array(String)} SYNC', { ids })

export const countRunningStatement = (ids: readonly string[]): string =>
  withLiterals('SELECT count() AS running FROM system.processes WHERE query_id IN {ids:Array(String)}', { ids })

/** Writes a pause down. What runs already is ended as by fences, and what comes finds it. */
export const pauseStatement = (pause: string, scopes: readonly string[], forMs: number): string =>
  withLiterals(
    `INSERT INTO pauses (pause, scope, until)
     SELECT {pause:String}, arrayJoin({scopes:Array(String)}), toUnixTimestamp64Milli(now64(3)) + {forMs:Int64}`,
    { pause, scopes, forMs },
  )

export const pausedScopesStatement = (pause: string): string =>
  withLiterals(
    `SELECT DISTINCT scope FROM pauses
     WHERE pause = {pause:String} AND until > toUnixTimestamp64Milli(now64(3))`,
    { pause },
  )

export const endPauseStatement = (pause: string): string =>
  withLiterals('ALTER TABLE pauses DROP PARTITION {pause:String}', { pause })

function isEarlier(namespace: string, fences: readonly Fence[]): string {
  const part = (index: number) => `splitByChar('${SEPARATOR}', query_id)[${index}]`
  const list = (index: number) => `splitByChar('${LIST_SEPARATOR}', ${part(index)})`
  return withLiterals(
    `${part(1)} = '${MARK}' AND ${part(2)} = {namespace:String}
     AND arrayExists(
       each -> toInt64OrZero(${list(4)}[each])
         < transform(${list(3)}[each], {scopes:Array(String)}, {epochs:Array(Int64)}, toInt64(0)),
       arrayEnumerate(${list(3)}))`,
    { namespace, ...fenceParams(fences) },
  )
}

export function fenceParams(fences: readonly Fence[]) {
  return { scopes: fences.map(({ scope }) => scope), epochs: fences.map(({ epoch }) => epoch) }
}
