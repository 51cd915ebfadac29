import { Box, Button, Group, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Account, User } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
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
        title="Users"
        description={account ? `People who act for ${account.name}.` : 'People of all accounts, and the operators.'}
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
    { title: 'Name', cell: ({ name }) => name },
    { title: 'E-mail', cell: ({ email }) => email },
    { title: 'Role', cell: ({ role }) => kindNames[role] },
    ...(account ? [] : [{ title: 'Account', cell: ({ accountId }: User) => nameOf(accountId) }]),
    {
      title: 'State',
      cell: ({ disabledAt, hasPassword }) => (
        <StatusBadge status={disabledAt !== null ? 'DISABLED' : hasPassword ? 'ACTIVE' : 'INVITED'} />
      ),
    },
    { title: 'Two-step', cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off') },
    { title: 'Changed', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
    {
      title: 'Actions',
      align: 'end',
      cell: (user) => (
        <Button variant="default" size="compact-sm" onClick={() => setShown(user)} aria-label={`Edit ${user.name}`}>
          Edit
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
      New user
    </Button>
  )
  return (
    <section>
      {account && (
        <Group justify="space-between" mb="sm">
          <Title order={2}>Users</Title>
          {create}
        </Group>
      )}
      <DataTable
        label="Users"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        filters={!account && <Box ms="auto">{create}</Box>}
        {...(account ? {} : { search: { textOf: ({ name, email }: User) => `${name} ${email}` } })}
        empty={{ title: 'No users', description: 'Nobody can sign in for this account yet.' }}
      />
      {shown && (
        <UserDialog user={shown === 'new' ? undefined : shown} account={account} close={() => setShown(null)} />
      )}
    </section>
  )
}
