import { Group, SegmentedControl, Select, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import type { Shop } from '../../../client/types.ts'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { ShopLink } from '../../../components/page/shop-link.tsx'
import { StatCard } from '../../../components/page/stat-card.tsx'
import { formatMoney, Money } from '../../../components/values/money.tsx'
import { formatCount, formatRoas, formatShare } from '../../../components/values/numbers.ts'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { sumIn, totalsIn } from '../../reports/figures/currencies.ts'
import { datesOf, useCampaignReport } from './use-campaign-report.ts'

const loadChart = () => import('../../../components/charts/day-chart.tsx')
const CHART_HEIGHT = 220

const metrics = [
  { value: 'spend', label: t('spend') },
  { value: 'views', label: t('viewsName') },
  { value: 'clicks', label: t('clicks') },
  { value: 'revenue', label: t('attributedSales') },
] as const
type Metric = (typeof metrics)[number]['value']

/** The spend and results of the campaign by day. */
export function CampaignFigures({ campaignId, shop }: { campaignId: string; shop: Shop | undefined }) {
  const { timeZone, currency } = shop ?? {}
  const [days, setDays] = useState(14)
  const [metric, setMetric] = useState<Metric>('spend')
  const wanted = {
    campaignId,
    timeZone,
    days,
    groupBy: 'day',
    metrics: 'views,clicks,ctr,spend,purchases,revenue,roas,grossClicks,grossViews,invalid,invalidRate,creditedBack',
  } as const
  const { data, problem, retry } = useCampaignReport(wanted)
  const totals = data && totalsIn(data, currency)
  const format = (value: number) =>
    (metric === 'spend' || metric === 'revenue') && currency ? formatMoney(value, currency) : formatCount(value)
  const points = datesOf(days, timeZone).map((day) => ({
    day,
    value: data
      ? sumIn(
          data.rows.filter((row) => row.day === day),
          metric,
          currency,
        )
      : 0,
  }))

  return (
    <PanelCard
      title={t('figures')}
      description={
        <Group gap="md" component="span">
          <ShopLink shopId={shop?.id} to={`/ad-requests?campaignId=${campaignId}`} size="sm">
            {t('whyShown')}
          </ShopLink>
          <ShopLink shopId={shop?.id} to={`/sales?campaignId=${campaignId}`} size="sm">
            {t('whichSales')}
          </ShopLink>
        </Group>
      }
      actions={
        <SegmentedControl
          aria-label={t('days')}
          size="xs"
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={['7', '14', '30', '90'].map((value) => ({ value, label: t('lastDays', { count: Number(value) }) }))}
        />
      }
    >
      {problem && !data ? (
        <ErrorState problem={problem} retry={retry} />
      ) : (
        <>
          <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
            <StatCard label={t('spend')} value={totals && <Money amount={totals.spend} currency={totals.currency} />} />
            <StatCard label={t('viewsName')} value={totals && formatCount(totals.views)} />
            <StatCard label={t('clicks')} value={totals && formatCount(totals.clicks)} />
            <StatCard label={t('ctr')} value={totals && formatShare(totals.ctr)} hint={t('ctrHelp')} />
            <StatCard
              label={t('attributedSales')}
              value={totals && <Money amount={totals.revenue} currency={totals.currency} />}
              hint={totals && t('purchases', { count: totals.purchases ?? 0 })}
            />
            <StatCard
              label={t('invalid')}
              value={totals && formatShare(totals.invalidRate)}
              hint={totals && t('invalidHelp', { count: totals.invalid ?? 0 })}
            />
            <StatCard
              label={t('creditedBack')}
              value={totals && <Money amount={totals.creditedBack} currency={totals.currency} />}
              hint={t('creditedBackHelp')}
            />
            <StatCard label={t('roas')} value={totals && formatRoas(totals.roas)} hint={t('roasHelp')} />
          </SimpleGrid>
          <Group justify="space-between" mt="lg" mb="xs">
            <Text size="sm" fw={500}>
              {t('byDay')}
            </Text>
            <Select
              aria-label={t('chartShows')}
              size="xs"
              w={160}
              allowDeselect={false}
              value={metric}
              onChange={(value) => setMetric(value as Metric)}
              data={[...metrics]}
            />
          </Group>
          {data ? (
            <LazyPart
              load={loadChart}
              props={{
                label: metrics.find(({ value }) => value === metric)!.label,
                points,
                format,
                height: CHART_HEIGHT,
              }}
              height={CHART_HEIGHT}
            />
          ) : (
            <Skeleton height={CHART_HEIGHT} />
          )}
        </>
      )}
    </PanelCard>
  )
}
