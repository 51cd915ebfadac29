import { MultiSelect, Skeleton, Text } from '@mantine/core'
import type { Answer } from '../../client/types.ts'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatCount } from '../../components/values/numbers.ts'
import { useAddressQuery } from '../../data/use-address-value.ts'
import { useEntity } from '../../data/use-entity.ts'
import { allOf } from '../../data/use-list.ts'
import { t } from '../../messages/pages/visitors.ts'
import { useShop } from '../../session/shop-context.tsx'
import { NoShop } from '../publisher/shops/no-shop.tsx'
import { PeriodFields } from '../reports/controls/period-fields.tsx'
import { addDays, dayLabel } from '../reports/controls/periods.ts'
import { useAddressPeriod } from '../reports/controls/use-address-period.ts'
import { Downloads } from './downloads.tsx'

type Row = Answer<'/v1/panel/page-views'>['rows'][number]

const names = ['day', 'utmSource', 'utmMedium', 'utmCampaign', 'gclid'] as const
type Dimension = (typeof names)[number]
const DEFAULT: readonly Dimension[] = ['utmSource', 'utmMedium', 'utmCampaign']

/** How visitors came, by the shop's page views, and what was sold to them. All settings are in the address. */
export default function VisitorsPage() {
  const { shop, shops } = useShop()
  const [search, changeQuery] = useAddressQuery()
  const { period, days, setPeriod } = useAddressPeriod(shop?.timeZone)
  const groupBy = groupingOf(search)
  const range = { shopId: shop?.id ?? '', from: days.from, to: addDays(days.until, 1) }
  const query = { ...range, groupBy: groupBy.join(',') }
  const { data, problem, retry } = useEntity('/v1/panel/page-views', { query, enabled: shop !== undefined })
  const group = (chosen: readonly string[]) =>
    changeQuery((query) => {
      query.set('groupBy', chosen.join(','))
      return query
    })

  return (
    <>
      <PageHeader
        title={t('visitors')}
        description={shop && t('visitorsHelp', { zone: shop.timeZone })}
        actions={shop && <Downloads range={range} query={query} />}
      />
      {!shop && (shops ? <NoShop /> : <Skeleton height={480} />)}
      {shop && (
        <DataTable
          label={t('visitors')}
          list={{ ...allOf(data?.rows ?? []), items: data?.rows, problem, retry }}
          columns={columnsOf(groupBy)}
          rowKey={(row) => JSON.stringify([...groupBy.map((each) => row[each]), row.currency])}
          filters={
            <>
              <PeriodFields period={period} days={days} timeZone={shop.timeZone} onChange={setPeriod} />
              <MultiSelect
                label={t('groupBy')}
                w={{ base: '100%', xs: 380 }}
                value={groupBy}
                onChange={(chosen) => chosen.length > 0 && group(chosen)}
                data={names.map((value) => ({ value, label: t(value) }))}
              />
            </>
          }
          empty={{
            title: t('noPageViews'),
            description: t('noPageViewsHelp'),
          }}
        />
      )}
      {data?.truncated && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('truncated')}
        </Text>
      )}
    </>
  )
}

function columnsOf(groupBy: readonly Dimension[]): Column<Row>[] {
  const number = (title: string, of: (row: Row) => number): Column<Row> => ({
    title,
    align: 'end',
    cell: (row) => formatCount(of(row)),
  })
  return [
    ...groupBy.map((each) => ({ title: t(each), cell: (row: Row) => <Value of={each} row={row} /> })),
    number(t('pageViews'), ({ pageViews }) => pageViews),
    number(t('visitors'), ({ visitors }) => visitors),
    number(t('purchases'), ({ purchases }) => purchases),
    {
      title: t('revenue'),
      align: 'end',
      cell: ({ revenue, currency }) => <Money amount={revenue} currency={currency} />,
    },
  ]
}

function Value({ of, row }: { of: Dimension; row: Row }) {
  if (of === 'gclid') return row.gclid ? t('with') : t('without')
  const value = row[of]
  if (value && of === 'day') return dayLabel(value)
  return value ? value : <span style={{ color: 'var(--mantine-color-dimmed)' }}>{t('none')}</span>
}

function groupingOf(search: URLSearchParams): Dimension[] {
  const asked = (search.get('groupBy') ?? '').split(',')
  const known = names.filter((name) => asked.includes(name))
  return known.length > 0 ? known : [...DEFAULT]
}
