import { Button, Code, Group, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Account, Token } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { DateTime, RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/administration.ts'
import { useSession } from '../../../session/session.ts'
import { useAccountNames } from '../accounts/use-accounts.ts'
import { TokenDialog } from './token-dialog.tsx'

/** The tokens of the account; for operators, all tokens. */
export default function TokensPage() {
  return <TokensTable />
}

/**
 * The tokens of one account, or all that the viewer may see, under the page's title. Has a dialog to make a token and a button to
 * revoke each.
 */
export function TokensTable({ account }: { account?: Account }) {
  const query = account ? { accountId: account.id } : {}
  const list = useList('/v1/panel/tokens', { query, pageSize: PAGE_SIZE_MAX })
  const nameOf = useAccountNames()
  const { user } = useSession()
  const [isNew, setNew] = useState(false)

  const columns: Column<Token>[] = [
    { title: t('name'), cell: ({ name }) => name },
    ...(account || user.role !== 'OPERATOR'
      ? []
      : [{ title: t('account'), cell: ({ accountId }: Token) => nameOf(accountId) }]),
    { title: t('scopes'), cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    { title: t('expires'), cell: ({ expiresAt }) => (expiresAt ? <DateTime at={expiresAt} dateOnly /> : t('never')) },
    { title: t('created'), cell: (token) => <Created token={token} /> },
    { title: t('lastUsed'), cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('never')) },
    { title: t('actions'), align: 'end', cell: (token) => <RevokeButton token={token} /> },
  ]
  const create = (
    <Button size={account ? 'xs' : 'sm'} leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
      {t('newToken')}
    </Button>
  )
  return (
    <section>
      {account ? (
        <Group justify="space-between" mb="sm">
          <Title order={2}>{t('apiTokens')}</Title>
          {create}
        </Group>
      ) : (
        <PageHeader title={t('apiTokens')} description={t('apiTokensHelp')} actions={create} />
      )}
      <DataTable
        label={t('apiTokens')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...(account ? {} : { search: { textOf: ({ name, accountId }: Token) => `${name} ${nameOf(accountId)}` } })}
        empty={{ title: t('noTokens'), description: t('noTokensHelp') }}
      />
      {isNew && <TokenDialog account={account} close={() => setNew(false)} />}
    </section>
  )
}

function Scopes({ scopes }: Pick<Token, 'scopes'>) {
  return (
    <Group component="span" gap={4}>
      {scopes.map((scope) => (
        <Code key={scope}>{scope}</Code>
      ))}
    </Group>
  )
}

/** When and by whom the token was made. The token stops working when that user is deleted. */
function Created({ token: { createdAt, updatedAt, createdBy } }: { token: Token }) {
  return (
    <>
      <RelativeTime at={createdAt ?? updatedAt} />
      {createdBy && (
        <Text size="xs" c="dimmed">
          {t('createdBy', { name: createdBy.name })}
        </Text>
      )}
    </>
  )
}

function RevokeButton({ token }: { token: Token }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/tokens/{id}', { params: { path: { id: token.id } } })),
    changes: ['/v1/panel/tokens'],
    saved: t('tokenRevoked'),
  })
  return (
    <ConfirmButton
      size="compact-sm"
      aria-label={t('revokeWhat', { name: token.name })}
      title={t('revokeQuestion', { name: token.name })}
      message={t('revokeHelp')}
      confirm={t('revoke')}
      onConfirm={() => submit(undefined)}
    >
      {t('revoke')}
    </ConfirmButton>
  )
}
