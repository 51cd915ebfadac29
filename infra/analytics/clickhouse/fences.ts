import { randomUUID } from 'node:crypto'
import { withLiterals } from '../params.ts'
import type { Fence } from '../port.ts'

/**
 * How a server refuses inserts of earlier epochs. A fenced insert asks the table `fences` when it begins, and its name among
 * the running statements says what it belongs to. Whoever raises a fence first writes it down and then ends what runs
 * under an earlier epoch: an insert that began before is in that list, and one that begins later finds the new epoch.
 */

/** Not in names of databases or topics. */
const SEPARATOR = '|'
const MARK = 'fenced'

/** What an insert asks, with the fence as its parameters. */
export const FENCE_CONDITION =
  "throwIf((SELECT max(epoch) FROM fences WHERE scope = {scope:String}) > {epoch:Int64}, 'fenced') = 0"

/** The name of an insert among the running statements. No two may have the same. */
export function fencedQueryId(namespace: string, { scope, epoch }: Fence): string {
  return [MARK, namespace, scope, epoch, randomUUID()].join(SEPARATOR)
}

/** Writes fences down. */
export const raiseStatement = (fences: readonly Fence[]): string =>
  withLiterals(
    `INSERT INTO fences (scope, epoch)
     SELECT each.1, each.2 FROM (SELECT arrayJoin(arrayZip({scopes:Array(String)}, {epochs:Array(Int64)})) AS each)`,
    listsOf(fences),
  )

/** Ends what runs under an earlier epoch, and returns when it has ended. */
export const endEarlierStatement = (namespace: string, fences: readonly Fence[]): string =>
  `KILL QUERY WHERE ${isEarlier(namespace, fences)} SYNC`

export const countEarlierStatement = (namespace: string, fences: readonly Fence[]): string =>
  `SELECT count() AS running FROM system.processes WHERE ${isEarlier(namespace, fences)}`

function isEarlier(namespace: string, fences: readonly Fence[]): string {
  const part = (index: number) => `splitByChar('${SEPARATOR}', query_id)[${index}]`
  return withLiterals(
    `${part(1)} = '${MARK}' AND ${part(2)} = {namespace:String}
     AND toInt64OrZero(${part(4)}) < transform(${part(3)}, {scopes:Array(String)}, {epochs:Array(Int64)}, toInt64(0))`,
    { namespace, ...listsOf(fences) },
  )
}

function listsOf(fences: readonly Fence[]) {
  return { scopes: fences.map(({ scope }) => scope), epochs: fences.map(({ epoch }) => epoch) }
}
