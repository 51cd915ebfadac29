import { Select, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Account } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import type { ClashState } from '../../../data/changes/use-change.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'
import { accountKinds } from './account-kinds.ts'
import { SellersField } from './sellers-field.tsx'

type Fields = Pick<Account, 'name' | 'companyName' | 'taxNumber' | 'sellerIds' | 'displayEnabled'>

export interface AccountValues extends Fields {
  /** Null until it is chosen. */
  kind: Account['kind'] | null
}

const EMPTY: AccountValues = {
  kind: null,
  name: '',
  companyName: '',
  taxNumber: '',
  sellerIds: [],
  displayEnabled: false,
}

/** The form of an account, for useSave and the page. */
export function useAccountForm(account?: Account) {
  return useForm<AccountValues>({
    initialValues: account ? valuesOf(account) : EMPTY,
    validate: {
      kind: (kind) => (kind === null ? t('required') : null),
      name: (name) => (name.trim() === '' ? t('required') : null),
    },
  })
}

export const valuesOf = ({
  kind,
  name,
  companyName,
  taxNumber,
  sellerIds,
  displayEnabled,
}: Account): AccountValues => ({
  kind,
  name,
  companyName,
  taxNumber,
  sellerIds,
  displayEnabled,
})

export interface AccountFormProps {
  form: ReturnType<typeof useAccountForm>
  /** Whether the account is new. The kind of an existing account cannot change. */
  isNew: boolean
  isSaving: boolean
  /** None for a new account. */
  clashes?: ClashState
  onSubmit: (values: AccountValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function AccountForm({ form, isNew, isSaving, clashes, onSubmit, children }: AccountFormProps) {
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title={t('account')} description={t('accountHelp')}>
        <Select
          label={t('kind')}
          required
          data={accountKinds}
          allowDeselect={false}
          disabled={!isNew}
          description={isNew ? t('kindHelp') : undefined}
          {...form.getInputProps('kind')}
        />
        <TextInput label={t('name')} required maxLength={200} {...form.getInputProps('name')} />
        <TextInput
          label={t('companyName')}
          description={t('companyNameHelp')}
          maxLength={200}
          {...form.getInputProps('companyName')}
        />
        <TextInput label={t('taxNumber')} maxLength={200} {...form.getInputProps('taxNumber')} />
      </FormSection>
      <FormSection title={t('permissions')} description={t('permissionsHelp')}>
        <SellersField chosen={form.values.sellerIds} field={form.getInputProps('sellerIds')} />
        <Switch
          label={t('display')}
          description={t('displayHelp')}
          {...form.getInputProps('displayEnabled', { type: 'checkbox' })}
        />
      </FormSection>
      <FormActions
        label={isNew ? t('create') : t('save')}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        clashes={clashes}
        cancelTo="/accounts"
      >
        {children}
      </FormActions>
    </form>
  )
}
