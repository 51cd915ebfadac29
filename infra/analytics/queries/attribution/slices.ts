import { ATTRIBUTION_OUTCOMES, type AttributionOutcome } from '../../../../services/domain/attribution/credit.ts'
import { isVoidedSql } from '../corrections.ts'
import { byIdSql } from './lookups.ts'
import { linksAmong, nearLinksSql, personKeysSql } from './person-links.ts'
import { returnsOf } from './returned-lines.ts'
import {
  candidatesSql,
  firstThatHoldsSql,
  linesSql,
  reachSql,
  storedTouchesSql,
  touchDetailsSql,
  windowMaxMsSql,
} from './touches.ts'
import { TRANSACTION_ORDER, unprovenSql } from './transaction-versions.ts'

/**
 * The scratch tables of one run. Each run has its own: a run that was frozen, and wakes up while the next leader runs,
 * must not mix its rows into that leader's.
 */
export interface Scratch {
  /** Cids with new touches, and the time in which these may earn credit. */
  touched: string
  /** Those cids and all others of the same persons. */
  people: string
  /** What tells who the persons are that are looked for at the moment. */
  links: string
  /** The transactions to compute again, in slices that fit in memory. */
  scope: string
  /** The lines of one slice. */
  lines: string
  /** Those lines once per cid whose touches count for them. */
  reach: string
}

const SCRATCH_PREFIX = 'attribution_scratch_'

/** @param run a UUID, or another name of letters, digits and dashes that no other run has. */
export function scratchOf(run: string): Scratch {
  const name = (part: string) => `${SCRATCH_PREFIX}${run.replaceAll('-', '')}_${part}`
  return {
    touched: name('touched'),
    people: name('people'),
    links: name('links'),
    scope: name('scope'),
    lines: name('lines'),
    reach: name('reach'),
  }
}

/** Scratch tables that earlier runs have left. */
export const leftScratchSql = `
SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '${SCRATCH_PREFIX}')`

const lineColumns = 'shopId String, kind String, eventId String, line UInt32, occurredAt Int64'
export const createScratchStatements = ({ touched, people, links, scope, lines, reach }: Scratch): string[] => [
  `CREATE TABLE ${touched} (shopId String, cid String, fromAt Int64, toAt Int64) ENGINE = Memory`,
  `CREATE TABLE ${people} (shopId String, cid String, fromAt Int64, toAt Int64) ENGINE = Memory`,
  `CREATE TABLE ${links} (shopId String, cid String, uid String, seenAt Int64, provenAt Int64, version Int64) ENGINE = Memory`,
  `CREATE TABLE ${scope} (slice UInt32, shopId String, kind String, eventId String) ENGINE = Memory`,
  `CREATE TABLE ${lines} (${lineColumns}, cid String, uid Nullable(String), shopProductId String, quantity Int64,
    priceMicros Int64, currency String, itemGroups Array(String), proof String, receivedAt Int64, trust String,
    returnedQuantity Int64, returnedMicros Int64,
    clickWindowHours Int32, viewWindowHours Int32) ENGINE = Memory`,
  `CREATE TABLE ${reach} (${lineColumns}, shopProductId String, itemGroups Array(String), clickWindowHours Int32,
    viewWindowHours Int32, touchCid String) ENGINE = Memory`,
]

/** What the scratch tables hold. It shrinks when the store restarts during the run, because they live in memory. */
export const heldSql = ({ touched, scope }: Scratch): string => `
SELECT (SELECT count() FROM ${touched}) AS touched, (SELECT count() FROM ${scope}) AS transactions,
  (SELECT uniqExact(slice) FROM ${scope}) AS slices`

/** Fills `scope` with the transactions that `affected` selects, sliced by person so that the touches of a slice lie together. */
export const scopeSql = (affected: string, { scope }: Scratch): string => `
INSERT INTO ${scope} (slice, shopId, kind, eventId)
SELECT intDiv(row_number() OVER (ORDER BY firstKey, shopId, kind, eventId) - 1, {sliceSize:UInt32}), shopId, kind, eventId
FROM (
  SELECT shopId, kind, eventId, min(personKey) AS firstKey FROM (
${affected}
  ) GROUP BY shopId, kind, eventId
)`

/**
 * Computes one slice and stores it under `version`, in this order. Running it again changes nothing: a row replaces the
 * row of the same line with an older or equal version.
 */
export function sliceStatements(scratch: Scratch): string[] {
  const { scope, lines, links, reach } = scratch
  const slice = `SELECT shopId, kind, eventId FROM ${scope} WHERE slice = {slice:UInt32}`
  const people = `SELECT shopId, cid FROM ${lines}`
  return [
    ...[lines, links, reach].map((table) => `TRUNCATE TABLE ${table}`),
    fillLinesSql(slice, scratch),
    `INSERT INTO ${links} ${nearLinksSql(people)}`,
    fillReachSql(people, scratch),
    storeLinesSql(scratch),
    deleteDisplacedLinesSql(slice),
  ]
}

const fillLinesSql = (slice: string, { lines }: Scratch): string => `
INSERT INTO ${lines} (shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity,
  priceMicros, currency, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros,
  clickWindowHours, viewWindowHours)
SELECT shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros, currency, itemGroups, proof,
  receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours, viewWindowHours
FROM (${linesSql({
  transactions: `transactions_by_id WHERE ${byIdSql(slice)}`,
  product_groups: `(shopId, id) IN (
    SELECT shopId, arrayJoin(lines.shopProductId) FROM transactions_by_id WHERE ${byIdSql(slice)})`,
  transaction_returns: returnsOf(`SELECT shopId, eventId FROM (${slice})`),
})})`

const fillReachSql = (people: string, { lines, links, reach }: Scratch): string => `
INSERT INTO ${reach} (shopId, kind, eventId, line, occurredAt, shopProductId, itemGroups,
  clickWindowHours, viewWindowHours, touchCid)
SELECT shopId, kind, eventId, line, occurredAt, shopProductId, itemGroups, clickWindowHours, viewWindowHours, touchCid
FROM (${reachSql(`SELECT * FROM ${lines}`, linksAmong(links, people))})`

const conditionOf: Record<AttributionOutcome, string> = {
  UNPROVEN: unprovenSql('l'),
  CREDITED: 'w.matches > 0',
  NO_MATCH: 'w.touches > 0',
  NO_TOUCH: 'true',
}
const outcomeSql = firstThatHoldsSql(ATTRIBUTION_OUTCOMES.map((outcome) => [conditionOf[outcome], outcome]))

const storeLinesSql = ({ lines, reach }: Scratch): string => `
INSERT INTO attributed_lines (shopId, kind, eventId, line, occurredAt, cid, uid, shopProductId, quantity, priceMicros,
  currency, outcome, match, touchType, touchEventId, touchAt, campaignId, accountId, adId, slotHash, adUnitId, algorithm,
  country, itemGroups, proof, receivedAt, trust, returnedQuantity, returnedMicros, clickWindowHours,
  viewWindowHours, version, deleted)
SELECT l.shopId, l.kind, l.eventId, l.line, l.occurredAt, l.cid, l.uid, l.shopProductId, l.quantity, l.priceMicros,
  l.currency, ${outcomeSql},
  if(w.matches > 0, w.match, ''), if(w.matches > 0, w.touchType, ''), w.touchEventId, w.touchAt, w.campaignId, w.accountId,
  w.adId, w.slotHash, w.adUnitId, w.algorithm, w.country, l.itemGroups, l.proof, l.receivedAt, l.trust,
  l.returnedQuantity, l.returnedMicros, l.clickWindowHours, l.viewWindowHours, {version:Int64}, 0
FROM ${lines} AS l
LEFT JOIN (
  SELECT shopId, kind, eventId, line, touches, matches, ${touchDetailsSql('best')}
  FROM (
    SELECT shopId, kind, eventId, line, count() AS touches, countIf(match != '') AS matches, maxIf(touch, match != '') AS best
    FROM (${candidatesSql(`SELECT * FROM ${reach}`, {
      touches: storedTouchesSql(`touches
      WHERE (personKey, shopId, cid) IN (${personKeysSql(`SELECT shopId, touchCid AS cid FROM ${reach}`)})
      AND occurredAt <= (SELECT max(occurredAt) FROM ${lines})
      AND occurredAt >= (SELECT min(occurredAt) FROM ${lines}) - ${windowMaxMsSql}
      AND NOT ${isVoidedSql}`),
      campaign_versions: `shopId IN (SELECT shopId FROM ${lines})`,
    })})
    GROUP BY shopId, kind, eventId, line
  )
) AS w ON w.shopId = l.shopId AND w.kind = l.kind AND w.eventId = l.eventId AND w.line = l.line`

/** Lines that a version of a transaction has which may have counted before, beyond those of the version that counts now. */
const deleteDisplacedLinesSql = (slice: string): string => `
INSERT INTO attributed_lines (shopId, kind, eventId, line, version, deleted)
SELECT shopId, kind, eventId, arrayJoin(range(counted, most)), {version:Int64}, 1
FROM (
  SELECT shopId, kind, eventId, toUInt32(argMin(length(lines), tuple(${TRANSACTION_ORDER}))) AS counted,
    toUInt32(max(length(lines))) AS most
  FROM transactions_by_id WHERE NOT imported AND ${byIdSql(slice)}
  GROUP BY shopId, kind, eventId
  HAVING counted < most
)`
