import { Badge, Select, Text } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { kindLabel, kinds, type ListedSale, salePath } from './words.ts'

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
        title="Sales"
        description={
          isAdvertiser
            ? 'What your ads sold in the last 30 days. Open one to see why it was credited.'
            : 'What people bought in the last 30 days. Open one to see who was credited, and why.'
        }
      />
      <DataTable
        label="Sales"
        list={list}
        columns={columnsFor(isAdvertiser, shop?.timeZone)}
        rowKey={({ shopId, kind: of, eventId }) => `${shopId} ${of} ${eventId}`}
        rowLink={salePath}
        filters={
          <>
            <Select
              aria-label="What"
              w={140}
              allowDeselect={false}
              value={kind}
              onChange={(value) => put('kind', value)}
              data={Object.entries(kinds).map(([value, label]) => ({ value, label: `${label}s` }))}
            />
            {!isAdvertiser && (
              <Select
                aria-label="Credit"
                w={190}
                allowDeselect={false}
                value={credited}
                onChange={(value) => put('credited', value)}
                data={[
                  { value: 'true', label: 'Credited to ads' },
                  { value: 'false', label: 'Credited to nobody' },
                  { value: 'all', label: 'All' },
                ]}
              />
            )}
          </>
        }
        empty={{
          title: `No ${kindLabel(kind).toLowerCase()}s here`,
          description: 'They appear within seconds of being sent. Imported history is never attributed.',
        }}
      />
    </>
  )
}

function columnsFor(isAdvertiser: boolean, timeZone: string | undefined): Column<ListedSale>[] {
  const when: Column<ListedSale> = {
    title: 'When',
    cell: ({ occurredAt }) => <DateTime at={occurredAt} timeZone={timeZone} />,
  }
  const credit: Column<ListedSale> = { title: 'Credited to', cell: (sale) => <Campaigns sale={sale} /> }
  const credited: Column<ListedSale> = {
    title: 'Credited',
    align: 'end',
    cell: ({ creditedAmount, currency }) => <Money amount={creditedAmount} currency={currency} />,
  }
  if (isAdvertiser) return [when, { title: 'Shop', cell: ({ shopName }) => shopName }, credit, lineColumn, credited]
  const amount: Column<ListedSale> = {
    title: 'Amount',
    align: 'end',
    cell: ({ amount: all, returnedAmount, currency }) => (
      <>
        <Money amount={all} currency={currency} />
        {returnedAmount > 0 && (
          <Text size="xs" c="dimmed">
            <Money amount={returnedAmount} currency={currency} /> returned
          </Text>
        )}
      </>
    ),
  }
  return [when, { title: 'Number', cell: (sale) => <OrderNumber sale={sale} /> }, credit, lineColumn, amount, credited]
}

const lineColumn: Column<ListedSale> = { title: 'Lines', align: 'end', cell: ({ lines }) => lines }

const OrderNumber = ({ sale: { eventId, unconfirmed } }: { sale: ListedSale }) => (
  <>
    <Text size="sm" c="dimmed" truncate maw={180} title={eventId}>
      {eventId}
    </Text>
    {unconfirmed && (
      <Badge
        variant="light"
        color="yellow"
        size="sm"
        title="It counts until a version comes whose sender proves itself"
      >
        Not confirmed
      </Badge>
    )}
  </>
)

function Campaigns({ sale: { campaigns } }: { sale: ListedSale }) {
  const [first, ...others] = campaigns
  if (!first)
    return (
      <Text size="sm" c="dimmed">
        Nobody
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
