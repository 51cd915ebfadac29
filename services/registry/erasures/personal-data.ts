import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type LinkedRow,
  linkedIdentifiersQuery,
  type PersonalDataPart,
  personalDataParts,
  personalDataQuery,
} from '../../../infra/analytics/queries/people/personal-data.ts'
import type { Identifier } from '../../domain/erasure/erasures.ts'
import { Problem } from '../../domain/errors.ts'
import { toIso } from '../resources/conversions.ts'

/** Rows of one kind. No person causes so many, only a machine or an identifier that many people share. */
const ROWS_MAX = 10_000

/**
 * Reads what the tables hold under an identifier.
 * @throws Problem TOO_LARGE for more rows than a file may have, because the file would otherwise be cut off silently.
 */
export async function readPersonalData(
  analytics: Pick<Analytics, 'query'>,
  { shopId, identifier, rowsMax = ROWS_MAX }: { shopId: string; identifier: Identifier; rowsMax?: number },
) {
  const person = {
    shopId,
    identifier: identifier.kind === 'CID' ? ('cid' as const) : ('uid' as const),
    value: identifier.value,
  }
  const data: Partial<Record<PersonalDataPart, object[]>> = {}
  for (const part of personalDataParts) {
    const { sql, params } = personalDataQuery(part, person, rowsMax)
    data[part] = checked(await analytics.query<object>(sql, params), part, rowsMax)
  }
  const { sql, params } = linkedIdentifiersQuery(person, rowsMax)
  const linked = checked(await analytics.query<LinkedRow>(sql, params), 'linked', rowsMax)
  return {
    linked: linked.map(({ firstSeenAt, ...pair }) => ({ ...pair, firstSeenAt: toIso(firstSeenAt) })),
    ...(data as Record<PersonalDataPart, object[]>),
  }
}

function checked<T>(rows: T[], part: string, rowsMax: number): T[] {
  if (rows.length <= rowsMax) return rows
  throw new Problem('TOO_LARGE', `${part} has more than ${rowsMax} rows, the maximum of an export`)
}
