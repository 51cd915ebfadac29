/** What a projection holds. */
export interface Fingerprint {
  rows: number
  /** 16 hexadecimal digits; empty when there is nothing. */
  hash: string
}

/** A projection before and after it was rebuilt from the log. */
export interface TableProof {
  table: string
  rowsBefore: number
  rowsAfter: number
  hashBefore: string
  hashAfter: string
  equal: boolean
  /** Set when only rows from this time on are compared, because the table had forgotten earlier ones. ISO 8601. */
  comparedFrom?: string
}

export function tableProof(table: string, before: Fingerprint, after: Fingerprint): TableProof {
  return {
    table,
    rowsBefore: before.rows,
    rowsAfter: after.rows,
    hashBefore: before.hash,
    hashAfter: after.hash,
    equal: before.rows === after.rows && before.hash === after.hash,
  }
}
