/**
 * The scratch tables of attribution, in memory. Each process has its own, so that a frozen process that wakes up while the next
 * leader runs cannot mix its rows into that leader's. A run empties a table before it fills it.
 */
export interface Scratch {
  /** Has one row, until a restart of the server empties all these tables. */
  mark: string
  /** Pairs of cid and uid in the new rows, with their valid touches. One more row for each shop has the touches without a uid. */
  seen: string
  /** Those pairs that are not links yet, or that the new rows show or prove earlier than their link does. */
  found: string
  /** Cids with new touches, and the time of the transactions that these may earn. */
  touched: string
  /** Those cids and all others of the same persons. */
  people: string
  /** Links that decide who the persons are that the current step asks about. */
  links: string
  /** The transactions to compute again, each with its place, counted from 0. */
  scope: string
  /** All versions of these transactions, each with the place of its transaction, where they are computed in several slices. */
  versions: string
  /** The lines of one slice. */
  lines: string
  /** The same lines with their credit, as they are stored. */
  credited: string
  /** The cids of those lines, once for each cid whose touches count for them. */
  reach: string
  /** The keys of the cids whose touches are in `otherTouches`. */
  otherKeys: string
  /** Touches of the other cids of people whose lines are computed in several slices. */
  otherTouches: string
}

const SCRATCH_PREFIX = 'attribution_scratch_'

/** @param name a UUID, or another name of letters, digits and dashes that nobody else has. */
export function scratchOf(name: string): Scratch {
  const of = (part: string) => `${SCRATCH_PREFIX}${name.replaceAll('-', '')}_${part}`
  return {
    mark: of('mark'),
    seen: of('seen'),
    found: of('found'),
    touched: of('touched'),
    people: of('people'),
    links: of('links'),
    scope: of('scope'),
    versions: of('versions'),
    lines: of('lines'),
    credited: of('credited'),
    reach: of('reach'),
    otherKeys: of('other_keys'),
    otherTouches: of('other_touches'),
  }
}

/** All scratch tables of the database: those that killed processes have left, and those of running processes. */
export const leftScratchSql = `
SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '${SCRATCH_PREFIX}')`

const pairColumns = 'shopId String, cid String, uid String, seenAt Int64, provenAt Int64'
const peopleColumns = 'shopId String, cid String, fromAt Int64, toAt Int64'
const columnsOf: Record<keyof Scratch, string> = {
  mark: 'one UInt8',
  seen: `${pairColumns}, touches Int64, firstAt Int64`,
  found: pairColumns,
  touched: peopleColumns,
  people: peopleColumns,
  links: `${pairColumns}, version Int64`,
  scope: 'place UInt64, shopId String, kind String, eventId String',
  versions: `place UInt64, eventId String, kind LowCardinality(String), shopId String, cid String, uid Nullable(String),
    currency LowCardinality(String), occurredAt Int64, receivedAt Int64, imported Bool, proof LowCardinality(String),
    lines Array(Tuple(shopProductId String, priceMicros Int64, quantity Int64, productTitle Nullable(String),
      brand Nullable(String), sellerId Nullable(String)))`,
  lines: `shopId String, kind String, eventId String, line UInt32, occurredAt Int64, cid String, uid Nullable(String),
    shopProductId String, quantity Int64, priceMicros Int64, currency String, isFirstOfProduct Bool, itemGroups Array(String), proof String,
    receivedAt Int64, trust String, returnedQuantity Int64, returnedMicros Int64, clickWindowHours Int32,
    viewWindowHours Int32, countedLines UInt32, mostLines UInt32, displacedAt Array(Int64)`,
  credited: `shopId String, kind String, eventId String, line UInt32, occurredAt Int64, cid String, uid Nullable(String),
    shopProductId String, quantity Int64, priceMicros Int64, currency String, outcome String, match String, touchType String,
    touchEventId String, touchAt Int64, campaignId String, accountId String, adId String, slotHash String, adUnitId String,
    algorithm String, country Nullable(String), itemGroups Array(String), proof String, receivedAt Int64, trust String,
    returnedQuantity Int64, returnedMicros Int64, clickWindowHours Int32, viewWindowHours Int32, version Int64, deleted UInt8`,
  reach: 'personShopId String, personCid String, memberCid String',
  otherKeys: 'personKey UInt32',
  otherTouches: `personKey UInt32, shopId String, cid String, eventId String, type LowCardinality(String), occurredAt Int64,
    kind LowCardinality(String), campaignId String, accountId String, adId String, itemGroupId Nullable(String), slotHash String,
    adUnitId String, algorithm LowCardinality(String), country LowCardinality(Nullable(String))`,
}

/** Of the tables that may have a million rows. */
const settingsOf: Partial<Record<keyof Scratch, string>> = {
  versions: 'SETTINGS compress = 1',
  otherTouches: 'SETTINGS compress = 1',
}

export const createScratchStatements = (scratch: Scratch): string[] => [
  ...(Object.entries(scratch) as [keyof Scratch, string][]).map(
    ([part, table]) => `CREATE TABLE ${table} (${columnsOf[part]}) ENGINE = Memory ${settingsOf[part] ?? ''}`,
  ),
  `INSERT INTO ${scratch.mark} SELECT 1`,
]

/** Selects whether the scratch tables still have their rows. */
export const isKeptSql = ({ mark }: Scratch): string => `SELECT toBool(count() = 1) AS isKept FROM ${mark}`
