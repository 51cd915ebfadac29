import { LINK_PLACES } from '../../../../services/domain/attribution/credit.ts'

/**
 * Which cids are one person, as SQL over `links_by_cid` and `links_by_uid`. `services/domain/attribution/credit.ts` has the
 * rules.
 */

/** `provenAt` of a pair that no proven sender has shown. */
export const NEVER = Number.MAX_SAFE_INTEGER

/** SQL for the `personKey` or `cidKey` under which the tables by person have a cid. Its arguments are SQL for the shop and the cid. */
export const personKeyOf = (shopId: string, cid: string): string => `murmurHash3_32(${shopId}, ${cid})`
export const personKeySql = personKeyOf('shopId', 'cid')
const uidKeySql = 'murmurHash3_32(shopId, uid)'

/**
 * SQL that selects the keys of some people (SQL that selects shopId, cid). Look-ups by people compare the key alone, because reading
 * shopId and cid too takes far longer. Different people may have the same key, so what a look-up finds is joined by shopId and cid
 * later, or used where a few people too many do no harm.
 */
export const personKeysSql = (people: string): string => `SELECT ${personKeySql} FROM (${people})`

/**
 * Links that decide who is one person: a table, or a subquery in parentheses. For each cid that is asked about, it has all pairs of
 * that cid, all pairs of each uid among these, and all pairs of each cid among those. It may have more.
 */
export interface LinkScope {
  links: string
  /** False when no owner has more pairs among `links` than places, so that every pair has a place. */
  mayBeCrowded: boolean
}

/** The links that decide who the persons of some cids are (SQL that selects shopId, cid), and perhaps a few more. */
export function nearLinksSql(people: string): string {
  const uids = `SELECT ${uidKeySql} FROM links_by_cid WHERE cidKey IN (${personKeysSql(people)})`
  const neighbours = `SELECT ${personKeySql} FROM links_by_uid WHERE uidKey IN (${uids})`
  return `SELECT shopId, cid, uid, seenAt, provenAt, version FROM links_by_cid WHERE cidKey IN (${neighbours})`
}

/**
 * Each cid of some people with each cid of the same person, itself included: personShopId, personCid, memberCid. Pairs are joined, and
 * not lists of cids: a person may have thousands, and the lists of all of these would not fit in memory.
 * @param people SQL that selects shopId, cid.
 */
export function membersSql(people: string, { links, mayBeCrowded }: LinkScope): string {
  const isPlaced = mayBeCrowded
    ? `(shopId, cid, uid) NOT IN (${withoutPlaceSql('uid', links, 'true')})
      AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('cid', links, 'true')})`
    : 'true'
  return `
    SELECT shopId AS personShopId, cid AS personCid, cid AS memberCid FROM (${people})
    UNION DISTINCT
    SELECT a.shopId, a.cid, b.cid
    FROM (SELECT shopId, cid, uid FROM ${links} WHERE (shopId, cid) IN (${people}) AND ${isPlaced}) AS a
    INNER JOIN (SELECT shopId, cid, uid FROM ${links} WHERE ${isPlaced}) AS b ON a.shopId = b.shopId AND a.uid = b.uid`
}

/** Fills a scratch table with the links that decide who the persons of some cids are. */
export const fillLinksSql = (links: string, people: string): string => `INSERT INTO ${links} ${nearLinksSql(people)}`

/** The owners that have more pairs among `links` than places. `where` must hold for all pairs of an owner or for none. */
export const crowdedSql = (owner: 'uid' | 'cid', links: string, where: string): string => `
        SELECT shopId, ${owner} FROM ${links} WHERE ${where}
        GROUP BY shopId, ${owner} HAVING uniqExact(${LINK_PLACES[owner].takenBy}) > ${LINK_PLACES[owner].max}`

/** Selects one row, `{ isCrowded }`: whether an owner has more pairs among `links` than places; null when there are no links. */
export const crowdingSql = (links: string): string => `
  SELECT toBool(maxOrNull(taken > places)) AS isCrowded FROM (${(['uid', 'cid'] as const)
    .map((owner) => {
      const { takenBy, max } = LINK_PLACES[owner]
      return `SELECT uniqExact(${takenBy}) AS taken, ${max} AS places FROM ${links} GROUP BY shopId, ${owner}`
    })
    .join(' UNION ALL ')})`

/** The pairs (shopId, cid, uid) that have no place with their owner. `where` must hold for all pairs of an owner or for none. */
export function withoutPlaceSql(owner: 'uid' | 'cid', links: string, where: string): string {
  const { takenBy, max } = LINK_PLACES[owner]
  const placeBy = (time: string) => `row_number() OVER (PARTITION BY shopId, ${owner} ORDER BY ${time}, ${takenBy})`
  return `
      SELECT shopId, cid, uid FROM (
        SELECT shopId, cid, uid, provenAt, ${placeBy('seenAt')} AS place, ${placeBy('provenAt')} AS provenPlace
        FROM (
          SELECT shopId, cid, uid, min(l.seenAt) AS seenAt, min(l.provenAt) AS provenAt
          FROM ${links} AS l
          WHERE (${where}) AND (shopId, ${owner}) IN (${crowdedSql(owner, links, where)})
          GROUP BY shopId, cid, uid
        )
      )
      WHERE place > ${max} AND (provenAt = ${NEVER} OR provenPlace > ${max})`
}
