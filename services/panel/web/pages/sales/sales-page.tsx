import { Badge, SimpleGrid, Text } from '@mantine/core'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { formatMoney, Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/sales.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { fromZoneTime } from '../campaigns/editor/values/zone-time.ts'
import { PeriodFields } from '../reports/controls/period-fields.tsx'
import { addDays } from '../reports/controls/periods.ts'
import { useAddressPeriod } from '../reports/controls/use-address-period.ts'
import { isPerCurrency } from '../reports/figures/currencies.ts'
import { figureText, sumsOf } from '../reports/figures/figures.ts'
import { type Metric, type ReportAnswer, type ReportParameters, wordFor } from '../reports/vocabulary.ts'
import { type ListedSale, salePath } from './sale-words.ts'
import { SalesActions } from './sales-actions.tsx'
import { SalesFilters, useSalesFilters } from './sales-filters.tsx'

const REFRESH_MS = 10_000
const totalled = ['purchases', 'revenue', 'returnedRevenue', 'netRevenue'] as const satisfies Metric[]

/** The sales of a period and the campaigns credited with them. New sales appear without reloading. */
export default function SalesPage() {
  const isAdvertiser = useSession().user.role === 'ADVERTISER'
  const { shop: shownShop, shops } = useShop()
  const filters = useSalesFilters(isAdvertiser)
  const { ofShop, kind, credit, accountId, campaignId, purchasedProductId } = filters
  const shop = ofShop ?? shownShop
  const { period, days, setPeriod } = useAddressPeriod(shop?.timeZone)
  const listed = {
    from: startOf(days.from, shop?.timeZone),
    to: startOf(addDays(days.until, 1), shop?.timeZone),
    ...(ofShop && { shopId: ofShop.id }),
    ...(accountId && { accountId }),
    ...(campaignId && { campaignId }),
    ...(purchasedProductId && ofShop && { purchasedProductId }),
  }
  const query = { ...listed, kind, ...(!isAdvertiser && credit !== 'all' && { credited: credit === 'true' }) }
  const isCredited = credit === 'true'
  const list = useList('/v1/panel/transactions', { query, refreshMs: REFRESH_MS, enabled: shops !== undefined })

  return (
    <>
      <PageHeader
        title={t('sales')}
        description={`${isAdvertiser ? t('ownSalesHelp') : t('salesHelp')} ${shop ? t('zone', { zone: shop.timeZone }) : ''}`}
        actions={
          <SalesActions shopId={ofShop?.id} isAdvertiser={isAdvertiser} period={period} days={days} query={query} />
        }
      />
      {kind === 'PURCHASE' && isCredited && shops && <SalesFigures query={listed} />}
      <DataTable
        label={t('sales')}
        list={list}
        columns={columnsFor(isAdvertiser, shop?.timeZone)}
        rowKey={({ shopId, kind: of, eventId }) => `${shopId} ${of} ${eventId}`}
        rowLink={salePath}
        filters={
          <>
            <PeriodFields period={period} days={days} timeZone={shop?.timeZone} onChange={setPeriod} />
            <SalesFilters filters={filters} />
          </>
        }
        empty={{
          title: t('noSales', { kind }),
          description: t('noSalesHelp'),
        }}
      />
    </>
  )
}

/** The sums of all credited purchases of a list, from the report, so that the two agree. */
function SalesFigures({ query }: { query: ReportParameters }) {
  const { data, problem } = useEntity('/v1/panel/reports', {
    query: { ...query, metrics: totalled.join(',') },
    refreshMs: REFRESH_MS,
  })
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} mb="md">
      {totalled.map((metric) => (
        <StatCard key={metric} label={wordFor(metric)} value={data && sumIn(data, metric)} problem={problem} />
      ))}
    </SimpleGrid>
  )
}

/** Amounts in several currencies have no sum: each has its own. */
function sumIn({ totals, totalsByCurrency }: ReportAnswer, metric: Metric): string {
  if (!isPerCurrency(metric)) return figureText(metric, totals[metric], totals.currency)
  return sumsOf(totals, totalsByCurrency)
    .map((sum) => figureText(metric, sum[metric], sum.currency))
    .join(' · ')
}

/** The instant at which a day begins in the time zone of the shop, or else of the browser. */
const startOf = (day: string, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone) =>
  fromZoneTime(`${day}T00:00`, timeZone)

function columnsFor(isAdvertiser: boolean, timeZone: string | undefined): Column<ListedSale>[] {
  const when: Column<ListedSale> = {
    title: t('when'),
    cell: ({ occurredAt }) => <DateTime at={occurredAt} timeZone={timeZone} />,
  }
  const credit: Column<ListedSale> = { title: t('creditedTo'), cell: (sale) => <Campaigns sale={sale} /> }
  const credited: Column<ListedSale> = {
    title: t('credited'),
    align: 'end',
    cell: ({ creditedAmount, currency }) => <Money amount={creditedAmount} currency={currency} />,
  }
  if (isAdvertiser) return [when, { title: t('shop'), cell: ({ shopName }) => shopName }, credit, lineColumn, credited]
  const amount: Column<ListedSale> = {
    title: t('amount'),
    align: 'end',
    cell: ({ amount: all, returnedAmount, currency }) => (
      <div>
        <Money amount={all} currency={currency} />
        {returnedAmount > 0 && (
          <Text size="xs" c="dimmed">
            {t('returnedAmount', { amount: formatMoney(returnedAmount, currency) })}
          </Text>
        )}
      </div>
    ),
  }
  return [
    when,
    { title: t('order'), cell: (sale) => <OrderNumber sale={sale} /> },
    credit,
    lineColumn,
    amount,
    credited,
  ]
}

const lineColumn: Column<ListedSale> = { title: t('lines'), align: 'end', cell: ({ lines }) => lines }

const OrderNumber = ({ sale: { eventId, unconfirmed } }: { sale: ListedSale }) => (
  <>
    <Text size="sm" c="dimmed" truncate maw={112} title={eventId}>
      {eventId}
    </Text>
    {unconfirmed && (
      <Badge variant="light" color="yellow" size="sm" title={t('notConfirmedHelp')}>
        {t('notConfirmed')}
      </Badge>
    )}
  </>
)

function Campaigns({ sale: { campaigns } }: { sale: ListedSale }) {
  const [first, ...others] = campaigns
  if (!first)
    return (
      <Text size="sm" c="dimmed">
        {t('nobody')}
      </Text>
    )
  return (
    <>
      {first.name ?? first.id}
      {others.length > 0 && (
        <Badge variant="default" size="sm" ml={6} title={others.map(({ name, id }) => name ?? id).join(', ')}>
          {`+${others.length}`}
        </Badge>
      )}
    </>
  )
}
