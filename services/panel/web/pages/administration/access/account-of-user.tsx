import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { User } from '../../../client/types.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { kindNames } from '../accounts/account-kinds.ts'

/** What a user may do: the role is that of the account; operators need none. */
export interface UserAccount {
  /** Null: not chosen yet. */
  role: User['role'] | null
  accountId: User['accountId']
}

/** Of those who act for no account. Not '', which a Select takes for nothing. */
const NONE = { value: 'none', label: 'Operator of this installation' }

/** The account that a new user acts for, chosen by an operator. */
export function AccountOfUser<T extends UserAccount>({ form }: { form: UseFormReturnType<T> }) {
  const { items = [] } = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const choices = items.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kindNames[kind]})` }))
  const choose = (id: string | null) => {
    const account = items.find((each) => each.id === id)
    const role = account?.kind ?? (id === NONE.value ? 'OPERATOR' : null)
    form.setValues({ role, accountId: account?.id ?? null } as Partial<T>)
  }
  return (
    <Select
      label="Account"
      description="Decides what the user sees and may do"
      data={[NONE, ...choices]}
      searchable
      allowDeselect={false}
      placeholder="Choose"
      required
      value={form.values.accountId ?? (form.values.role === 'OPERATOR' ? NONE.value : null)}
      onChange={choose}
      error={form.errors.accountId ?? form.errors.role}
    />
  )
}
