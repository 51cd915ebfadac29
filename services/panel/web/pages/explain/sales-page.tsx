import { Badge, Select, Text } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { formatMoney, Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/sales.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { kinds, type ListedSale, salePath } from './sale-words.ts'

const REFRESH_MS = 10_000
const KIND_DEFAULT = 'PURCHASE'
const CREDITED_DEFAULT = 'true'
type Kind = ListedSale['kind']

/** Recent sales and the campaigns credited with them. New sales appear without reloading. */
export default function SalesPage() {
  const { role } = useSession().user
  const { shop, shops } = useShop()
  const [search, setSearch] = useSearchParams()
  const kind = (search.get('kind') ?? KIND_DEFAULT) as Kind
  const credited = search.get('credited') ?? CREDITED_DEFAULT
  const isAdvertiser = role === 'ADVERTISER'
  const query = {
    kind,
    ...(!isAdvertiser && shop && { shopId: shop.id }),
    ...(!isAdvertiser && credited !== 'all' && { credited: credited === 'true' }),
  }
  const list = useList('/v1/panel/transactions', { query, refreshMs: REFRESH_MS, enabled: shops !== undefined })
  const put = (name: string, value: string | null) =>
    setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), [name]: value ?? '' }))

  return (
    <>
      <PageHeader
        title={t('sales')}
        description={`${isAdvertiser ? t('ownSalesHelp') : t('salesHelp')} ${shop ? t('zone', { zone: shop.timeZone }) : ''}`}
      />
      <DataTable
        label={t('sales')}
        list={list}
        columns={columnsFor(isAdvertiser, shop?.timeZone)}
        rowKey={({ shopId, kind: of, eventId }) => `${shopId} ${of} ${eventId}`}
        rowLink={salePath}
        filters={
          <>
            <Select
              aria-label={t('kind')}
              w={140}
              allowDeselect={false}
              value={kind}
              onChange={(value) => put('kind', value)}
              data={kinds.map((value) => ({ value, label: t(`${value}s`) }))}
            />
            {!isAdvertiser && (
              <Select
                aria-label={t('credit')}
                w={190}
                allowDeselect={false}
                value={credited}
                onChange={(value) => put('credited', value)}
                data={[
                  { value: 'true', label: t('creditedToAds') },
                  { value: 'false', label: t('creditedToNobody') },
                  { value: 'all', label: t('all') },
                ]}
              />
            )}
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
    <Text size="sm" c="dimmed" truncate maw={180} title={eventId}>
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
