import { Anchor } from '@mantine/core'
import type { TechnicalSlot } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/placements.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'

/** Technical ad units, read-only: the shop's own systems create them through the API. */
export default function TechnicalUnitsPage() {
  const { shop, shops } = useShop()
  const enabled = shop !== undefined
  const query = { shopId: shop?.id }
  const list = useList('/v1/panel/technical-slots', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const units = useList('/v1/panel/ad-units', { query, pageSize: PAGE_SIZE_MAX, enabled })
  const names = new Map(units.items?.map(({ id, name }) => [id, name]))
  const columns: Column<TechnicalSlot>[] = [
    { title: t('name'), cell: ({ name }) => name },
    { title: t('ownId'), cell: ({ publisherSlotId }) => publisherSlotId },
    { title: t('adUnit'), cell: ({ businessSlot }) => names.get(businessSlot.id) ?? (units.problem ? '–' : '…') },
    { title: t('place'), cell: ({ metadata: { location } }) => placeOf(location) },
    { title: t('status'), cell: ({ status }) => <StatusBadge status={status} />, width: 130 },
    { title: t('unitId'), cell: ({ id }) => <CopyField value={id} label={t('unitId')} />, width: 330 },
    { title: t('changed'), cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  ]
  return (
    <>
      <PageHeader
        title={t('technicalUnits')}
        description={t.rich('technicalHelp', {
          api: (text) => (
            <Anchor href="/docs" target="_blank" inherit underline="always">
              {text}
            </Anchor>
          ),
        })}
        breadcrumbs={[{ label: t('placements'), to: '/placements' }]}
      />
      {shops && !shop ? (
        <NoShop />
      ) : (
        <DataTable
          label={t('technicalUnits')}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          search={{ textOf: (unit) => [unit.name, unit.publisherSlotId, placeOf(unit.metadata.location)].join(' ') }}
          empty={{ title: t('noTechnical'), description: t('noTechnicalHelp') }}
        />
      )}
    </>
  )
}

const placeOf = ({ street, postalCode, city, country }: TechnicalSlot['metadata']['location']) =>
  [street, `${postalCode} ${city}`.trim(), country].filter(Boolean).join(', ') || '–'
