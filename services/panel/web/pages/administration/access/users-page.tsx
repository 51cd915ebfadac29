import { Button, Group, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Account, User } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { newest, PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/administration.ts'
import { useSession } from '../../../session/session.ts'
import { kindNames } from '../accounts/account-kinds.ts'
import { useAccountNames } from '../accounts/use-accounts.ts'
import { UserEditDialog } from './user-edit-dialog.tsx'
import { UserNewDialog } from './user-new-dialog.tsx'

/** The users of the account; for operators, all users. */
export default function UsersPage() {
  return <UsersTable />
}

/** The users of one account, or all that the viewer may see, under the page's title. Has a dialog to make and change them. */
export function UsersTable({ account }: { account?: Account }) {
  const query = account ? { accountId: account.id } : {}
  const list = useList('/v1/panel/users', { query, pageSize: PAGE_SIZE_MAX })
  const nameOf = useAccountNames()
  const { user, account: own } = useSession()
  const [shown, setShown] = useState<User | 'new' | null>(null)

  const columns: Column<User>[] = [
    { key: 'name', title: t('name'), sortBy: ({ name }) => name, cell: ({ name }) => name },
    {
      key: 'email',
      title: t('email'),
      sortBy: ({ email }) => email,
      // An address has no spaces: without this, a long one pushes other columns under that of the actions.
      cell: ({ email }) => <span style={{ overflowWrap: 'anywhere' }}>{email}</span>,
    },
    {
      key: 'role',
      title: t('role'),
      sortBy: ({ role }) => kindNames[role],
      cell: ({ role }) => kindNames[role],
    },
    ...(account || user.role !== 'OPERATOR'
      ? []
      : [
          {
            key: 'account',
            title: t('account'),
            sortBy: ({ accountId }: User) => nameOf(accountId),
            cell: ({ accountId }: User) => nameOf(accountId),
          },
        ]),
    {
      key: 'state',
      title: t('state'),
      cell: ({ disabledAt, hasPassword }) => (
        <StatusBadge status={disabledAt !== null ? 'DISABLED' : hasPassword ? 'ACTIVE' : 'INVITED'} />
      ),
    },
    { key: 'twoStep', title: t('twoStep'), cell: ({ hasSecondFactor }) => (hasSecondFactor ? t('on') : t('off')) },
    {
      key: 'changed',
      title: t('changed'),
      isHidden: true,
      sortBy: ({ updatedAt }) => updatedAt,
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      title: t('actions'),
      isActions: true,
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
      {account ? (
        <Group justify="space-between" mb="sm">
          <Title order={2}>{t('users')}</Title>
          {create}
        </Group>
      ) : (
        <PageHeader
          title={t('users')}
          description={own && user.role !== 'OPERATOR' ? t('usersOf', { account: own.name }) : t('usersOfAll')}
          actions={create}
        />
      )}
      <DataTable
        id="users"
        label={t('users')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...(account ? {} : { search: { textOf: ({ name, email }: User) => `${name} ${email}` } })}
        empty={{ title: t('noUsers'), description: t('noUsersHelp') }}
      />
      {shown === 'new' && <UserNewDialog account={account} close={() => setShown(null)} />}
      {shown !== null && shown !== 'new' && (
        <UserEditDialog user={newest(list.items, shown)} close={() => setShown(null)} />
      )}
    </section>
  )
}
