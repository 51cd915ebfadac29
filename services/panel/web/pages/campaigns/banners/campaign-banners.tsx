import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { Campaign } from '../../../client/types.ts'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CampaignBannerPreview } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount, formatShare } from '../../../components/values/numbers.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { useCampaignReport } from '../figures/use-campaign-report.ts'

const DAYS = 30

/** The banners of a display campaign with their figures. */
export function CampaignBanners({ campaign, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const { id: campaignId, shopId, banners = [] } = campaign
  const { items: formats } = useList('/v1/panel/ad-formats', { query: { shopId }, pageSize: PAGE_SIZE_MAX })
  const metrics = 'views,clicks,ctr,spend'
  const { data } = useCampaignReport({ campaignId, timeZone, days: DAYS, groupBy: 'banner', metrics })
  return (
    <PanelCard title={t('banners')} description={t('bannerFigures', { days: DAYS })}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing="xl">
        {banners.map((banner) => {
          const format = formats?.find((each) => each.id === banner.adFormatId)
          const figures = data?.rows.find((row) => row.banner === banner.id)
          return (
            <div key={banner.id}>
              <Group justify="space-between" gap={4} mb={6}>
                <Text size="sm" fw={500}>
                  {format?.name ?? t('bannerUnnamed')}
                </Text>
                <Text size="sm" c="dimmed">
                  {t('bannerCounts', {
                    views: formatCount(figures?.views ?? 0),
                    clicks: formatCount(figures?.clicks ?? 0),
                    ctr: formatShare(figures?.ctr),
                  })}
                  {figures && (
                    <>
                      {' · '}
                      <Money amount={figures.spend} currency={figures.currency} />
                    </>
                  )}
                </Text>
              </Group>
              {format ? <CampaignBannerPreview format={format} banner={banner} /> : <Skeleton height={180} />}
            </div>
          )
        })}
      </SimpleGrid>
    </PanelCard>
  )
}
