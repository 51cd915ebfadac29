/**
 * Which cids are one person, as SQL. Two cids are when both were seen with one uid and both of these pairs have a place. A
 * uid has places for the cids that it was first seen with, a cid for the uids that it was first seen with; what comes later
 * adds nothing, and takes nothing away. Pairs that a proven sender showed have as many places of their own, so that strangers
 * who fill the others do not keep them out. First is by the clock of the intake, then by the id: never by arrival here.
 */

/** Of a uid. A person's browsers may forget their cid every week: three of them in the 400 days of the log are 171. */
export const CIDS_PER_UID_MAX = 200
/** Of a cid: a family at one tablet, and some who have registered twice. */
export const UIDS_PER_CID_MAX = 20

/** When a pair was never shown by a proven sender. */
export const NEVER = Number.MAX_SAFE_INTEGER

/** Conditions on the rows of `person_links`. */
export interface LinkScope {
  /** All links of some cids. */
  people: string
  /** All links of the uids of these, or of more. */
  others: string
  /** All links of the cids of those, or of more. */
  neighbours: string
}

/** The few links that matter to some people (SQL that selects shopId, cid). */
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

const places = {
  uid: { counted: 'cid', max: CIDS_PER_UID_MAX },
  cid: { counted: 'uid', max: UIDS_PER_CID_MAX },
} as const

/** The owners among `links` that have more pairs than places. */
export const crowdedSql = (owner: 'uid' | 'cid', links: string): string => `
        SELECT shopId, ${owner} FROM person_links WHERE ${links}
        GROUP BY shopId, ${owner} HAVING uniqExact(${places[owner].counted}) > ${places[owner].max}`

/** The pairs (shopId, cid, uid) among `links`, all of an owner or none, that have no place with their owner. */
export function withoutPlaceSql(owner: 'uid' | 'cid', links: string): string {
  const { counted, max } = places[owner]
  const placeBy = (time: string) => `row_number() OVER (PARTITION BY shopId, ${owner} ORDER BY ${time}, ${counted})`
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
