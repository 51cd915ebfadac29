import { HOUR_MS } from '../../../../schemas/durations.ts'
import { DEFAULT_WINDOWS, TOUCH_PRECEDENCE } from '../../../../services/domain/attribution/credit.ts'
import { RETURNED_KIND } from '../../../../services/domain/attribution/transactions.ts'
import { type Pairs, paired } from './pair-keys.ts'
import { returnedMicrosSql, returnedQuantitySql, returnedSql } from './returned-lines.ts'
import { TRANSACTION_ORDER, trustAtSql, trustsSql, unprovenSql } from './transaction-versions.ts'

/**
 * `services/domain/attribution/credit.ts` as SQL, in pieces: the lines that may be credited, their reach (the cids whose
 * touches count for them) and the candidates (each touch that may earn a line). What attribution stores, what-if reports
 * and explanations are all made of these pieces. Arguments named after a table are conditions on its rows that only save
 * reading; they must not exclude a row that matters.
 */

/** What `linesSql` selects. */
export const LINE_COLUMNS = `shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency,
  itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours, viewWindowHours, countedLines, mostLines,
  displacedAt`

/**
 * The lines of `transactions` (a table with its WHERE), which must have all versions of an id or none. Of several versions of an id,
 * the first by `TRANSACTION_PRECEDENCE` counts: it has `countedLines` lines, and the longest version has `mostLines`. Other versions are of the times `displacedAt`. Imported
 * transactions have no lines here. Parameters clickWindowHours and viewWindowHours, when not null, replace those of the shop.
 * All is computed on one level of the query, because each further level costs the planner a millisecond or two.
 * @param of `transaction_returns`: null when no transaction has returns, or returns are not needed. `product_groups`: null when no
 * product has an item group.
 */
export function linesSql(of: {
  transactions: string
  product_groups: string | null
  transaction_returns: string | null
}): string {
  const returned = returnedPart(of.transaction_returns)
  const groups = groupsPart(of.product_groups)
  return `
  SELECT t.shopId AS shopId, t.kind AS kind, t.eventId AS eventId, toUInt32(number - 1) AS line,
    t.first.1 AS occurredAt, t.first.2 AS cid, t.first.3 AS uid,
    item.shopProductId AS shopProductId, item.quantity AS quantity, item.priceMicros AS priceMicros,
    t.first.4 AS currency, ${groups.ofProduct} AS itemGroups, t.first.7 AS proof, t.first.8 AS receivedAt,
    ${trustAtSql('w.trusts', 'receivedAt')} AS trust, ${returned.quantity} AS returnedQuantity,
    ${returnedMicrosSql('priceMicros', 'returnedQuantity', 'quantity')} AS returnedMicros,
    toInt32(coalesce({clickWindowHours:Nullable(Int32)},
      if(w.known, w.clickWindowHours, ${DEFAULT_WINDOWS.clickWindowHours}))) AS clickWindowHours,
    toInt32(coalesce({viewWindowHours:Nullable(Int32)},
      if(w.known, w.viewWindowHours, ${DEFAULT_WINDOWS.viewWindowHours}))) AS viewWindowHours,
    toUInt32(length(t.first.5)) AS countedLines, t.mostLines AS mostLines,
    arrayFilter(at -> at != occurredAt, t.times) AS displacedAt
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
  ${returned.join}`
}

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

/** Some columns of lines (a table, or a subquery in parentheses), without lines that may not be credited. */
export const creditableSql = (lines: string, columns = 'l.*', where = 'true'): string =>
  `(SELECT ${columns} FROM ${lines} AS l WHERE ${where} AND NOT (${unprovenSql('l')}))`

/**
 * Products on the attribution lists of campaigns, with the times [fromAt, toAt) at which they were listed. The version in force
 * is the last one made by then; before the first version, the first. The log keeps every version of a campaign.
 */
const haloSql = (campaign_versions: string): string => `
    SELECT shopId AS listShopId, campaignId AS listCampaignId, productId AS listProductId, groupArray((fromAt, toAt)) AS inForce
    FROM (
      SELECT shopId, campaignId, attributionProductIds,
        if(row_number() OVER (PARTITION BY campaignId ORDER BY version) = 1, 0, updatedAt) AS fromAt,
        min(updatedAt) OVER later AS nextAt,
        if(count() OVER later = 0, ${Number.MAX_SAFE_INTEGER}, nextAt) AS toAt
      FROM campaign_versions FINAL
      WHERE ${campaign_versions}
      WINDOW later AS (PARTITION BY campaignId ORDER BY version ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
    )
    ARRAY JOIN attributionProductIds AS productId
    WHERE fromAt < toAt
    GROUP BY shopId, campaignId, productId`

/**
 * The rows of `from` (`judged_events` or `touches` with a WHERE) as touches.
 * @param verdict SQL for the verdict of a row.
 */
export const storedTouchesSql = (from: string, verdict = "'VALID'"): string => `
    SELECT shopId AS touchShopId, cid AS actorCid, eventId AS touchEventId, type AS touchType, occurredAt AS touchAt,
      ${verdict} AS verdict, kind AS adKind, campaignId, accountId, adId, ifNull(itemGroupId, '') AS itemGroupId, slotHash,
      adUnitId, algorithm, ifNull(country, '') AS country
    FROM ${from}`

/**
 * `lines` as `r`, each with the touches of its person, whatever their verdict and time. Column names of the joined tables differ from
 * those of the lines, so that `r.*` keeps its names. Lines and people are joined one after the other: somebody's order may have a
 * thousand lines, and its person thousands of cids. A person may have as many touches, too, so only pairs with a key in common are joined;
 * a pair may come several times.
 * @param of tables, or subqueries in parentheses. `lines`: a `creditableSql`, with a column `isFirst` for MATCHING_AND_FIRST. `reach`:
 * the `membersSql` of their people; null when only touches of a line's own cid count.
 * @param only `touches`: a `storedTouchesSql`, with a column `isStrongest` for MATCHING_AND_STRONGEST. `campaign_versions`: null when none of them has an attribution list.
 * @returns SQL. `from`: the text after FROM; `match`: DIRECT, HALO, or empty where the touch is of another product; `recent`: whether
 * the line's window reaches back to the touch.
 */
export function touchedLines(
  { lines, reach }: { lines: string; reach: string | null },
  only: { touches: string; campaign_versions: string | null },
  pairs: Pairs,
) {
  const halo = haloPart(only.campaign_versions)
  const { touches, lines: r, alike } = paired(pairs, { ...only, lines })
  const joined =
    reach === null
      ? `INNER JOIN ${r} AS r ON r.shopId = t.touchShopId AND r.cid = t.actorCid${alike}`
      : `INNER JOIN ${reach} AS p ON p.personShopId = t.touchShopId AND p.memberCid = t.actorCid
  INNER JOIN ${r} AS r ON r.shopId = p.personShopId AND r.cid = p.personCid${alike}`
  return {
    from: `${touches} AS t
  ${joined}
  ${halo.join}`,
    match: `multiIf(
      (t.adKind = 'SPONSORED' AND t.adId = r.shopProductId) OR has(r.itemGroups, t.itemGroupId), 'DIRECT',
      ${halo.match}
      '')`,
    recent: `r.occurredAt - t.touchAt <= if(t.touchType = 'CLICK', ${windowMsSql('r.clickWindowHours')}, ${windowMsSql('r.viewWindowHours')})`,
  }
}

/** The longest time from a touch to the line. Without a window, not even a touch of the same moment counts. */
const windowMsSql = (hours: string): string => `if(${hours} = 0, -1, ${hours} * ${HOUR_MS})`

/** Condition on `touchedLines`: the touch was before the line, and recent. */
export const inWindowSql = (recent: string): string => `t.touchAt <= r.occurredAt AND ${recent}`

/** One row per line and touch of `touchedLines`: the line's columns (kind, eventId and so on), the touch's, `match` and `recent`. */
export const touchesSql = ({ from, match, recent }: ReturnType<typeof touchedLines>, where = 'true'): string => `
  SELECT r.*, t.actorCid AS touchCid, t.touchEventId AS touchEventId, t.touchType AS touchType, t.touchAt AS touchAt,
    t.verdict AS verdict, t.campaignId AS campaignId, t.accountId AS accountId, t.adId AS adId, t.slotHash AS slotHash, t.adUnitId AS adUnitId,
    t.algorithm AS algorithm, t.country AS country, ${match} AS match, ${recent} AS recent
  FROM ${from}
  WHERE ${where}`

function haloPart(campaign_versions: string | null): { match: string; join: string } {
  if (campaign_versions === null) return { match: '', join: '' }
  return {
    match: "arrayExists(time -> time.1 <= r.occurredAt AND r.occurredAt < time.2, h.inForce), 'HALO',",
    join: `LEFT JOIN (${haloSql(campaign_versions)}
  ) AS h ON h.listShopId = t.touchShopId AND h.listCampaignId = t.campaignId AND h.listProductId = r.shopProductId`,
  }
}

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
