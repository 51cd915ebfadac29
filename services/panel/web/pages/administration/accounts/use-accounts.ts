import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { kindNames } from './account-kinds.ts'

/** All accounts that the user may see, also as choices of a Select. */
export function useAccountChoices() {
  const { items: accounts = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const choices = accounts.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kindNames[kind]})` }))
  return { accounts, choices }
}

/** Names of the accounts that the user may see, by id. Null stands for the installation itself. */
export function useAccountNames(): (id: string | null) => string {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const names = new Map(items.map(({ id, name }) => [id, name]))
  return (id) => (id === null ? '–' : (names.get(id) ?? '…'))
}
