import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Account } from '../../../client/types.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'
import { AccountForm, type AccountValues, useAccountForm } from './account-form.tsx'

export default function AccountNewPage() {
  const navigate = useNavigate()
  const form = useAccountForm()
  const { submit, isSaving } = useSave({
    save: ({ kind, ...rest }: AccountValues) =>
      answer(client.POST('/v1/panel/accounts', { body: { kind: kind as Account['kind'], ...rest } })),
    changes: ['/v1/panel/accounts'],
    form,
    saved: t('created'),
    onSaved: ({ id }) => navigate(`/accounts/${id}`),
  })
  return (
    <>
      <PageHeader title={t('newAccount')} breadcrumbs={[{ label: t('accounts'), to: '/accounts' }]} />
      <AccountForm form={form} isNew isSaving={isSaving} onSubmit={(values) => void submit(values)} />
    </>
  )
}
