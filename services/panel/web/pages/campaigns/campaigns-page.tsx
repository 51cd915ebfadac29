import { Alert, Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { JSX } from 'react'
import { Link } from 'react-router'
import type { Campaign } from '../../client/types.ts'
import { DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { keyOf, useColumns } from '../../components/page/table/columns.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/campaigns/campaigns.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { useMayChange, useMaySwitch } from './campaign-switch.tsx'
import { BulkActions } from './list/bulk-actions.tsx'
import { columnsFor, LAST_DAYS, TODAY } from './list/columns.tsx'
import { CampaignFilters, useCampaignFilters } from './list/filters.tsx'
import { useFigures } from './list/use-figures.ts'

const REFRESH_MS = 30_000
/** Names the table in the browser's storage and in files. */
const TABLE = 'campaigns'
const NO_FIGURES = { spentToday: undefined, lastDays: undefined }

/** All campaigns that the user sees: an advertiser's own campaigns, or those in the chosen shop. */
export default function CampaignsPage() {
  const { role } = useSession().user
  const { shops } = useShop()
  const mayChange = useMayChange()
  const maySwitch = useMaySwitch()
  const isAdvertiser = role === 'ADVERTISER'
  const filters = useCampaignFilters(isAdvertiser)
  const { isArchive, isFiltered, kind, shopId } = filters
  const shop = shops?.find(({ id }) => id === shopId)
  const list = useList('/v1/panel/campaigns', {
    query: {
      ...(shopId ? { shopId } : {}),
      ...(kind ? { kind } : {}),
      ...(isArchive ? { archived: true } : {}),
    },
    pageSize: PAGE_SIZE_MAX,
    enabled: shops !== undefined,
    refreshMs: REFRESH_MS,
  })
  const shopOf = ({ shopId }: Campaign) => shops?.find(({ id }) => id === shopId)
  const items = list.items?.filter(filters.isShown)
  const facts = { isAdvertiser, hasActions: items?.some(maySwitch) ?? false, shops, shopOf }
  const { shown } = useColumns(TABLE, columnsFor({ ...facts, figures: NO_FIGURES }))
  const isShown = (key: string) => shown.some((column) => keyOf(column) === key)
  const figuresOf = shop ? { shops: [shop], shopId: shop.id } : { shops, shopId: undefined }
  const figures = useFigures(figuresOf, { today: isShown(TODAY), lastDays: LAST_DAYS.some(isShown) })
  const selection = {
    nameOf: ({ name }: Campaign) => name,
    actions: (rows: readonly Campaign[], clear: () => void) => (
      <BulkActions campaigns={rows} shopOf={shopOf} isArchive={isArchive} clear={clear} />
    ),
  }
  const create = (
    <Button component={Link} to="/campaigns/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('newCampaign')}
    </Button>
  )

  return (
    <>
      <PageHeader title={t('campaigns')} actions={create} />
      {figures.problem && (
        <Alert role="alert" color="orange" variant="light" mb="sm" title={t('figuresFailed')}>
          {figures.problem.message}
        </Alert>
      )}
      <DataTable
        id={TABLE}
        label={t('campaigns')}
        list={{ ...list, items }}
        columns={columnsFor({ ...facts, figures })}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/campaigns/${id}`}
        search={{ textOf: ({ name, accountName }) => `${name} ${accountName ?? ''}`, idOf: ({ id }) => id }}
        counted={(counts) => t('counted', counts)}
        {...(list.items && { countAll: list.items.length })}
        {...(items?.some(mayChange) && { selection })}
        filters={<CampaignFilters filters={filters} campaigns={list.items ?? []} />}
        empty={emptyOf({ isArchive, isFiltered, create })}
      />
    </>
  )
}

function emptyOf({ isArchive, isFiltered, create }: { isArchive: boolean; isFiltered: boolean; create: JSX.Element }) {
  if (isArchive) return { title: t('noneArchived'), description: t('noneArchivedHelp') }
  if (isFiltered) return { title: t('noneSuch'), description: t('noneSuchHelp') }
  return { title: t('noneYet'), description: t('noneYetHelp'), action: create }
}
