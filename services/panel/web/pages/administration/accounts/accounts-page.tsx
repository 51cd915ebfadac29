import { Button, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Account } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { useAddressValue } from '../../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'
import { accountKinds, kindNames } from './account-kinds.ts'

const columns: Column<Account>[] = [
  { title: t('name'), cell: ({ name }) => name },
  { title: t('kind'), cell: ({ kind }) => kindNames[kind] },
  { title: t('company'), cell: ({ companyName }) => companyName || '–' },
  { title: t('sellers'), cell: ({ sellerIds }) => sellerIds.length, align: 'end' },
  { title: t('displayAds'), cell: ({ displayEnabled }) => (displayEnabled ? t('on') : t('off')) },
  { title: t('changed'), cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
]

/** Publishers and advertisers of this installation. */
export default function AccountsPage() {
  const [kind, setKind] = useAddressValue<Account['kind']>('kind')
  const list = useList('/v1/panel/accounts', { query: kind ? { kind } : {}, pageSize: PAGE_SIZE_MAX })
  const create = (
    <Button component={Link} to="/accounts/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('newAccount')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('accounts')} description={t('accountsHelp')} actions={create} />
      <DataTable
        label={t('accounts')}
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
            aria-label={t('kind')}
            placeholder={t('allKinds')}
            clearable
            w={160}
            data={accountKinds}
            value={kind}
            onChange={(value) => setKind(value as typeof kind)}
          />
        }
        empty={{ title: t('noAccounts'), description: t('noAccountsHelp'), action: create }}
      />
    </>
  )
}
