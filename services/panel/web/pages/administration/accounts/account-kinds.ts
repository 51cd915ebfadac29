import type { Account } from '../../../client/types.ts'

/** Kinds of accounts, and so of their users, by name. */
export const kindNames: Readonly<Record<Account['kind'], string>> = {
  PUBLISHER: 'Publisher',
  ADVERTISER: 'Advertiser',
  OPERATOR: 'Operator',
}

/** For a Select. */
export const accountKinds = Object.entries(kindNames).map(([value, label]) => ({ value, label }))
