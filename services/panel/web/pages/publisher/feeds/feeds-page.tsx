import { Button, Skeleton } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Feed, FeedRun } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { NoShop } from '../shops/no-shop.tsx'

const REFRESH_MS = 5_000

const columns: Column<Feed>[] = [
  { title: 'Feed', cell: ({ name }) => name },
  { title: 'Source', cell: ({ url }) => url ?? 'Upload and API' },
  { title: 'Last run', cell: ({ id }) => <LastRun id={id} show={({ status }) => <StatusBadge status={status} />} /> },
  {
    title: 'When',
    cell: ({ id }) => <LastRun id={id} show={(run) => <RelativeTime at={run.endedAt ?? run.queuedAt} />} />,
  },
  { title: 'Items', cell: ({ id }) => <LastRun id={id} show={({ total }) => formatCount(total)} />, align: 'end' },
  {
    title: 'Rejected',
    cell: ({ id }) => <LastRun id={id} show={({ rejected }) => formatCount(rejected)} />,
    align: 'end',
  },
  {
    title: 'Warnings',
    cell: ({ id }) => <LastRun id={id} show={({ warnings }) => formatCount(warnings)} />,
    align: 'end',
  },
]

/** A cell with a part of a feed's last run. The cells of a row share one query. */
function LastRun({ id, show }: { id: string; show: (run: FeedRun) => ReactNode }) {
  const { items } = useList('/v1/panel/feeds/{id}/runs', { path: { id }, pageSize: 1, refreshMs: REFRESH_MS })
  if (!items) return <Skeleton height={14} width={60} display="inline-block" />
  return <>{items[0] ? show(items[0]) : '–'}</>
}

/** The feeds of a shop, with the result of their last run. */
export default function FeedsPage() {
  const { shop, shops } = useShop()
  const list = useList('/v1/panel/feeds', {
    query: { shopId: shop?.id },
    pageSize: PAGE_SIZE_MAX,
    enabled: shop !== undefined,
  })
  const create = (
    <Button component={Link} to="/feeds/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New feed
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Feeds"
        description="Where the shop’s products come from: an XML file, fetched every hour or uploaded."
        actions={shop && create}
      />
      {shops && !shop ? (
        <NoShop />
      ) : (
        <DataTable
          label="Feeds"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/feeds/${id}`}
          empty={{
            title: 'No feeds yet',
            description: 'Add the address of the feed that you send to Google, or upload the file.',
            action: create,
          }}
        />
      )}
    </>
  )
}
