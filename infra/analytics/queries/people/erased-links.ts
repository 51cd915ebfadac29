import { eventTables, linkTables } from '../attribution/lookups.ts'
import { NEVER } from '../attribution/person-links.ts'
import { anyOf, type Erasing, hasIdentifier, pseudonymIn } from './erasure.ts'

/**
 * Erases people in the links of cids and uids. A link tells only when its pair was seen first, and a browser may go on with the same
 * identifiers after the erasure was requested. So these statements give what was seen before to the pseudonyms, and make the links of
 * everything later again from the events, in which the identifiers of before are replaced already.
 */

const columns = { CID: 'cid', UID: 'uid' } as const

/** What was seen until then belongs to the pseudonyms. */
const earliest = (erasures: Erasing): number => Math.min(...erasures.map(({ requestedAt }) => requestedAt))

/** Statements to run one after the other. They can be repeated, and are done when they return. */
export const linkErasures = (erasures: Erasing): string[] =>
  linkTables.flatMap((table) => [
    movedSql(table, erasures),
    `ALTER TABLE ${table} DELETE WHERE ${areNamed(erasures)} SETTINGS mutations_sync = 1`,
    seenLaterSql(table, erasures),
  ])

function movedSql(table: string, erasures: Erasing): string {
  const until = earliest(erasures)
  const renamed = (['CID', 'UID'] as const).map((kind) => {
    const column = columns[kind]
    return `${pseudonymIn({ column, kind }, erasures, (erasure) => hasIdentifier(erasure, column))} AS ${column}`
  })
  return `INSERT INTO ${table} SELECT * REPLACE (${renamed.join(', ')}, if(provenAt > ${until}, ${NEVER}, provenAt) AS provenAt)
FROM (SELECT * FROM ${table} WHERE seenAt <= ${until} AND (${areNamed(erasures)}))`
}

/** Links get version 0: no run of attribution has to find out whom they concern, because `peopleOfErasuresSql` tells. */
function seenLaterSql(table: string, erasures: Erasing): string {
  const since = earliest(erasures)
  const pairs = Object.values(eventTables).map(
    (each) => `
  SELECT shopId, e.cid AS person, assumeNotNull(e.uid) AS user, ${each.receivedAt} AS at, if(${each.isProven}, at, ${NEVER}) AS proven
  FROM ${each.table} AS e
  WHERE ${each.receivedAt} > ${since} AND ifNull(e.uid, '') != ''
    AND (${areConcerned(erasures, 'e.')})`,
  )
  return `INSERT INTO ${table} (shopId, cid, uid, seenAt, provenAt, version)
SELECT shopId, person, user, min(at), min(proven), 0 FROM (${pairs.join(' UNION ALL')}
) GROUP BY shopId, person, user`
}

/** Selects the people (shopId, cid) who have an erased identifier, or the pseudonym that replaces it now. */
export const peopleOfErasuresSql = (erasures: Erasing): string => `
SELECT shopId, cid FROM transactions_by_person
WHERE ${areConcerned(erasures.filter(({ identifier }) => identifier === 'CID'))}
UNION DISTINCT
SELECT shopId, cid FROM links_by_cid WHERE ${areConcerned(erasures)}`

/** Whether a row has one of the identifiers. */
const areNamed = (erasures: Erasing): string =>
  anyOf(erasures.map((erasure) => hasIdentifier(erasure, columns[erasure.identifier])))

/** Whether a row has one of the identifiers or pseudonyms. */
const areConcerned = (erasures: Erasing, alias = ''): string =>
  anyOf(
    erasures.map((erasure) => {
      const column = `${alias}${columns[erasure.identifier]}`
      return `(${hasIdentifier(erasure, column)}) OR (shopId = '${erasure.shopId}' AND ${column} = '${erasure.pseudonym}')`
    }),
  )
