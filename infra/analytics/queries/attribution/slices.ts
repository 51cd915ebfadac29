import { HOUR_MS } from '../../../../schemas/durations.ts'
import { ATTRIBUTION_OUTCOMES, type AttributionOutcome } from '../../../../services/domain/attribution/credit.ts'
import { isVoidedSql } from '../corrections.ts'
import { byIdSql } from './lookups.ts'
import { crowdingSql, membersSql, personKeyOf } from './person-links.ts'
import { returnsOf } from './returned-lines.ts'
import type { Scratch } from './scratch.ts'
import { ATTRIBUTED_COLUMNS } from './stored-lines.ts'
import {
  firstThatHoldsSql,
  type Has,
  hasColumnsSql,
  inWindowSql,
  keyedTableSql,
  keyedTouchesSql,
  LINE_COLUMNS,
  linesSql,
  touchDetailsSql,
  touchedLines,
  touchSql,
} from './touches.ts'
import { unprovenSql } from './transaction-versions.ts'

/** What the store has. */
export interface StoreHas extends Has {
  links: boolean
}

/** Selects one row, a `StoreHas`. */
export const storeHasSql = `SELECT toBool((SELECT count() FROM links_by_cid) > 0) AS links,
  ${hasColumnsSql(['returns', 'itemGroups', 'lists'], 'true')}`

/** Fills `scope` with the transactions that `affected` selects, ordered by person so that the touches of a slice lie together. */
export const scopeSql = (affected: string, { scope }: Scratch): string => `
INSERT INTO ${scope} (place, shopId, kind, eventId)
SELECT row_number() OVER (ORDER BY firstKey, shopId, kind, eventId) - 1, shopId, kind, eventId
FROM (
  SELECT shopId, kind, eventId, min(personKey) AS firstKey FROM (
${affected}
  ) GROUP BY shopId, kind, eventId
)`

/** How many transactions `scope` holds, and whether any of them has returns. */
export const scopeSizeSql = ({ scope }: Scratch, { returns }: StoreHas): string => `
SELECT toInt64(count()) AS transactions, ${holdsSql(
  returns,
  `(SELECT count() FROM transaction_returns WHERE (shopId, eventId) IN (SELECT shopId, eventId FROM ${scope})) > 0`,
)} AS hasReturns
FROM ${scope}`

const holdsSql = (mayHold: boolean, condition: string): string => (mayHold ? `toBool(${condition})` : 'false')

const VERSION_COLUMNS = `eventId, kind, shopId, cid, uid, currency, occurredAt, receivedAt, imported, proof, lines`

/** Fills `versions` with those of all transactions of `scope`. */
export const fillVersionsSql = ({ scope, versions }: Scratch): string => `
INSERT INTO ${versions} (place, ${VERSION_COLUMNS})
SELECT s.place, t.* FROM (
  SELECT ${VERSION_COLUMNS} FROM transactions_by_id
  WHERE idKey IN (SELECT murmurHash3_32(shopId, eventId) FROM ${scope})) AS t
INNER JOIN ${scope} AS s ON s.shopId = t.shopId AND s.kind = t.kind AND s.eventId = t.eventId`

const IN_SLICE = 'place >= {from:UInt64} AND place < {to:UInt64}'

/**
 * Fills `lines` with the lines of a slice: of the transactions of `scope` at the places [from, to), which are parameters.
 * @param has `versions`: whether these are filled.
 */
export function fillLinesSql(
  { scope, versions, lines }: Scratch,
  has: { returns: boolean; itemGroups: boolean; versions: boolean },
): string {
  const slice = `SELECT shopId, kind, eventId FROM ${scope} WHERE ${IN_SLICE}`
  const transactions = has.versions ? `${versions} WHERE ${IN_SLICE}` : `transactions_by_id WHERE ${byIdSql(slice)}`
  return `
INSERT INTO ${lines} (${LINE_COLUMNS})${linesSql({
    transactions,
    product_groups: has.itemGroups
      ? `(shopId, id) IN (SELECT shopId, arrayJoin(lines.shopProductId) FROM ${transactions})`
      : null,
    transaction_returns: has.returns ? returnsOf(`SELECT shopId, eventId FROM (${slice})`) : null,
  })}`
}

/** What a slice needs of the statements that compute it. */
export interface SliceNeeds {
  /** Whether one of its people has more links than places; null when its people have no links. */
  isCrowded: boolean | null
  /** Whether campaigns of its shops have, or had, attribution lists. */
  hasLists: boolean
  /** Whether a displaced version of a transaction has more lines than the version that counts, or another time. */
  hasDisplaced: boolean
  /** Only touches from `touchesFrom` to `touchesTo`, inclusive, can earn its lines; UTC epoch milliseconds. */
  touchesFrom: number
  touchesTo: number
  /** When the first of its transactions happened, UTC epoch milliseconds. */
  firstAt: number
}

export const sliceNeedsSql = ({ lines, links }: Scratch, has: StoreHas): string => `
SELECT ${has.links ? `(${crowdingSql(links)})` : 'NULL'} AS isCrowded, ${holdsSql(
  has.lists,
  `(
  SELECT count() FROM campaign_versions
  WHERE notEmpty(attributionProductIds) AND shopId IN (SELECT shopId FROM ${lines})) > 0`,
)} AS hasLists,
  toBool(countIf(mostLines > countedLines OR notEmpty(displacedAt)) > 0) AS hasDisplaced,
  min(occurredAt - greatest(clickWindowHours, viewWindowHours) * ${HOUR_MS}) AS touchesFrom, max(occurredAt) AS touchesTo,
  min(occurredAt) AS firstAt
FROM ${lines}`

/** Fills `reach` with the people of `lines`. */
export const fillReachSql = ({ lines, links, reach }: Scratch, mayBeCrowded: boolean): string => `
INSERT INTO ${reach} (personShopId, personCid, memberCid)${membersSql(`SELECT shopId, cid FROM ${lines}`, {
  links,
  mayBeCrowded,
})}`

/** The keys of the other cids of the people of `reach`, whose own cids are those of `lines`. */
const otherKeysOfSliceSql = ({ reach }: Scratch): string =>
  `SELECT ${personKeyOf('personShopId', 'memberCid')} AS otherKey FROM ${reach} WHERE memberCid != personCid`

/** Fills `people` with the people who have transactions and whose keys are in [fromKey, toKey], which are parameters. */
export const fillPeopleOfKeysSql = ({ people }: Scratch): string => `
INSERT INTO ${people} (shopId, cid)
SELECT DISTINCT shopId, cid FROM transactions_by_person WHERE personKey BETWEEN {fromKey:UInt32} AND {toKey:UInt32}`

/** Fills `otherKeys` with the keys, below parameter keysEnd, of the other cids of `people`. */
export const fillOtherKeysSql = ({ people, links, otherKeys }: Scratch, mayBeCrowded: boolean): string => `
INSERT INTO ${otherKeys} (personKey)
SELECT DISTINCT ${personKeyOf('personShopId', 'memberCid')} AS otherKey
FROM (${membersSql(`SELECT shopId, cid FROM ${people}`, { links, mayBeCrowded })})
WHERE memberCid != personCid AND otherKey < {keysEnd:UInt64}`

const ofOtherKeysSql = ({ otherKeys }: Scratch): string =>
  `touches WHERE personKey IN (SELECT personKey FROM ${otherKeys})`

/** Selects one row, `{ touches }`: how many touches the cids of `otherKeys` have. */
export const otherTouchesCountSql = (scratch: Scratch): string =>
  `SELECT toInt64(count()) AS touches FROM ${ofOtherKeysSql(scratch)}`

const OTHER_TOUCH_COLUMNS = `personKey, shopId, cid, eventId, type, occurredAt, kind, campaignId, accountId, adId, itemGroupId, slotHash,
  adUnitId, algorithm, country`

/** Fills `otherTouches` with the touches of the cids of `otherKeys`. */
export const fillOtherTouchesSql = (scratch: Scratch): string => `
INSERT INTO ${scratch.otherTouches} (${OTHER_TOUCH_COLUMNS})
SELECT ${OTHER_TOUCH_COLUMNS} FROM ${ofOtherKeysSql(scratch)}`

/** Where the touches of a slice are: tables with a WHERE. Together they may have a touch twice, which changes no credit. */
function touchesOfSlice(scratch: Scratch, isLinked: boolean, hasOtherTouches: boolean): string[] {
  const { lines, reach, otherKeys, otherTouches } = scratch
  const own = `SELECT ${personKeyOf('shopId', 'cid')} FROM ${lines}`
  if (!isLinked) return [`touches WHERE personKey IN (${own})`]
  if (!hasOtherTouches) {
    return [`touches WHERE personKey IN (SELECT ${personKeyOf('personShopId', 'memberCid')} FROM ${reach})`]
  }
  const others = otherKeysOfSliceSql(scratch)
  return [
    `touches WHERE personKey IN (${own})`,
    `${otherTouches} WHERE personKey IN (${others})`,
    `touches WHERE personKey IN (${others} AND otherKey NOT IN (SELECT personKey FROM ${otherKeys}))`,
  ]
}

/** Touches match lines, and beside these are joined with first lines: see `conditionOf`. */
const PAIRS = 'MATCHING_AND_FIRST'

const conditionOf: Record<AttributionOutcome, string> = {
  UNPROVEN: unprovenSql,
  CREDITED: 'w.matches > 0',
  // Only of first lines are all touches known, and those of the others are the same.
  NO_MATCH: 'max(w.touches) OVER (PARTITION BY l.shopId, l.kind, l.eventId) > 0',
  NO_TOUCH: 'true',
}
const outcomeSql = firstThatHoldsSql(ATTRIBUTION_OUTCOMES.map((outcome) => [conditionOf[outcome], outcome]))

/** The transactions of `lines` that have their credit for good (`retention/ended-identifiers.ts`). Parameter settledUntil. */
const settledSql = ({ lines }: Scratch): string => `
  SELECT shopId, kind, eventId FROM attributed_lines WHERE (shopId, kind, eventId) IN (
    SELECT shopId, kind, eventId FROM ${lines} WHERE occurredAt < {settledUntil:Int64})`

/** Adds the settled lines to `credited` as they are stored, but for what was returned of them. Parameters version and settledUntil. */
export const keepSettledSql = (scratch: Scratch): string => `
INSERT INTO ${scratch.credited} (${ATTRIBUTED_COLUMNS})
SELECT s.* REPLACE (l.returnedQuantity AS returnedQuantity, l.returnedMicros AS returnedMicros, {version:Int64} AS version)
FROM (
  SELECT ${ATTRIBUTED_COLUMNS} FROM attributed_lines FINAL WHERE (shopId, kind, eventId) IN (${settledSql(scratch)})) AS s
INNER JOIN ${scratch.lines} AS l ON l.shopId = s.shopId AND l.kind = s.kind AND l.eventId = s.eventId AND l.line = s.line`

/**
 * Fills `credited` with `lines` and their credit under `version`, except for settled ones. Parameters version, touchesFrom, touchesTo and
 * settledUntil. Planning the statement takes longer than running it, so every subquery that is not needed is left out.
 * @param needs `hasOtherTouches`: whether `otherTouches` was filled for people among whom those of `lines` are.
 */
export function creditLinesSql(
  scratch: Scratch,
  { isCrowded, hasLists, hasSettled, hasOtherTouches }: SliceNeeds & { hasSettled: boolean; hasOtherTouches: boolean },
): string {
  const { lines } = scratch
  const reach = isCrowded === null ? null : scratch.reach
  const listsOfSlice = hasLists ? `shopId IN (SELECT shopId FROM ${lines})` : null
  const touches = touchesOfSlice(scratch, reach !== null, hasOtherTouches).map((from) =>
    keyedTouchesSql(
      `${from}
      AND occurredAt >= {touchesFrom:Int64} AND occurredAt <= {touchesTo:Int64}
      AND NOT ${isVoidedSql}`,
      PAIRS,
      hasLists,
    ),
  )
  const { from, match, recent } = touchedLines({
    lines: `(${keyedTableSql(lines, listsOfSlice, PAIRS)})`,
    reach,
    touches: `(${touches.join(' UNION ALL ')})`,
  })
  return `
INSERT INTO ${scratch.credited} (${ATTRIBUTED_COLUMNS})
SELECT l.shopId, l.kind, l.eventId, l.line, l.occurredAt, l.cid, l.uid, l.shopProductId, l.quantity, l.priceMicros,
  l.currency, ${outcomeSql}, ${touchDetailsSql('w.best', 'w.matches > 0')}, l.itemGroups, l.proof, l.receivedAt, l.trust,
  l.returnedQuantity, l.returnedMicros, l.clickWindowHours, l.viewWindowHours, {version:Int64}, 0
FROM ${lines} AS l
LEFT JOIN (
  WITH ${match} AS match
  SELECT shopId, kind, eventId, shopProductId, count() AS touches, countIf(match != '') AS matches,
    maxIf(${touchSql}, match != '') AS best
  FROM ${from}
  WHERE ${inWindowSql(recent)}
  GROUP BY shopId, kind, eventId, shopProductId
) AS w ON w.shopId = l.shopId AND w.kind = l.kind AND w.eventId = l.eventId AND w.shopProductId = l.shopProductId
${hasSettled ? `WHERE (l.shopId, l.kind, l.eventId) NOT IN (${settledSql(scratch)})` : ''}`
}
