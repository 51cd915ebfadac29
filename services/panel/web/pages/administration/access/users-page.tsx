import { Box, Button, Group, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Account, User } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/administration.ts'
import { useSession } from '../../../session/session.ts'
import { kindNames } from '../accounts/account-kinds.ts'
import { useAccountNames } from '../accounts/use-accounts.ts'
import { UserDialog } from './user-dialog.tsx'

/** The users of the account; for operators, all users. */
export default function UsersPage() {
  const { account } = useSession()
  return (
    <>
      <PageHeader
        title={t('users')}
        description={account ? t('usersOf', { account: account.name }) : t('usersOfAll')}
      />
      <UsersTable />
    </>
  )
}

/** The users of one account, or all that the viewer may see, with a dialog to make and change them. */
export function UsersTable({ account }: { account?: Account }) {
  const query = account ? { accountId: account.id } : {}
  const list = useList('/v1/panel/users', { query, pageSize: PAGE_SIZE_MAX })
  const nameOf = useAccountNames()
  const [shown, setShown] = useState<User | 'new' | null>(null)

  const columns: Column<User>[] = [
    { title: t('name'), cell: ({ name }) => name },
    { title: t('email'), cell: ({ email }) => email },
    { title: t('role'), cell: ({ role }) => kindNames[role] },
    ...(account ? [] : [{ title: t('account'), cell: ({ accountId }: User) => nameOf(accountId) }]),
    {
      title: t('state'),
      cell: ({ disabledAt, hasPassword }) => (
        <StatusBadge status={disabledAt !== null ? 'DISABLED' : hasPassword ? 'ACTIVE' : 'INVITED'} />
      ),
    },
    { title: t('twoStep'), cell: ({ hasSecondFactor }) => (hasSecondFactor ? t('on') : t('off')) },
    { title: t('changed'), cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
    {
      title: t('actions'),
      align: 'end',
      cell: (user) => (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setShown(user)}
          aria-label={t('editWhom', { name: user.name })}
        >
          {t('edit')}
        </Button>
      ),
    },
  ]
  const create = (
    <Button
      size={account ? 'xs' : 'sm'}
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setShown('new')}
    >
      {t('newUser')}
    </Button>
  )
  return (
    <section>
      {account && (
        <Group justify="space-between" mb="sm">
          <Title order={2}>{t('users')}</Title>
          {create}
        </Group>
      )}
      <DataTable
        label={t('users')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        filters={!account && <Box ms="auto">{create}</Box>}
        {...(account ? {} : { search: { textOf: ({ name, email }: User) => `${name} ${email}` } })}
        empty={{ title: t('noUsers'), description: t('noUsersHelp') }}
      />
      {shown && (
        <UserDialog user={shown === 'new' ? undefined : shown} account={account} close={() => setShown(null)} />
      )}
    </section>
  )
}
