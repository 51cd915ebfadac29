import { Skeleton, Stack } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { Account } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'
import { TokensTable } from '../access/tokens-page.tsx'
import { UsersTable } from '../access/users-page.tsx'
import { AccountForm, useAccountForm, valuesOf } from './account-form.tsx'
import { kindNames } from './account-kinds.ts'

/** One account: its properties, what it may do, its users and its tokens. */
export default function AccountPage() {
  const { id = '' } = useParams()
  const { data: account, problem, retry } = useEntity('/v1/panel/accounts/{id}', { path: { id } })
  return (
    <>
      <PageHeader
        title={account?.name ?? t('account')}
        description={account && kindNames[account.kind]}
        breadcrumbs={[{ label: t('accounts'), to: '/accounts' }]}
        actions={<CopyField value={id} label={t('accountId')} />}
      />
      {problem && !account && <ErrorState problem={problem} retry={retry} />}
      {!problem && !account && <Skeleton height={640} />}
      {account && (
        <Stack gap="xl">
          <AccountEditor key={account.id} account={account} />
          <UsersTable account={account} />
          <TokensTable account={account} />
        </Stack>
      )}
    </>
  )
}

function AccountEditor({ account }: { account: Account }) {
  const navigate = useNavigate()
  const { id, name, version } = account
  const form = useAccountForm(account)
  const params = { path: { id } }
  const change = useChange({
    form,
    path: '/v1/panel/accounts/{id}',
    entity: account,
    valuesOf,
    send: ({ changed, header }) =>
      answer(client.PATCH('/v1/panel/accounts/{id}', { params: { ...params, header }, body: changed })),
    changes: ['/v1/panel/accounts'],
    saved: t('saved'),
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/accounts/{id}', { params: { ...params, header: ifMatch(version) } })),
    changes: ['/v1/panel/accounts', '/v1/panel/users', '/v1/panel/tokens'],
    form,
    saved: t('deleted'),
    onSaved: () => navigate('/accounts'),
  })
  return (
    <AccountForm
      form={form}
      isNew={false}
      isSaving={change.isSaving}
      clashes={change}
      onSubmit={() => void change.submit()}
    >
      <DeleteButton
        what={t('deleteWhat')}
        name={name}
        message={t('deleteHelp')}
        onConfirm={() => removal.submit(undefined)}
        path="/v1/panel/accounts/{id}/deletion"
        id={id}
      />
    </AccountForm>
  )
}
