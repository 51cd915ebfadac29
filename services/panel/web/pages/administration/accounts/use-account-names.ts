import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'

/** Names of the accounts that one may see, by id. Null stands for the installation itself. */
export function useAccountNames(): (id: string | null) => string {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const names = new Map(items.map(({ id, name }) => [id, name]))
  return (id) => (id === null ? '–' : (names.get(id) ?? '…'))
}
