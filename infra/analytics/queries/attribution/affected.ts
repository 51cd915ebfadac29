import { byIdSql, type NewRows } from './lookups.ts'
import {
  crowdedSql,
  fillLinksSql,
  membersSql,
  personKeyOf,
  personKeySql,
  personKeysSql,
  withoutPlaceSql,
} from './person-links.ts'
import type { Scratch } from './scratch.ts'
import { itemGroupsSql, windowMaxMsSql, windowsSql } from './touches.ts'
import { trustAtSql } from './transaction-versions.ts'

/**
 * Finds the transactions that can be affected by the rows that the sink has stored since the last run. It may find some too many,
 * but never one too few. Each is selected as personKey, shopId, kind and eventId.
 */

/** Holds for links that the run whose version is parameter `done` did not know. */
const IS_NEW_LINK = 'version > {done:Int64}'

/** Holds for rows of `transactions` that are of the shops of new touches, and no earlier than the first of these touches. */
const IS_IN_TIME = 'shopId IN {touchedShops:Array(String)} AND occurredAt >= {touchedFrom:Int64}'

/**
 * Fills `touched` with people whose touches are new, were voided, or are of a campaign whose attribution list has changed, and with
 * the time of the transactions that these touches may earn.
 */
export function touchedSql(newRows: NewRows, scratch: Scratch): string {
  const touches = newRows('judged-events')
  const registry = newRows('registry')
  const corrections = newRows('corrections')
  const voided = corrections && voidedTouchesSql(corrections)
  const touched = [touches && newTouchesSql(touches), voided, registry && touchesOfCampaignsSql(registry)].filter(
    Boolean,
  )
  return `
INSERT INTO ${scratch.touched} (shopId, cid, fromAt, toAt)
SELECT shopId, cid, min(since), max(until) FROM (${touched.join('\n  UNION ALL')}
)
GROUP BY shopId, cid`
}

/** Selects one row, `{ people }`: how many rows `touched` has. */
export const touchedPeopleSql = ({ touched }: Scratch): string => `SELECT toInt64(count()) AS people FROM ${touched}`

/** What can affect transactions, and is therefore asked for. */
export interface AffectedBy {
  /**
   * Which transactions new touches affect. TIME: all transactions of their shops since the first of them, no matter whose; PERSON:
   * those of the persons in `people`; null: none.
   */
  touches: 'TIME' | 'PERSON' | null
  newLinks: boolean
  /** Whether an owner has more pairs in `links` than places. */
  isCrowded: boolean
}

/**
 * Selects one row, `{ transactions }`: how many transactions TIME would take, counted up to parameter max. Further parameters
 * touchedShops and touchedFrom.
 */
export const transactionsInTimeSql = `
SELECT toInt64(count()) AS transactions FROM (
  SELECT 1 FROM transactions WHERE NOT imported AND ${IS_IN_TIME} LIMIT {max:UInt32})`

/** Fills `links` with the links that decide who the persons of `touched` and of new links are. Null when neither is asked for. */
export function nearSql(
  { touched, found, links }: Scratch,
  by: Pick<AffectedBy, 'touches' | 'newLinks'>,
): string | null {
  const people = [
    by.touches === 'PERSON' && `SELECT shopId, cid FROM ${touched}`,
    by.newLinks && `SELECT shopId, cid FROM ${found}`,
  ].filter(Boolean)
  return people.length === 0 ? null : fillLinksSql(links, people.join(' UNION ALL '))
}

/** Fills `people` with all cids of the persons of `touched`. */
export const peopleSql = ({ touched, links, people }: Scratch, { isCrowded }: { isCrowded: boolean }): string => `
INSERT INTO ${people} (shopId, cid, fromAt, toAt)
SELECT t.shopId AS shopId, q.memberCid AS cid, min(t.fromAt), max(t.toAt)
FROM (SELECT * FROM ${touched}) AS t
INNER JOIN (${membersSql(`SELECT shopId, cid FROM ${touched}`, { links, mayBeCrowded: isCrowded })}) AS q
  ON q.personShopId = t.shopId AND q.personCid = t.cid
GROUP BY shopId, cid`

/**
 * The transactions whose credit the new rows can have changed; null when there are none. Parameters done, touchedShops, touchedFrom and,
 * for new rows of `registry` and `item-groups`, settledUntil: they change nothing of transactions from before.
 */
export function affectedSql(newRows: NewRows, scratch: Scratch, by: AffectedBy): string | null {
  const transactions = newRows('transactions')
  const registry = newRows('registry')
  const groups = newRows('item-groups')
  const returns = newRows('transaction-returns')
  const branches = [
    transactions && transactionsSql(transactions),
    by.touches === 'TIME' && transactionsSql(IS_IN_TIME),
    by.touches === 'PERSON' && ofPeopleSql(scratch),
    by.newLinks && ofNewLinksSql(scratch, by),
    registry && ofShopsSql(registry),
    groups && ofGroupsSql(groups),
    returns && ofReturnsSql(returns),
  ].filter(Boolean)
  return branches.length === 0 ? null : branches.join('\nUNION ALL\n')
}

const transactionsSql = (condition: string): string =>
  `SELECT ${personKeySql} AS personKey, shopId, kind, eventId FROM transactions WHERE NOT imported AND (${condition})`

const newTouchesSql = (newTouches: string): string => `
  SELECT shopId, cid, occurredAt AS since, occurredAt + ${windowMaxMsSql} AS until
  FROM judged_events WHERE verdict = 'VALID' AND (${newTouches})`

/** People whose touches were voided. What these may have earned now belongs to others. */
const voidedTouchesSql = (corrections: string): string => `
  SELECT shopId, cid, occurredAt AS since, occurredAt + ${windowMaxMsSql} AS until
  FROM event_corrections WHERE ${corrections}`

/**
 * People whose touches are of campaigns with another attribution list, or with one that is in force earlier than the one before it: the
 * clock may be set back between two versions.
 */
function touchesOfCampaignsSql(newEntries: string): string {
  const changed = `
    SELECT campaignId, min(since) AS since FROM (
      SELECT campaignId, _partition, _offset, attributionProductIds AS list, lagInFrame(list) OVER history AS before,
        if(row_number() OVER history = 1, 0, updatedAt) AS since, updatedAt < max(updatedAt) OVER history AS isEarlier
      FROM campaign_versions FINAL
      WINDOW history AS (PARTITION BY campaignId ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE (${newEntries}) AND (list != before OR isEarlier) GROUP BY campaignId`
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

/** Transactions of the cids in `people`, each in its time. */
const ofPeopleSql = ({ people }: Scratch): string => `
SELECT p.personKey AS personKey, p.shopId AS shopId, p.kind AS kind, p.eventId AS eventId
FROM (
  SELECT personKey, shopId, kind, eventId, occurredAt, cid FROM transactions_by_person
  WHERE personKey IN (${personKeysSql(`SELECT shopId, cid FROM ${people}`)})
    AND occurredAt BETWEEN (SELECT min(fromAt) FROM ${people}) AND (SELECT max(toAt) FROM ${people})
) AS p
INNER JOIN ${people} AS r ON r.shopId = p.shopId AND r.cid = p.cid
WHERE p.occurredAt BETWEEN r.fromAt AND r.toAt`

/**
 * Transactions of everybody whom a new link can join or part. A link with a place joins all who were seen with its uid. It may also
 * have put another link out of its place; where the cid is crowded, this may part those who were seen with the cid's other uids. A
 * link without a place changes nothing.
 */
function ofNewLinksSql({ links }: Scratch, { isCrowded }: { isCrowded: boolean }): string {
  return `
SELECT personKey, shopId, kind, eventId FROM transactions_by_person
WHERE personKey IN (${personKeysSql(`
  SELECT shopId, cid FROM ${links} WHERE (shopId, uid) IN (
    SELECT shopId, uid FROM ${links} WHERE ${IS_NEW_LINK} ${isCrowded ? changedPlacesSql(links) : ''})`)})`
}

/** The rest of a query for the uids of new links: keeps links that have a place, and adds the other uids of the cids that they crowd. */
function changedPlacesSql(links: string): string {
  const ofNew = (owner: 'uid' | 'cid') =>
    `(shopId, ${owner}) IN (SELECT shopId, ${owner} FROM ${links} WHERE ${IS_NEW_LINK})`
  return `AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('uid', links, ofNew('uid'))})
    UNION ALL
    SELECT shopId, uid FROM ${links} WHERE (shopId, cid) IN (
      SELECT shopId, cid FROM ${links}
      WHERE ${IS_NEW_LINK} AND (shopId, cid) IN (${crowdedSql('cid', links, ofNew('cid'))})
        AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('cid', links, ofNew('cid'))}))`
}

/**
 * Lines that were computed with other windows than their shop has now, or with another trust than it had when it received them. Most
 * changes of a shop are of something else, and no line is read for these.
 */
const ofShopsSql = (newEntries: string): string => `
SELECT ${personKeyOf('l.shopId', 'l.cid')} AS personKey, l.shopId AS shopId, l.kind AS kind, l.eventId AS eventId
FROM (
  SELECT * FROM attributed_lines FINAL
  WHERE shopId IN (${reattributedShopsSql(newEntries)}) AND occurredAt >= {settledUntil:Int64}
) AS l
INNER JOIN (${windowsSql}) AS w ON w.shopId = l.shopId
WHERE (l.clickWindowHours, l.viewWindowHours) != (w.clickWindowHours, w.viewWindowHours)
  OR l.trust != ${trustAtSql('w.trusts', 'l.receivedAt')}`

/**
 * Shops with other windows or another trust than in the version before, or with a trust that is in force earlier, because the clock was
 * set back. The first version of a shop replaces the defaults.
 */
const reattributedShopsSql = (newEntries: string): string => `
    SELECT shopId FROM (
      SELECT shopId, _partition, _offset, (clickWindowHours, viewWindowHours, transactionTrust) AS settings,
        lagInFrame(settings) OVER history AS before, row_number() OVER history = 1 AS isFirst,
        updatedAt < max(updatedAt) OVER history AS isEarlier
      FROM shop_versions FINAL
      WINDOW history AS (PARTITION BY shopId ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE (${newEntries}) AND (isFirst OR settings != before OR isEarlier)`

/**
 * Lines that were computed with other item groups than their product has now. Each change of a product tells its item group, and hardly
 * any changes it, so first the products are found that have such lines, replaced ones included (migrations/035_line_groups.sql).
 */
function ofGroupsSql(newGroups: string): string {
  const products = `SELECT shopId, id FROM product_groups WHERE ${newGroups}`
  const groups = itemGroupsSql({ product_groups: `(shopId, id) IN (${products})` })
  const regrouped = `
    SELECT l.shopId, l.shopProductId
    FROM (
      SELECT shopId, shopProductId, itemGroups FROM attributed_lines
      WHERE (shopId, shopProductId) IN (${products}) GROUP BY shopId, shopProductId, itemGroups
    ) AS l
    LEFT JOIN (${groups}) AS g ON g.shopId = l.shopId AND g.id = l.shopProductId
    WHERE l.itemGroups != g.groups`
  return `
SELECT ${personKeyOf('l.shopId', 'l.cid')} AS personKey, l.shopId AS shopId, l.kind AS kind, l.eventId AS eventId
FROM (
  SELECT * FROM attributed_lines FINAL
  WHERE (shopId, shopProductId) IN (${regrouped}) AND occurredAt >= {settledUntil:Int64}
) AS l
LEFT JOIN (${groups}) AS g ON g.shopId = l.shopId AND g.id = l.shopProductId
WHERE l.itemGroups != g.groups`
}

/** Purchases that are named by new returns, or by other versions of these returns. */
const ofReturnsSql = (newReturns: string): string => `
SELECT ${personKeySql} AS personKey, shopId, kind, eventId FROM transactions_by_id
WHERE NOT imported AND ${byIdSql(`
  SELECT shopId, 'PURCHASE' AS kind, eventId FROM transaction_returns
  WHERE (shopId, returnId) IN (SELECT shopId, returnId FROM transaction_returns WHERE ${newReturns})`)}`
