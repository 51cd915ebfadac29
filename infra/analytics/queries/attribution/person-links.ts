import { LINK_PLACES } from '../../../../services/domain/attribution/credit.ts'

/** Which cids are one person, as SQL over `person_links`. `services/domain/attribution/credit.ts` has the rules. */

/** `provenAt` of a pair that no proven sender has shown. */
export const NEVER = Number.MAX_SAFE_INTEGER

/** Conditions on the rows of `person_links`. Each may hold for more rows than it must. */
export interface LinkScope {
  /** All links of the cids that are asked about. */
  people: string
  /** All links of the uids of `people`. */
  others: string
  /** All links of the cids of `others`. */
  neighbours: string
}

/** The links that decide who the persons of some cids are (SQL that selects shopId, cid). */
export function linksOf(people: string): LinkScope {
  const ofPeople = `(shopId, cid) IN (${people})`
  const ofUids = `(shopId, uid) IN (SELECT shopId, uid FROM person_links WHERE ${ofPeople})`
  return {
    people: ofPeople,
    others: ofUids,
    neighbours: `(shopId, cid) IN (SELECT shopId, cid FROM person_links WHERE ${ofUids})`,
  }
}

/** For each cid among `people` (personShopId, personCid), the cids that are the same person (`others`), itself included. */
export const linkedSql = ({ people, others, neighbours }: LinkScope): string => `
    SELECT a.shopId AS personShopId, a.cid AS personCid, groupUniqArrayArray(b.cids) AS others
    FROM (SELECT DISTINCT shopId, cid, uid FROM person_links WHERE ${people}) AS a
    INNER JOIN (
      SELECT shopId, uid, groupUniqArray(cid) AS cids
      FROM person_links
      WHERE (${others}) AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('uid', others)})
        AND (shopId, cid, uid) NOT IN (${withoutPlaceSql('cid', neighbours)})
      GROUP BY shopId, uid
    ) AS b ON a.shopId = b.shopId AND a.uid = b.uid
    WHERE has(b.cids, a.cid)
    GROUP BY a.shopId, a.cid`

/** The owners among `links` that have more pairs than places. */
export const crowdedSql = (owner: 'uid' | 'cid', links: string): string => `
        SELECT shopId, ${owner} FROM person_links WHERE ${links}
        GROUP BY shopId, ${owner} HAVING uniqExact(${LINK_PLACES[owner].takenBy}) > ${LINK_PLACES[owner].max}`

/** The pairs (shopId, cid, uid) among `links` that have no place with their owner. `links` holds all pairs of an owner or none. */
export function withoutPlaceSql(owner: 'uid' | 'cid', links: string): string {
  const { takenBy, max } = LINK_PLACES[owner]
  const placeBy = (time: string) => `row_number() OVER (PARTITION BY shopId, ${owner} ORDER BY ${time}, ${takenBy})`
  return `
      SELECT shopId, cid, uid FROM (
        SELECT shopId, cid, uid, provenAt, ${placeBy('seenAt')} AS place, ${placeBy('provenAt')} AS provenPlace
        FROM (
          SELECT shopId, cid, uid, min(l.seenAt) AS seenAt, min(l.provenAt) AS provenAt
          FROM person_links AS l
          WHERE (${links}) AND (shopId, ${owner}) IN (${crowdedSql(owner, links)})
          GROUP BY shopId, cid, uid
        )
      )
      WHERE place > ${max} AND (provenAt = ${NEVER} OR provenPlace > ${max})`
}
