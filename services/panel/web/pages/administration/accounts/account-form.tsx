import { Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Account } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import { accountKinds } from './account-kinds.ts'

export type AccountValues = Pick<
  Account,
  'kind' | 'name' | 'companyName' | 'taxNumber' | 'sellerIds' | 'displayEnabled'
>

const EMPTY: AccountValues = {
  kind: 'ADVERTISER',
  name: '',
  companyName: '',
  taxNumber: '',
  sellerIds: [],
  displayEnabled: false,
}

/** The form of an account, for useSave and the page. */
export function useAccountForm(account?: Account) {
  return useForm<AccountValues>({
    initialValues: account ?? EMPTY,
    validate: { name: (name) => (name.trim() === '' ? 'Needed' : null) },
  })
}

export interface AccountFormProps {
  form: ReturnType<typeof useAccountForm>
  /** The kind cannot be changed later. */
  isNew: boolean
  isSaving: boolean
  onSubmit: (values: AccountValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function AccountForm({ form, isNew, isSaving, onSubmit, children }: AccountFormProps) {
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title="Account" description="Who it is, as users and shoppers see it.">
        <Select
          label="Kind"
          data={accountKinds}
          allowDeselect={false}
          disabled={!isNew}
          description={isNew ? 'Cannot be changed later' : undefined}
          {...form.getInputProps('kind')}
        />
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
        <TextInput
          label="Company name"
          description="Shown to shoppers who ask why they see an ad"
          maxLength={200}
          {...form.getInputProps('companyName')}
        />
        <TextInput label="Tax number" maxLength={200} {...form.getInputProps('taxNumber')} />
      </FormSection>
      <FormSection title="What it may promote" description="Only the operator sets this.">
        <TagsInput
          label="Seller ids"
          description="Values of externalSellerId in the shops’ feeds. Its campaigns may hold the products of these sellers"
          placeholder={form.values.sellerIds.length === 0 ? 'Type an id, then Enter' : ''}
          splitChars={[',', ' ', '|']}
          {...form.getInputProps('sellerIds')}
        />
        <Switch
          label="Display advertising"
          description="Banners; off stops the account’s display campaigns at once"
          {...form.getInputProps('displayEnabled', { type: 'checkbox' })}
        />
      </FormSection>
      <FormActions
        label={isNew ? 'Create account' : 'Save'}
        isSaving={isSaving}
        hasChanges={form.isDirty}
        cancelTo="/accounts"
      >
        {children}
      </FormActions>
    </form>
  )
}
