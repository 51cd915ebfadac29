import { Select, type SelectProps } from '@mantine/core'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { kindNames } from '../accounts/account-kinds.ts'

/** A field for one of all accounts. */
export function AccountChoice(props: SelectProps) {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const data = items.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kindNames[kind]})` }))
  return <Select label="Account" data={data} searchable allowDeselect={false} {...props} />
}
