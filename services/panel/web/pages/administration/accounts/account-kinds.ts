import type { Account } from '../../../client/types.ts'

/** The names of the kinds of accounts, which are also the roles of users. */
export const kindNames: Readonly<Record<Account['kind'], string>> = {
  PUBLISHER: 'Publisher',
  ADVERTISER: 'Advertiser',
  OPERATOR: 'Operator',
}

/** For a Select. */
export const accountKinds = Object.entries(kindNames).map(([value, label]) => ({ value, label }))
