import { HOUR_MS } from '../../../../schemas/durations.ts'
import { DEFAULT_WINDOWS, TOUCH_PRECEDENCE } from '../../../../services/domain/attribution/credit.ts'
import { RETURNED_KIND } from '../../../../services/domain/attribution/transactions.ts'
import { campaignKeySql, lineKeysSql, listedPart, type Pairs, touchKeysSql } from './pair-keys.ts'
import { returnedMicrosSql, returnedQuantitySql, returnedSql } from './returned-lines.ts'
import { TRANSACTION_ORDER, trustAtSql, trustsSql, unprovenSql } from './transaction-versions.ts'

/**
 * `services/domain/attribution/credit.ts` as SQL, in pieces: the lines that may be credited, their reach (the cids whose
 * touches count for them) and the candidates (each touch that may earn a line). What attribution stores, what-if reports
 * and explanations are all made of these pieces. Arguments named after a table are conditions on its rows that only save
 * reading; they must not exclude a row that matters.
 */

/** What credit can depend on, and many shops never use. What joins it or looks it up is left out where there is none. */
export interface Has {
  returns: boolean
  itemGroups: boolean
  /** Attribution lists of campaigns. */
  lists: boolean
}

const rowsWith: Record<keyof Has, string> = {
  returns: 'transaction_returns WHERE true',
  itemGroups: "product_groups WHERE ifNull(itemGroupId, '') != ''",
  lists: 'campaign_versions WHERE notEmpty(attributionProductIds)',
}

/** Columns of a SELECT: for each of `kinds`, whether a table has such rows for which a condition holds. */
export const hasColumnsSql = (kinds: readonly (keyof Has)[], where: string): string =>
  kinds.map((kind) => `toBool(isNotNull((SELECT 1 FROM ${rowsWith[kind]} AND ${where} LIMIT 1))) AS ${kind}`).join(', ')

/** What `linesSql` selects. */
export const LINE_COLUMNS = `shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency,
  isFirstOfProduct, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours, viewWindowHours,
  countedLines, mostLines, displacedAt`

/** Conditions on the tables that lines are made of. */
interface LinesOf {
  /** A table with its WHERE, which must have all versions of an id or none. */
  transactions: string
  /** Null when no product has an item group. */
  product_groups: string | null
  /** Null when no transaction has returns, or returns are not needed. */
  transaction_returns: string | null
}

/**
 * The lines of some transactions. Of several versions of an id, the first by `TRANSACTION_PRECEDENCE` counts: it has `countedLines` lines,
 * and the longest version has `mostLines`. Other versions are of the times `displacedAt`. Imported transactions have no lines here.
 * Parameters clickWindowHours and viewWindowHours, when not null, replace those of the shop.
 * All is computed on one level of the query, because each further level costs the planner a millisecond or two.
 * @param more what is added on this level. `columns` begins with a comma.
 */
export function linesSql(of: LinesOf, more = { columns: '', join: '', where: '' }): string {
  const returned = returnedPart(of.transaction_returns)
  const groups = groupsPart(of.product_groups)
  return `
  SELECT t.shopId AS shopId, t.kind AS kind, t.eventId AS eventId, toUInt32(number - 1) AS line,
    t.first.1 AS occurredAt, t.first.2 AS cid, t.first.3 AS uid,
    item.shopProductId AS shopProductId, item.quantity AS quantity, item.priceMicros AS priceMicros,
    t.first.4 AS currency, indexOf(t.first.5.shopProductId, shopProductId) = number AS isFirstOfProduct, ${groups.ofProduct} AS itemGroups, t.first.7 AS proof, t.first.8 AS receivedAt,
    ${trustAtSql('w.trusts', 'receivedAt')} AS trust, ${returned.quantity} AS returnedQuantity,
    ${returnedMicrosSql('priceMicros', 'returnedQuantity', 'quantity')} AS returnedMicros,
    toInt32(coalesce({clickWindowHours:Nullable(Int32)},
      if(w.known, w.clickWindowHours, ${DEFAULT_WINDOWS.clickWindowHours}))) AS clickWindowHours,
    toInt32(coalesce({viewWindowHours:Nullable(Int32)},
      if(w.known, w.viewWindowHours, ${DEFAULT_WINDOWS.viewWindowHours}))) AS viewWindowHours,
    toUInt32(length(t.first.5)) AS countedLines, t.mostLines AS mostLines,
    arrayFilter(at -> at != occurredAt, t.times) AS displacedAt${more.columns}
  FROM (
    SELECT shopId, kind, eventId, argMin(
      tuple(occurredAt, cid, uid, currency, lines, imported, toString(proof), receivedAt),
      tuple(${TRANSACTION_ORDER})) AS first, toUInt32(maxIf(length(lines), NOT imported)) AS mostLines,
      groupUniqArrayIf(occurredAt, NOT imported) AS times
    FROM ${of.transactions}
    GROUP BY shopId, kind, eventId
    HAVING NOT first.6
  ) AS t
  ARRAY JOIN t.first.5 AS item, arrayEnumerate(t.first.5) AS number
  ${groups.join}
  LEFT JOIN (${windowsSql}) AS w ON w.shopId = t.shopId
  ${returned.join}
  ${more.join}
  ${more.where}`
}

/**
 * The lines of some transactions that may be credited, each once for each of its keys (`lineKeysSql`): a SELECT with columns of
 * `linesSql` and `lineKey`.
 * @param campaign_versions null when no campaign has an attribution list. @param where a further condition on lines.
 */
export function keyedLinesSql(
  of: LinesOf & { campaign_versions: string | null },
  pairs: Pairs,
  where = 'true',
): string {
  const listed = listedPart(of.campaign_versions, { shopId: 't.shopId', productId: 'item.shopProductId' })
  return linesSql(of, {
    columns: `, arrayJoin(${lineKeysSql(pairs, listed.by)}) AS lineKey`,
    join: listed.join,
    where: `WHERE ${where} AND ${isCreditableSql}`,
  })
}

/**
 * The same of lines that are in a table. Lines of one product in a transaction have the same touches, so only the first of them is here.
 * @param lines a table with the columns of `linesSql`.
 */
export function keyedTableSql(lines: string, campaign_versions: string | null, pairs: Pairs): string {
  const listed = listedPart(campaign_versions, { shopId: 'l.shopId', productId: 'l.shopProductId' })
  return `
    SELECT shopId, cid, kind, eventId, occurredAt, shopProductId, itemGroups, clickWindowHours, viewWindowHours,
      arrayJoin(${lineKeysSql(pairs, listed.by)}) AS lineKey
    FROM ${lines} AS l
    ${listed.join}
    WHERE isFirstOfProduct AND ${isCreditableSql}`
}

const isCreditableSql = `NOT (${unprovenSql})`

function groupsPart(product_groups: string | null): { ofProduct: string; join: string } {
  if (product_groups === null) return { ofProduct: 'emptyArrayString()', join: '' }
  return {
    ofProduct: 'g.groups',
    join: `LEFT JOIN (${itemGroupsSql({ product_groups })}) AS g ON g.shopId = t.shopId AND g.id = item.shopProductId`,
  }
}

function returnedPart(transaction_returns: string | null): { quantity: string; join: string } {
  if (transaction_returns === null) return { quantity: 'toInt64(0)', join: '' }
  return {
    quantity: `if(t.kind = '${RETURNED_KIND}', ${returnedQuantitySql({ lines: 't.first.5', number: 'number' })}, 0)`,
    join: `LEFT JOIN (${returnedSql(transaction_returns)}) AS r ON r.shopId = t.shopId AND r.eventId = t.eventId`,
  }
}

/** The item groups that each product has in the feeds of its shop. */
export const itemGroupsSql = ({ product_groups }: { product_groups: string }): string => `
    SELECT shopId, id, arraySort(groupUniqArray(assumeNotNull(itemGroupId))) AS groups
    FROM product_groups FINAL
    WHERE (${product_groups}) AND ifNull(itemGroupId, '') != ''
    GROUP BY shopId, id`

/** The windows of each shop that has been seen in the registry. */
export const windowsSql = `
    SELECT shopId, argMax(clickWindowHours, version) AS clickWindowHours,
      argMax(viewWindowHours, version) AS viewWindowHours, ${trustsSql} AS trusts, true AS known
    FROM shop_versions GROUP BY shopId`

/** The longest window of any shop, in milliseconds. */
export const windowMaxMsSql = `(SELECT greatest(${DEFAULT_WINDOWS.clickWindowHours}, ${DEFAULT_WINDOWS.viewWindowHours},
    max(clickWindowHours), max(viewWindowHours)) FROM shop_versions) * ${HOUR_MS}`

/**
 * The rows of `from` (`judged_events` or `touches`, perhaps joined, with a WHERE) as touches.
 * @param actorCid SQL for whose touch it is. @param verdict SQL for its verdict. @param more further columns, beginning with a comma.
 */
export const storedTouchesSql = (from: string, { actorCid = 'cid', verdict = "'VALID'", more = '' } = {}): string => `
    SELECT shopId AS touchShopId, ${actorCid} AS actorCid, eventId AS touchEventId, type AS touchType, occurredAt AS touchAt,
      ${verdict} AS verdict, kind AS adKind, campaignId, accountId, adId, ifNull(itemGroupId, '') AS itemGroupId, slotHash,
      adUnitId, algorithm, ifNull(country, '') AS country${more}
    FROM ${from}`

/** The same, each once for each of its keys, in a column `touchKey`. */
export const keyedTouchesSql = (from: string, pairs: Pairs, hasLists: boolean): string =>
  storedTouchesSql(from, { more: `, arrayJoin(${touchKeysSql(pairs, hasLists)}) AS touchKey` })

interface Touched {
  /** Rows of `keyedLinesSql` or `keyedTableSql`. */
  lines: string
  /** The `membersSql` of their people; null when only touches of a line's own cid count. */
  reach: string | null
  /** Rows of `storedTouchesSql` with a column `touchKey`. */
  touches: string
}

/**
 * Lines as `r`, each with the touches `t` of its person that have a key of it, whatever their verdict and time. Both have columns of
 * different names. Lines and people are joined one after the other: somebody's order may have a thousand lines, and its person thousands
 * of cids. A person may have as many touches, too, so only pairs with a key in common are joined. A pair comes once for each of these keys.
 * @param touched tables, or subqueries in parentheses.
 * @returns SQL. `from`: the text after FROM; `match`: DIRECT, HALO or empty, where a pair that is HALO may be empty under other keys than
 * that of the campaign; `recent`: whether the line's window reaches back to the touch.
 */
export function touchedLines({ lines, reach, touches }: Touched) {
  const joined =
    reach === null
      ? `INNER JOIN ${lines} AS r ON r.shopId = t.touchShopId AND r.cid = t.actorCid`
      : `INNER JOIN ${reach} AS p ON p.personShopId = t.touchShopId AND p.memberCid = t.actorCid
  INNER JOIN ${lines} AS r ON r.shopId = p.personShopId AND r.cid = p.personCid`
  return {
    from: `${touches} AS t
  ${joined} AND r.lineKey = t.touchKey`,
    match: `multiIf(
      (t.adKind = 'SPONSORED' AND t.adId = r.shopProductId) OR has(r.itemGroups, t.itemGroupId), 'DIRECT',
      t.touchKey = ${campaignKeySql('t.campaignId')}, 'HALO',
      '')`,
    recent: `r.occurredAt - t.touchAt <= if(t.touchType = 'CLICK', ${windowMsSql('r.clickWindowHours')}, ${windowMsSql('r.viewWindowHours')})`,
  }
}

/** The longest time from a touch to the line. Without a window, not even a touch of the same moment counts. */
const windowMsSql = (hours: string): string => `if(${hours} = 0, -1, ${hours} * ${HOUR_MS})`

/** Condition on `touchedLines`: the touch was before the line, and recent. */
export const inWindowSql = (recent: string): string => `t.touchAt <= r.occurredAt AND ${recent}`

/** Columns by which touches are compared. As `TOUCH_PRECEDENCE` says, the touch with the greatest values wins. */
export const touchOrderSql = TOUCH_PRECEDENCE.map(({ field, prefers }) =>
  prefers === 'GREATEST' ? field : `${field} = '${prefers}'`,
).join(', ')

/** Further columns that a line keeps of its credited touch. They are compared after `touchOrderSql` and make the order total. */
const touchColumns = ['campaignId', 'accountId', 'adId', 'slotHash', 'adUnitId', 'algorithm', 'country'] as const

/** A touch of `touchedLines`, with its `match`, as a tuple that is greater the stronger it is. */
export const touchSql = `(${touchOrderSql}, ${touchColumns.join(', ')})`

/**
 * Columns of `attributed_lines` that describe a credited touch.
 * @param touch a `touchSql`. @param isCredited a condition; where it does not hold, the touch has default values and means no touch.
 */
export function touchDetailsSql(touch: string, isCredited = 'true'): string {
  const places = [...TOUCH_PRECEDENCE.map(({ field }) => field), ...touchColumns] as const
  const at = (field: (typeof places)[number]) => `${touch}.${places.indexOf(field) + 1}`
  const either = (field: (typeof places)[number], yes: string, no: string) =>
    `multiIf(NOT (${isCredited}), '', ${at(field)}, '${yes}', '${no}')`
  return `
    ${either('match', 'DIRECT', 'HALO')} AS match, ${either('touchType', 'CLICK', 'VIEW')} AS touchType,
    ${at('touchEventId')} AS touchEventId, ${at('touchAt')} AS touchAt,
    ${at('campaignId')} AS campaignId, ${at('accountId')} AS accountId, ${at('adId')} AS adId, ${at('slotHash')} AS slotHash,
    ${at('adUnitId')} AS adUnitId, ${at('algorithm')} AS algorithm, nullIf(${at('country')}, '') AS country`
}

/** SQL for the name of the first condition that holds. The last condition is taken to hold always. */
export function firstThatHoldsSql(cases: readonly (readonly [condition: string, name: string])[]): string {
  const [, otherwise] = cases.at(-1)!
  return `multiIf(${cases
    .slice(0, -1)
    .map(([condition, name]) => `${condition}, '${name}'`)
    .join(', ')}, '${otherwise}')`
}
