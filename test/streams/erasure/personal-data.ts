import type { Analytics } from '../../../infra/analytics/port.ts'
import type { PersonSpec } from '../../../infra/analytics/queries/people/personal-data.ts'
import { personalDataDocument } from '../../../services/registry/erasures/personal-data.ts'

type Rows = Record<string, unknown>[]

/** The export of a person's data, whose reading begins at 1970-01-01. */
export interface PersonalDataDocument {
  shopId: string
  identifier: string
  exportedAt: string
  identifiersSince: string | null
  linked: Rows
  adRequests: Rows
  adEvents: Rows
  transactions: Rows
  pageViews: Rows
  credits: Rows
  corrections: Rows
}

/** Reads the data of a person to its end. */
export async function personalData(
  analytics: Analytics,
  person: PersonSpec,
  { pageRows }: { pageRows?: number } = {},
): Promise<PersonalDataDocument> {
  const options = { exportedAt: 0, ...(pageRows === undefined ? {} : { pageRows }) }
  const pieces = await Array.fromAsync(personalDataDocument(analytics, person, options))
  return JSON.parse(pieces.join(''))
}
