import { Button, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Account } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { accountKinds, kindNames } from './account-kinds.ts'

const columns: Column<Account>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Kind', cell: ({ kind }) => kindNames[kind] },
  { title: 'Company', cell: ({ companyName }) => companyName || '–' },
  { title: 'Seller ids', cell: ({ sellerIds }) => sellerIds.length, align: 'end' },
  { title: 'Display ads', cell: ({ displayEnabled }) => (displayEnabled ? 'On' : 'Off') },
  { title: 'Changed', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
]

/** Publishers and advertisers of this installation. */
export default function AccountsPage() {
  const [kind, setKind] = useState<Account['kind'] | null>(null)
  const list = useList('/v1/panel/accounts', { query: kind ? { kind } : {}, pageSize: PAGE_SIZE_MAX })
  const create = (
    <Button component={Link} to="/accounts/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New account
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Accounts"
        description="Publishers own shops; advertisers promote products and banners in them."
        actions={create}
      />
      <DataTable
        label="Accounts"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/accounts/${id}`}
        search={{
          textOf: ({ name, companyName, taxNumber, sellerIds }) =>
            [name, companyName, taxNumber, ...sellerIds].join(' '),
        }}
        filters={
          <Select
            aria-label="Kind"
            placeholder="All kinds"
            clearable
            w={160}
            data={accountKinds}
            value={kind}
            onChange={(value) => setKind(value as typeof kind)}
          />
        }
        empty={{ title: 'No accounts', description: 'Create the first publisher, then its shop.', action: create }}
      />
    </>
  )
}
