import { Text } from '@mantine/core'
import type { ExplainedEmission } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { ShopLink } from '../../../components/page/shop-link.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatShare } from '../../../components/values/numbers.ts'
import { allOf } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/try-it.ts'
import { useShop } from '../../../session/shop-context.tsx'

type Dropped = ExplainedEmission['slots'][number]['dropped'][number]

export interface DroppedAdsProps {
  dropped: readonly Dropped[]
  shopId: string
  isDisplay: boolean
}

/** The best ads that a request did not show, and why. */
export function DroppedAds({ dropped, shopId, isDisplay }: DroppedAdsProps) {
  const currency = useShop().shops?.find(({ id }) => id === shopId)?.currency
  const columns: Column<Dropped>[] = [
    {
      title: t('ad'),
      cell: ({ adId }) =>
        isDisplay ? (
          t('banner', { id: adId.slice(0, 8) })
        ) : (
          <ShopLink shopId={shopId} to={`/products/${encodeURIComponent(adId)}`} size="sm">
            {adId}
          </ShopLink>
        ),
    },
    { title: t('campaign'), cell: ({ campaignName }) => campaignName ?? '–' },
    {
      title: t('whyNot'),
      cell: ({ why }) => (
        <Text size="sm" component="span">
          {why}
        </Text>
      ),
    },
    { title: t('relevance'), cell: ({ relevance }) => formatShare(relevance), align: 'end' },
    {
      title: isDisplay ? t('cpmBid') : t('bid'),
      cell: ({ bid }) => <Money amount={bid} currency={currency} />,
      align: 'end',
    },
  ]
  return (
    <PanelCard title={t('notShown')} description={t('notShownHelp')}>
      <DataTable
        label={t('notShownList')}
        list={allOf(dropped)}
        columns={columns}
        rowKey={({ campaignId, adId }) => `${campaignId}/${adId}`}
        empty={{ title: t('nothingDropped') }}
      />
    </PanelCard>
  )
}
