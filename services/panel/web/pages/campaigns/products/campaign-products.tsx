import { Stack, Text } from '@mantine/core'
import type { Campaign } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount, formatRoas, formatShare } from '../../../components/values/numbers.ts'
import type { ListState } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/campaigns/products.ts'
import { productsOf } from '../editor/values/products-choice.ts'
import { type CampaignReport, useCampaignReport } from '../figures/use-campaign-report.ts'
import { ProductCount } from './product-count.tsx'
import { ProductLine } from './product-line.tsx'
import { useProducts } from './use-products.ts'

const DAYS = 30
const SHOWN = 15

type Row = CampaignReport['rows'][number]

/** The products of a sponsored campaign with their figures. */
export function CampaignProducts({ campaign, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const { id: campaignId, shopId, accountId } = campaign
  const metrics = 'views,clicks,ctr,spend,revenue,roas'
  const report = useCampaignReport({ campaignId, timeZone, days: DAYS, groupBy: 'product', metrics })
  const best = report.data?.rows
    .filter(({ product }) => typeof product === 'string')
    .sort((a, b) => (b.clicks ?? 0) - (a.clicks ?? 0) || (b.views ?? 0) - (a.views ?? 0))
    .slice(0, SHOWN)
  const products = useProducts(shopId, best?.map(idOf) ?? [])
  const list: ListState<Row> = {
    items: best,
    problem: report.problem,
    isStale: false,
    retry: report.retry,
    page: 1,
    next: null,
    previous: null,
  }
  const columns: Column<Row>[] = [
    {
      title: t('product'),
      cell: (row) => {
        const product = products.get(idOf(row))
        return product ? <ProductLine product={product} /> : idOf(row)
      },
    },
    { title: t('views'), align: 'end', cell: ({ views }) => formatCount(views) },
    { title: t('clicks'), align: 'end', cell: ({ clicks }) => formatCount(clicks) },
    { title: t('ctr'), align: 'end', cell: ({ ctr }) => formatShare(ctr) },
    { title: t('spend'), align: 'end', cell: ({ spend, currency }) => <Money amount={spend} currency={currency} /> },
    {
      title: t('sales'),
      align: 'end',
      cell: ({ revenue, currency }) => <Money amount={revenue} currency={currency} />,
    },
    { title: t('roas'), align: 'end', cell: ({ roas }) => formatRoas(roas) },
  ]
  return (
    <PanelCard title={t('products')}>
      <Stack gap="sm">
        <ProductCount values={{ shopId, accountId, campaignId, ...productsOf(campaign) }} />
        <Text size="sm" fw={500}>
          {t('mostClickedIn', { days: DAYS })}
        </Text>
        <DataTable
          label={t('mostClicked')}
          list={list}
          columns={columns}
          rowKey={(row) => `${idOf(row)}/${row.currency}`}
          empty={{ title: t('nothingShown'), description: t('nothingShownHelp') }}
        />
      </Stack>
    </PanelCard>
  )
}

/** The dimensions in a report's rows have no types. */
const idOf = (row: Row): string => String(row.product)
