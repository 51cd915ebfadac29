import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { User } from '../../client/types.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { kindNames } from './account-kinds.ts'

/** What a user may do: the role is that of the account; operators need none. */
export type UserAccount = Pick<User, 'role' | 'accountId'>

const NONE = { value: '', label: 'Operator of this installation' }

/** The account that a new user acts for, chosen by an operator. */
export function AccountOfUser<T extends UserAccount>({ form }: { form: UseFormReturnType<T> }) {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const choices = items.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kindNames[kind]})` }))
  const choose = (id: string | null) => {
    const account = items.find((each) => each.id === id)
    form.setValues({ role: account?.kind ?? 'OPERATOR', accountId: account?.id ?? null } as Partial<T>)
  }
  return (
    <Select
      label="Account"
      description="Decides what the user sees and may do"
      data={[NONE, ...choices]}
      searchable
      allowDeselect={false}
      value={form.values.accountId ?? ''}
      onChange={choose}
      error={form.errors.accountId ?? form.errors.role}
    />
  )
}
