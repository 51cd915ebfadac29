import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSave } from '../../../data/use-save.ts'
import { AccountForm, type AccountValues, useAccountForm } from './account-form.tsx'

export default function AccountNewPage() {
  const navigate = useNavigate()
  const form = useAccountForm()
  const { submit, isSaving } = useSave({
    save: (body: AccountValues) => answer(client.POST('/v1/panel/accounts', { body })),
    changes: ['/v1/panel/accounts'],
    form,
    saved: 'Account created',
    onSaved: ({ id }) => navigate(`/accounts/${id}`),
  })
  return (
    <>
      <PageHeader title="New account" breadcrumbs={[{ label: 'Accounts', to: '/accounts' }]} />
      <AccountForm form={form} isNew isSaving={isSaving} onSubmit={(values) => void submit(values)} />
    </>
  )
}
