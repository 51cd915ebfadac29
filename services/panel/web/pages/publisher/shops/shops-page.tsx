import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Shop } from '../../../client/types.ts'
import { codeName } from '../../../components/form/code-select.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Money } from '../../../components/values/money.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shops.ts'

const columns: Column<Shop>[] = [
  { title: t('shop'), cell: ({ name }) => name },
  { title: t('country'), cell: ({ country }) => codeName('country', country) },
  { title: t('language'), cell: ({ lang }) => codeName('language', lang) },
  { title: t('currency'), cell: ({ currency }) => currency },
  { title: t('timeZone'), cell: ({ timeZone }) => timeZone },
  {
    title: t('reserve'),
    cell: ({ reserveCpc, currency }) => <Money amount={reserveCpc} currency={currency} />,
    align: 'end',
  },
  {
    title: t('windows'),
    cell: ({ clickWindowHours, viewWindowHours }) =>
      t('windowsOf', { clicks: clickWindowHours ?? 0, views: viewWindowHours ?? 0 }),
  },
]

/** The shops that the user may manage. */
export default function ShopsPage() {
  const list = useList('/v1/panel/shops', { pageSize: PAGE_SIZE_MAX })
  const create = (
    <Button component={Link} to="/shops/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('newShop')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('shops')} description={t('shopsHelp')} actions={create} />
      <DataTable
        label={t('shops')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/shops/${id}`}
        empty={{ title: t('noShopYet'), description: t('firstShopHelp'), action: create }}
      />
    </>
  )
}
