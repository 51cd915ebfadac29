import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSession } from '../../../session/session.ts'
import { UsersTable } from './users-table.tsx'

/** Users of the own account; for operators, of all. */
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
