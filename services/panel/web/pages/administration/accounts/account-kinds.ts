import type { Account } from '../../../client/types.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'

/** The names of the kinds of accounts, which are also the roles of users. */
export const kindNames: Readonly<Record<Account['kind'], string>> = {
  PUBLISHER: t('publisher'),
  ADVERTISER: t('advertiser'),
  OPERATOR: t('operator'),
}

/** The kinds as the choices of a Select. */
export const accountKinds = Object.entries(kindNames).map(([value, label]) => ({ value, label }))
