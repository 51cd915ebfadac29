import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Feed } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'
import { OutcomeBadge } from './runs/outcome-badge.tsx'
import { acceptedBy } from './runs/runs.ts'

const REFRESH_MS = 3_000

const columns: Column<Feed>[] = [
  { title: t('feed'), cell: ({ name }) => name, sortBy: ({ name }) => name },
  {
    title: t('lastRun'),
    cell: ({ lastRun }) => (lastRun ? <OutcomeBadge run={lastRun} /> : t('notRunYet')),
    sortBy: ({ lastRun }) => lastRun?.outcome,
  },
  {
    title: t('when'),
    cell: ({ lastRun }) => <RelativeTime at={lastRun && (lastRun.endedAt ?? lastRun.queuedAt)} />,
    sortBy: ({ lastRun }) => lastRun?.queuedAt,
  },
  {
    title: t('accepted'),
    cell: ({ lastRun }) => formatCount(lastRun && acceptedBy(lastRun)),
    sortBy: ({ lastRun }) => lastRun && acceptedBy(lastRun),
    align: 'end',
  },
  {
    title: t('rejected'),
    cell: ({ lastRun }) => formatCount(lastRun?.rejected),
    sortBy: ({ lastRun }) => lastRun?.rejected,
    align: 'end',
  },
  {
    title: t('warnings'),
    cell: ({ lastRun }) => formatCount(lastRun?.warnings),
    sortBy: ({ lastRun }) => lastRun?.warnings,
    align: 'end',
  },
  { title: t('currency'), cell: ({ currency }) => currency, sortBy: ({ currency }) => currency },
  { title: t('source'), cell: ({ url }) => url ?? t('uploadAndApi'), sortBy: ({ url }) => url, isHidden: true },
]

/** The feeds of a shop, with the outcome of their last runs. */
export default function FeedsPage() {
  const { shop, shops } = useShop()
  const list = useList('/v1/panel/feeds', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
    refreshMs: REFRESH_MS,
  })
  const create = (
    <Button component={Link} to="/feeds/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('newFeed')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('feeds')} description={t('feedsHelp')} actions={shop && create} />
      {shops && !shop ? (
        <NoShop />
      ) : (
        <DataTable
          id="feeds"
          label={t('feeds')}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/feeds/${id}`}
          search={{ textOf: ({ name, url }) => `${name} ${url ?? ''}` }}
          empty={{ title: t('noFeeds'), description: t('noFeedsHelp'), action: create }}
        />
      )}
    </>
  )
}
