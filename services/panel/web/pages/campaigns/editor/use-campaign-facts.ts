import type { Account, AdFormat, Shop } from '../../../client/types.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSession } from '../../../session/session.ts'
import { useShop } from '../../../session/shop-context.tsx'

interface CampaignFacts {
  shop: Shop | undefined
  account: Account | undefined
  /** The ad formats of the shop. */
  formats: readonly AdFormat[] | undefined
}

/** Loads what the form of a campaign needs: its shop, the account that pays, and the ad formats of the shop. */
export function useCampaignFacts({ shopId, accountId }: { shopId: string; accountId: string }): CampaignFacts {
  const { shops } = useShop()
  const { user, account: own } = useSession()
  const isForOther = user.role === 'OPERATOR' && accountId !== ''
  const other = useEntity('/v1/panel/accounts/{id}', { path: { id: accountId }, enabled: isForOther })
  const { items: formats } = useList('/v1/panel/ad-formats', {
    query: { shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: shopId !== '',
  })
  return {
    shop: shops?.find(({ id }) => id === shopId),
    account: isForOther ? other.data : user.role === 'OPERATOR' ? undefined : (own ?? undefined),
    formats,
  }
}
