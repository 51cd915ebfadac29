import type { Campaign } from '../../client/types.ts'
import { useSession } from '../../session/session.ts'

/** Whether the user may change a campaign. A publisher also sees those of others in its shops, which it may not. */
export function useMayChange(): (campaign: Pick<Campaign, 'accountId'>) => boolean {
  const { user, account } = useSession()
  return ({ accountId }) => user.role === 'OPERATOR' || accountId === account?.id
}
