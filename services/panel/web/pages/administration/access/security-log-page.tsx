import { PageHeader } from '../../../components/page/page-header.tsx'
import { useSession } from '../../../session/session.ts'
import { SecurityEvents } from './security-events.tsx'

/** Who did what; for operators everywhere, for others in their account. */
export default function SecurityLogPage() {
  const { account } = useSession()
  return (
    <>
      <PageHeader
        title="Security log"
        description={`Sign-ins, tokens, users and deletions${account ? ` of ${account.name}` : ''}, the latest first.`}
      />
      <SecurityEvents />
    </>
  )
}
