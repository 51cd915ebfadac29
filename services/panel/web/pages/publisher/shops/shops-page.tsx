import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Shop } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Money } from '../../../components/values/money.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'

const columns: Column<Shop>[] = [
  { title: 'Shop', cell: ({ name }) => name },
  { title: 'Country', cell: ({ country }) => country },
  { title: 'Language', cell: ({ lang }) => lang },
  { title: 'Currency', cell: ({ currency }) => currency },
  { title: 'Time zone', cell: ({ timeZone }) => timeZone },
  {
    title: 'Reserve',
    cell: ({ reserveCpc, currency }) => <Money amount={reserveCpc} currency={currency} />,
    align: 'end',
  },
  {
    title: 'Windows',
    cell: ({ clickWindowHours, viewWindowHours }) =>
      `${clickWindowHours} h after clicks, ${viewWindowHours} h after views`,
  },
]

/** The shops that the user may set up. */
export default function ShopsPage() {
  const list = useList('/v1/panel/shops', { pageSize: PAGE_SIZE_MAX })
  const create = (
    <Button component={Link} to="/shops/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New shop
    </Button>
  )
  return (
    <>
      <PageHeader title="Shops" description="Where ads are shown, with the rules that hold there." actions={create} />
      <DataTable
        label="Shops"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/shops/${id}`}
        empty={{ title: 'No shop yet', description: 'Make the first one, then its feed.', action: create }}
      />
    </>
  )
}
