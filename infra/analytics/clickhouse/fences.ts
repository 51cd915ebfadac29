import { randomUUID } from 'node:crypto'
import { FENCED, PAUSED } from '../errors.ts'
import { withLiterals } from '../params.ts'
import type { Fence } from '../port.ts'

/**
 * How a server refuses inserts of earlier epochs. A fenced insert reads the table `fences` when it begins, and its query id names its
 * scopes and epochs. To raise a fence, the new epoch is first written to that table, and then the inserts that run under an earlier
 * one are ended. An insert that began before is in the list of running statements, and one that begins later finds the new epoch.
 */

/** Names of databases and topics contain neither separator. */
const SEPARATOR = '|'
const LIST_SEPARATOR = ','
const MARK = 'fenced'

/** The condition of a fenced insert; `fenceParams` has its parameters. */
export const FENCE_CONDITION = `throwIf((
  SELECT count() FROM fences WHERE scope IN {scopes:Array(String)}
    AND epoch > transform(scope, {scopes:Array(String)}, {epochs:Array(Int64)}, toInt64(0))
) > 0, '${FENCED}') = 0
  AND throwIf((
    SELECT count() FROM pauses WHERE scope IN {scopes:Array(String)} AND until > toUnixTimestamp64Milli(now64(3))
  ) > 0, '${PAUSED}') = 0`

/** The query id of a fenced insert. No two inserts may have the same. */
export function fencedQueryId(namespace: string, fences: readonly Fence[]): string {
  const { scopes, epochs } = fenceParams(fences)
  return [MARK, namespace, scopes.join(LIST_SEPARATOR), epochs.join(LIST_SEPARATOR), randomUUID()].join(SEPARATOR)
}

/** Writes fences to the table. */
export const raiseStatement = (fences: readonly Fence[]): string =>
  withLiterals(
    `INSERT INTO fences (scope, epoch)
     SELECT each.1, each.2 FROM (SELECT arrayJoin(arrayZip({scopes:Array(String)}, {epochs:Array(Int64)})) AS each)`,
    fenceParams(fences),
  )

/** The query ids of inserts that run under an earlier epoch. */
export const earlierStatement = (namespace: string, fences: readonly Fence[]): string =>
  `SELECT query_id FROM system.processes WHERE ${isEarlier(namespace, fences)}`

/** Ends inserts, and returns when they have ended. */
export const endStatement = (ids: readonly string[]): string =>
  withLiterals('KILL QUERY WHERE query_id IN {ids:Array(String)} SYNC', { ids })

export const countRunningStatement = (ids: readonly string[]): string =>
  withLiterals('SELECT count() AS running FROM system.processes WHERE query_id IN {ids:Array(String)}', { ids })

/** Writes a pause to its table. Inserts that begin later find it; those that are running must be ended, as for a fence. */
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
