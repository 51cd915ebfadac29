import { Alert, Text } from '@mantine/core'
import { Link } from 'react-router'
import { SELLERS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { Account, Shop } from '../../../client/types.ts'
import { formatCount } from '../../../components/values/numbers.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { useSession } from '../../../session/session.ts'

const SELLERS_SHOWN = 10

/** Explains why an advertiser has nothing to advertise in a shop: none of its products are of the advertiser's sellers. */
export function SellerFacts({ shop, account }: { shop: Shop; account: Account }) {
  const { role } = useSession().user
  const { sellerIds, name } = account
  const page = `/accounts/${account.id}`
  const allowed = useEntity('/v1/panel/sellers', {
    query: { shopId: shop.id, ids: sellerIds.slice(0, SELLERS_MAX), limit: 1 },
    enabled: sellerIds.length > 0,
  })
  const hasNone = sellerIds.length === 0 || allowed.data?.items.length === 0
  const present = useEntity('/v1/panel/sellers', {
    query: { shopId: shop.id, limit: SELLERS_SHOWN },
    // Advertisers do not see other accounts' sellers.
    enabled: hasNone && role !== 'ADVERTISER',
  })
  if (!hasNone) return null
  const listed = present.data?.items.map(({ sellerId, productCount }) => `${sellerId} (${formatCount(productCount)})`)
  return (
    <Alert color="orange" variant="light" role="alert" title={t('sellersNoMatch', { account: name, shop: shop.name })}>
      <Text size="sm">
        {sellerIds.length === 0
          ? t('sellersAllowedNone', { account: name })
          : t('sellersAllowed', { account: name, sellers: sellerIds.slice(0, SELLERS_SHOWN).join(', ') })}
      </Text>
      {listed && (
        <Text size="sm">
          {listed.length === 0
            ? t('sellersOfFeedNone', { shop: shop.name })
            : t('sellersOfFeed', { shop: shop.name, sellers: listed.join(', ') })}
        </Text>
      )}
      <Text size="sm">
        {role === 'OPERATOR' ? <Link to={page}>{t('sellersChange', { account: name })}</Link> : t('sellersWhoChanges')}
      </Text>
    </Alert>
  )
}
