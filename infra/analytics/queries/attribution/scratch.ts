/**
 * The scratch tables of attribution, in memory. Each process has its own: one that was frozen, and wakes up while the next leader
 * runs, must not mix its rows into that leader's. A run empties a table before it fills it.
 */
export interface Scratch {
  /** One row for as long as the server has not restarted and lost the others. */
  mark: string
  /** Pairs of cid and uid that the new rows show, with the valid touches among these rows; those without a uid are in a row of each shop. */
  seen: string
  /** Those pairs that are no links yet, or not so early, or not proven. */
  found: string
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
    lines: of('lines'),
    reach: of('reach'),
  }
}

/** Scratch tables that killed processes have left. */
export const leftScratchSql = `
SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '${SCRATCH_PREFIX}')`

const pairColumns = 'shopId String, cid String, uid String, seenAt Int64, provenAt Int64'
const peopleColumns = 'shopId String, cid String, fromAt Int64, toAt Int64'
const lineColumns = 'shopId String, kind String, eventId String, line UInt32, occurredAt Int64'
const columnsOf: Record<keyof Scratch, string> = {
  mark: 'one UInt8',
  seen: `${pairColumns}, touches Int64, firstAt Int64`,
  found: pairColumns,
  touched: peopleColumns,
  people: peopleColumns,
  links: `${pairColumns}, version Int64`,
  scope: 'slice UInt32, shopId String, kind String, eventId String',
  lines: `${lineColumns}, cid String, uid Nullable(String), shopProductId String, quantity Int64,
    priceMicros Int64, currency String, itemGroups Array(String), proof String, receivedAt Int64, trust String,
    returnedQuantity Int64, returnedMicros Int64, clickWindowHours Int32, viewWindowHours Int32,
    countedLines UInt32, mostLines UInt32`,
  reach: `${lineColumns}, shopProductId String, itemGroups Array(String), clickWindowHours Int32,
    viewWindowHours Int32, touchCid String`,
}

export const createScratchStatements = (scratch: Scratch): string[] => [
  ...Object.entries(scratch).map(
    ([part, table]) => `CREATE TABLE ${table} (${columnsOf[part as keyof Scratch]}) ENGINE = Memory`,
  ),
  `INSERT INTO ${scratch.mark} SELECT 1`,
]

/** Whether the server still has what the scratch tables were given. */
export const isKeptSql = ({ mark }: Scratch): string => `SELECT toBool(count() = 1) AS isKept FROM ${mark}`
