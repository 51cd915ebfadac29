import {
  candidatesSql,
  itemGroupsSql,
  linesSql,
  reachSql,
  touchDetailsSql,
  windowMaxMsSql,
  windowsSql,
} from '../../infra/analytics/queries/attribution/credit-rule.ts'
import {
  crowdedSql,
  linkedSql,
  linksOf,
  NEVER,
  withoutPlaceSql,
} from '../../infra/analytics/queries/attribution/person-links.ts'
import { returnsOf } from '../../infra/analytics/queries/attribution/returned-lines.ts'
import { trustAtSql, unprovenSql } from '../../infra/analytics/queries/attribution/transaction-versions.ts'
import type { StoredTopic } from '../sink/rows.ts'
import type { Scratch } from './scratch.ts'

const lineColumns = 'shopId String, kind String, eventId String, line UInt32, occurredAt Int64'
export const createScratchStatements = ({ touched, scope, lines, reach }: Scratch): string[] => [
  `CREATE TABLE ${touched} (shopId String, cid String, fromAt Int64, toAt Int64) ENGINE = Memory`,
  `CREATE TABLE ${scope} (slice UInt32, shopId String, kind String, eventId String) ENGINE = Memory`,
  `CREATE TABLE ${lines} (${lineColumns}, cid String, uid Nullable(String), shopProductId String, quantity Int64,
    priceMicros Int64, currency String, itemGroups Array(String), proof String, receivedAt Int64, trust String,
    returnedQuantity Int64, returnedMicros Int64,
    clickWindowHours Int32, viewWindowHours Int32) ENGINE = Memory`,
  `CREATE TABLE ${reach} (${lineColumns}, shopProductId String, itemGroups Array(String), clickWindowHours Int32,
    viewWindowHours Int32, touchCid String) ENGINE = Memory`,
]

/** How much the run holds: less than it was when the store was started anew and has lost it. */
export const heldSql = ({ touched, scope }: Scratch): string => `
SELECT (SELECT count() FROM ${touched}) AS touched, (SELECT count() FROM ${scope}) AS transactions,
  (SELECT uniqExact(slice) FROM ${scope}) AS slices`

/** SQL that holds for the rows of a topic stored since attribution looked last; null when there are none. */
export type NewRows = (topic: StoredTopic) => string | null

/** Where a cid and a uid are seen together: when the intake received it, and whether its sender proved itself. */
const eventTables = {
  'judged-events': { table: 'judged_events', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  transactions: { table: 'transactions', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  'page-views': { table: 'page_views', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  emissions: { table: 'emissions', receivedAt: 'occurredAt', isProven: 'false' },
} as const satisfies Partial<Record<StoredTopic, { table: string; receivedAt: string; isProven: string }>>

/** Pairs of cid and uid that no event had shown before, or not so early, or not proven. Null: no new events. */
export function newLinksSql(newRows: NewRows): string | null {
  const seen = Object.entries(eventTables).flatMap(([topic, { table, receivedAt, isProven }]) => {
    const rows = newRows(topic as StoredTopic)
    return rows === null
      ? []
      : [
          `SELECT shopId, cid, assumeNotNull(uid) AS uid, ${receivedAt} AS at, if(${isProven}, ${receivedAt}, ${NEVER}) AS proven
  FROM ${table} WHERE ifNull(uid, '') != '' AND (${rows})`,
        ]
  })
  if (seen.length === 0) return null
  const pairs = seen.join('\n  UNION ALL\n  ')
  return `
INSERT INTO person_links (shopId, cid, uid, seenAt, provenAt, version)
SELECT n.shopId, n.cid, n.uid, n.firstAt, n.firstProvenAt, {version:Int64}
FROM (SELECT shopId, cid, uid, min(at) AS firstAt, min(proven) AS firstProvenAt FROM (
  ${pairs}
) GROUP BY shopId, cid, uid) AS n
LEFT JOIN (
  SELECT shopId, cid, uid, min(seenAt) AS firstAt, min(provenAt) AS firstProvenAt, true AS known
  FROM person_links WHERE (shopId, cid) IN (SELECT shopId, cid FROM (${pairs}))
  GROUP BY shopId, cid, uid
) AS k ON k.shopId = n.shopId AND k.cid = n.cid AND k.uid = n.uid
WHERE NOT k.known OR n.firstAt < k.firstAt OR n.firstProvenAt < k.firstProvenAt`
}

/** Every transaction, for the first time. */
export const allTransactionsSql = 'SELECT shopId, kind, eventId, occurredAt AS at FROM transactions WHERE NOT imported'

/**
 * Fills `touched`: people whose touches are new, or are of a campaign whose attribution list has changed, with
 * the time of the transactions that these may earn. Null: none.
 */
export function touchedSql(newRows: NewRows, scratch: Scratch): string | null {
  const touches = newRows('judged-events')
  const registry = newRows('registry')
  const corrections = newRows('corrections')
  const voided = corrections && voidedTouchesSql(corrections)
  const touched = [touches && newTouchesSql(touches), voided, registry && touchesOfCampaignsSql(registry)].filter(
    Boolean,
  )
  if (touched.length === 0) return null
  return `
INSERT INTO ${scratch.touched} (shopId, cid, fromAt, toAt)
SELECT shopId, cid, min(since), max(until) FROM (${touched.join('\n  UNION ALL')}
)
GROUP BY shopId, cid`
}

/**
 * The transactions whose credit the new rows can have changed: rather some too many than one too few. Parameter `done`
 * is the version of the last run.
 */
export function affectedSql(newRows: NewRows, scratch: Scratch): string {
  const transactions = newRows('transactions')
  const registry = newRows('registry')
  const groups = newRows('item-groups')
  const returns = newRows('transaction-returns')
  return [
    transactions && `${allTransactionsSql} AND (${transactions})`,
    ofTouchedSql(scratch),
    ofNewLinksSql,
    registry && ofShopsSql(registry),
    groups && ofGroupsSql(groups),
    returns && ofReturnsSql(returns),
  ]
    .filter((branch) => branch !== null)
    .join('\nUNION ALL\n')
}

const newTouchesSql = (newTouches: string): string => `
  SELECT shopId, cid, occurredAt AS since, occurredAt + ${windowMaxMsSql} AS until
  FROM judged_events WHERE verdict = 'VALID' AND (${newTouches})`

/** People whose touches were voided, and may have earned what now belongs to others. */
const voidedTouchesSql = (corrections: string): string => `
  SELECT shopId, cid, occurredAt AS since, occurredAt + ${windowMaxMsSql} AS until
  FROM event_corrections WHERE ${corrections}`

function touchesOfCampaignsSql(newEntries: string): string {
  const changed = `
    SELECT campaignId, min(since) AS since FROM (
      SELECT campaignId, _partition, _offset, attributionProductIds AS list, lagInFrame(list) OVER history AS before,
        if(row_number() OVER history = 1, 0, updatedAt) AS since
      FROM campaign_versions FINAL
      WINDOW history AS (PARTITION BY campaignId ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE (${newEntries}) AND list != before GROUP BY campaignId`
  return `
  SELECT t.shopId AS shopId, t.cid AS cid, greatest(t.occurredAt, c.since) AS since,
    t.occurredAt + ${windowMaxMsSql} AS until
  FROM (
    SELECT shopId, cid, campaignId, occurredAt FROM judged_events
    WHERE verdict = 'VALID' AND campaignId IN (SELECT campaignId FROM (${changed}))
  ) AS t
  INNER JOIN (${changed}) AS c ON c.campaignId = t.campaignId
  WHERE greatest(t.occurredAt, c.since) <= until`
}

/** Transactions of the people in `touched`, in their time. */
const ofTouchedSql = ({ touched }: Scratch): string => `
SELECT p.shopId AS shopId, p.kind AS kind, p.eventId AS eventId, p.occurredAt AS at
FROM (
  SELECT shopId, kind, eventId, occurredAt, cid FROM transactions
  WHERE NOT imported AND occurredAt >= (SELECT min(fromAt) FROM ${touched})
) AS p
INNER JOIN (
  SELECT t.shopId AS shopId, arrayJoin(arrayDistinct(arrayPushBack(q.others, t.cid))) AS cid,
    min(t.fromAt) AS fromAt, max(t.toAt) AS toAt
  FROM (SELECT * FROM ${touched}) AS t
  LEFT JOIN (${linkedSql(linksOf(`SELECT shopId, cid FROM ${touched}`))}) AS q
    ON q.personShopId = t.shopId AND q.personCid = t.cid
  GROUP BY shopId, cid
) AS r ON r.shopId = p.shopId AND r.cid = p.cid
WHERE p.occurredAt BETWEEN r.fromAt AND r.toAt`

const NEW_LINKS = 'version > {done:Int64}'
const ofNewUids = `(shopId, uid) IN (SELECT shopId, uid FROM person_links WHERE ${NEW_LINKS})`
const ofNewCids = `(shopId, cid) IN (SELECT shopId, cid FROM person_links WHERE ${NEW_LINKS})`

/**
 * Transactions of everybody whom a new link can join or part. One with a place joins all who were seen with its uid, and may
 * have put another out of its place; in a crowded cid it may so part those of the cid's other uids. One without a place
 * changes nothing.
 */
const ofNewLinksSql = `
SELECT shopId, kind, eventId, occurredAt AS at FROM transactions
WHERE NOT imported AND (shopId, cid) IN (
  SELECT shopId, cid FROM person_links WHERE (shopId, uid) IN (
    SELECT shopId, uid FROM person_links
    WHERE ${NEW_LINKS} AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('uid', ofNewUids)})
    UNION ALL
    SELECT shopId, uid FROM person_links WHERE (shopId, cid) IN (
      SELECT shopId, cid FROM person_links
      WHERE ${NEW_LINKS} AND (shopId, cid) IN (${crowdedSql('cid', ofNewCids)})
        AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('cid', ofNewCids)}))))`

/** Lines that were computed with other windows than their shop has now, or another trust than it had then. */
const ofShopsSql = (newEntries: string): string => `
SELECT l.shopId AS shopId, l.kind AS kind, l.eventId AS eventId, l.occurredAt AS at
FROM (
  SELECT * FROM attributed_lines FINAL WHERE shopId IN (SELECT shopId FROM shop_versions WHERE ${newEntries})
) AS l
INNER JOIN (${windowsSql}) AS w ON w.shopId = l.shopId
WHERE (l.clickWindowHours, l.viewWindowHours) != (w.clickWindowHours, w.viewWindowHours)
  OR l.trust != ${trustAtSql('w.trusts', 'l.receivedAt')}`

/** Lines that were computed with other item groups than their product has now. */
function ofGroupsSql(newGroups: string): string {
  const products = `SELECT shopId, id FROM product_groups WHERE ${newGroups}`
  const product_groups = `(shopId, id) IN (${products})`
  return `
SELECT l.shopId AS shopId, l.kind AS kind, l.eventId AS eventId, l.occurredAt AS at
FROM (SELECT * FROM attributed_lines FINAL WHERE (shopId, shopProductId) IN (${products})) AS l
LEFT JOIN (${itemGroupsSql({ product_groups })}) AS g ON g.shopId = l.shopId AND g.id = l.shopProductId
WHERE l.itemGroups != g.groups`
}

/** Purchases of the returns that are new, and of those that came under the same return id. */
const ofReturnsSql = (newReturns: string): string => `
SELECT shopId, kind, eventId, occurredAt AS at FROM transactions
WHERE NOT imported AND kind = 'PURCHASE' AND (shopId, eventId) IN (
  SELECT shopId, eventId FROM transaction_returns
  WHERE (shopId, returnId) IN (SELECT shopId, returnId FROM transaction_returns WHERE ${newReturns}))`

/** Fills `scope`, in slices by shop and time, so that the touches of a slice lie close together. */
export const scopeSql = (affected: string, { scope }: Scratch): string => `
INSERT INTO ${scope} (slice, shopId, kind, eventId)
SELECT intDiv(row_number() OVER (ORDER BY shopId, firstAt, kind, eventId) - 1, {sliceSize:UInt32}), shopId, kind, eventId
FROM (
  SELECT shopId, kind, eventId, min(at) AS firstAt FROM (
${affected}
  ) GROUP BY shopId, kind, eventId
)`

/**
 * Computes one slice and stores it under `version`, in this order. Running it again changes nothing: a row replaces the
 * row of the same line with an older or equal version.
 */
export function sliceStatements({ scope, lines, reach }: Scratch): string[] {
  const slice = `SELECT shopId, kind, eventId FROM ${scope} WHERE slice = {slice:UInt32}`
  const candidatesOfSlice = candidatesSql(`SELECT * FROM ${reach}`, {
    judged_events: `(shopId, cid) IN (SELECT shopId, touchCid FROM ${reach})
      AND occurredAt <= (SELECT max(occurredAt) FROM ${lines})
      AND occurredAt >= (SELECT min(occurredAt) FROM ${lines}) - ${windowMaxMsSql}`,
    campaign_versions: `shopId IN (SELECT shopId FROM ${lines})`,
  })
  return [
    `TRUNCATE TABLE ${lines}`,
    `TRUNCATE TABLE ${reach}`,
    `INSERT INTO ${lines} (shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity,
    priceMicros, currency, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros,
    clickWindowHours, viewWindowHours)
SELECT shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency, itemGroups, proof,
  receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours, viewWindowHours
FROM (${linesSql({
      scope: slice,
      product_groups: `(shopId, id) IN (
      SELECT shopId, arrayJoin(lines.shopProductId) FROM transactions WHERE (shopId, kind, eventId) IN (${slice}))`,
      transaction_returns: returnsOf(`SELECT shopId, eventId FROM (${slice})`),
    })})`,
    `INSERT INTO ${reach} (shopId, kind, eventId, line, occurredAt, shopProductId, itemGroups,
    clickWindowHours, viewWindowHours, touchCid)
SELECT shopId, kind, eventId, line, occurredAt, shopProductId, itemGroups, clickWindowHours, viewWindowHours, touchCid
FROM (${reachSql(`SELECT * FROM ${lines}`, linksOf(`SELECT shopId, cid FROM ${lines}`))})`,
    `INSERT INTO attributed_lines (shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros,
    currency, outcome, match, touchType, touchEventId, touchAt, campaignId, accountId, adId, slotHash, adUnitId, algorithm,
    country, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours,
    viewWindowHours, version, deleted)
SELECT l.shopId, l.kind, l.eventId, l.line, l.occurredAt, l.cid, l.uid, l.shopProductId, l.quantity, l.priceMicros,
  l.currency, multiIf(${unprovenSql('l')}, 'UNPROVEN', w.matches > 0, 'CREDITED', w.touches > 0, 'NO_MATCH', 'NO_TOUCH'),
  if(w.matches > 0, w.match, ''), if(w.matches > 0, w.touchType, ''), w.touchEventId, w.touchAt, w.campaignId, w.accountId,
  w.adId, w.slotHash, w.adUnitId, w.algorithm, w.country, l.itemGroups, l.proof, l.receivedAt, l.trust,
  l.returnedQuantity, l.returnedMicros, l.clickWindowHours, l.viewWindowHours, {version:Int64}, 0
FROM ${lines} AS l
LEFT JOIN (
  SELECT shopId, kind, eventId, line, touches, matches, ${touchDetailsSql('best')}
  FROM (
    SELECT shopId, kind, eventId, line, count() AS touches, countIf(match != '') AS matches, maxIf(touch, match != '') AS best
    FROM (${candidatesOfSlice})
    GROUP BY shopId, kind, eventId, line
  )
) AS w ON w.shopId = l.shopId AND w.kind = l.kind AND w.eventId = l.eventId AND w.line = l.line`,
    // Lines that only an earlier choice among the contents of a transaction had.
    `INSERT INTO attributed_lines
SELECT * REPLACE ({version:Int64} AS version, 1 AS deleted) FROM (
  SELECT * FROM attributed_lines FINAL WHERE (shopId, kind, eventId) IN (${slice}) AND version < {version:Int64}
)`,
  ]
}
