import type { TechnicalSlot } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useShop } from '../../../session/shop-context.tsx'

/** Technical ad units, read-only: the shop's own systems make them by the API. */
export default function TechnicalUnitsPage() {
  const { shop } = useShop()
  const enabled = shop !== undefined
  const query = { shopId: shop?.id }
  const list = useList('/v1/panel/technical-slots', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const units = useList('/v1/panel/ad-units', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const names = new Map(units.items?.map(({ id, name }) => [id, name]))
  const columns: Column<TechnicalSlot>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Own id', cell: ({ publisherSlotId }) => publisherSlotId },
    { title: 'Ad unit', cell: ({ businessSlot }) => names.get(businessSlot.id) ?? '…' },
    { title: 'Place', cell: ({ metadata: { location } }) => placeOf(location) },
    { title: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 130 },
    { title: 'slotHash', cell: ({ id }) => <CopyField value={id} label="slotHash" />, width: 330 },
    { title: 'Changed', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  ]
  return (
    <>
      <PageHeader
        title="Technical units"
        description="Copies of an ad unit for single places, such as screens in stores. Your systems make and change them by PUT /v1/slots/technical/{id}."
        breadcrumbs={[{ label: 'Placements', to: '/placements' }]}
      />
      <DataTable
        label="Technical units"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        search={{ textOf: (unit) => [unit.name, unit.publisherSlotId, placeOf(unit.metadata.location)].join(' ') }}
        empty={{
          title: 'No technical units',
          description: 'They appear here once a system of yours makes one by the API.',
        }}
      />
    </>
  )
}

const placeOf = ({ street, postalCode, city, country }: TechnicalSlot['metadata']['location']) =>
  [street, `${postalCode} ${city}`.trim(), country].filter(Boolean).join(', ') || '–'
