import type { TopicName } from '../../../../schemas/topics.ts'
import { crowdedSql, linkedSql, linksOf, NEVER, withoutPlaceSql } from './person-links.ts'
import type { Scratch } from './slices.ts'
import { itemGroupsSql, windowMaxMsSql, windowsSql } from './touches.ts'
import { trustAtSql } from './transaction-versions.ts'

/**
 * Which transactions the rows that the sink has stored since the last run can affect: rather some too many than one too
 * few.
 */

/** SQL that holds for the rows of a topic stored since attribution looked last; null when there are none. */
export type NewRows = (topic: TopicName) => string | null

/** Where a cid and a uid are seen together: when the intake received it, and whether its sender proved itself. */
const eventTables = {
  'judged-events': { table: 'judged_events', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  transactions: { table: 'transactions', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  'page-views': { table: 'page_views', receivedAt: 'receivedAt', isProven: "proof != 'ANONYMOUS'" },
  emissions: { table: 'emissions', receivedAt: 'occurredAt', isProven: 'false' },
} as const satisfies Partial<Record<TopicName, { table: string; receivedAt: string; isProven: string }>>

/** Pairs of cid and uid that no event had shown before, or not so early, or not proven. Null: no new events. */
export function newLinksSql(newRows: NewRows): string | null {
  const seen = Object.entries(eventTables).flatMap(([topic, { table, receivedAt, isProven }]) => {
    const rows = newRows(topic as TopicName)
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
