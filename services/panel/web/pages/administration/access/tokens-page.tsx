import { PageHeader } from '../../../components/page/page-header.tsx'
import { TokensTable } from './tokens-table.tsx'

/** Tokens of the own account; for operators, of all. */
export default function TokensPage() {
  return (
    <>
      <PageHeader
        title="API tokens"
        description="Programs send one as Authorization: Bearer. People sign in instead."
      />
      <TokensTable />
    </>
  )
}
