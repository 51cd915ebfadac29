import { Button, Skeleton, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Feed, FeedRun } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime, formatDuration } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { FeedForm, type FeedValues, feedBody, useFeedForm } from './feed-form.tsx'
import { RunSummary } from './run-summary.tsx'
import { isUnderWay, RUNNING_REFRESH_MS, runPaths, triggerNames } from './runs.ts'
import { UploadZone } from './upload-zone.tsx'

const RUNS_OF_PAGE = 10
const REFRESH_MS = 10_000

/** One feed: its last run, its file, its history and settings. */
export default function FeedPage() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const { data: feed, problem, retry } = useEntity('/v1/panel/feeds/{id}', { path: { id } })
  const latest = useList('/v1/panel/feeds/{id}/runs', { path: { id }, pageSize: 1, refreshMs: RUNNING_REFRESH_MS })
  const [run] = latest.items ?? []
  const rerun = useSave({
    save: () => answer(client.POST('/v1/panel/feeds/{id}/run', { params: { path: { id } } })),
    changes: runPaths,
  })
  return (
    <>
      <PageHeader
        title={feed?.name ?? 'Feed'}
        badge={run && <StatusBadge status={run.status} />}
        description={feed && (feed.url ?? 'Filled by uploads and the API')}
        breadcrumbs={[{ label: 'Feeds', to: '/feeds' }]}
        actions={
          feed?.url && (
            <Button
              variant="default"
              loading={rerun.isSaving}
              disabled={run && isUnderWay(run)}
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void rerun.submit(undefined)}
            >
              Fetch now
            </Button>
          )
        }
      />
      {problem && !feed && <ErrorState problem={problem} retry={retry} />}
      {!problem && !feed && <Skeleton height={700} />}
      {feed && (
        <Stack gap="lg">
          <LastRun feed={feed} run={run} isLoading={latest.items === undefined} />
          <UploadZone feedId={id} onStarted={(started) => navigate(`/feeds/${id}/runs/${started.id}`)} />
          <RunHistory feed={feed} isRunning={run !== undefined && isUnderWay(run)} />
          <FeedSettings key={feed.version} feed={feed} />
        </Stack>
      )}
    </>
  )
}

function LastRun({ feed, run, isLoading }: { feed: Feed; run: FeedRun | undefined; isLoading: boolean }) {
  if (isLoading) return <Skeleton height={190} />
  if (!run) return null
  return (
    <PanelCard
      title="Last run"
      description={
        <>
          {triggerNames[run.trigger]}, <DateTime at={run.queuedAt} />
        </>
      }
      actions={
        <Button component={Link} to={`/feeds/${feed.id}/runs/${run.id}`} variant="default" size="xs">
          Rejected products and warnings
        </Button>
      }
    >
      <RunSummary run={run} />
    </PanelCard>
  )
}

const columns: Column<FeedRun>[] = [
  { title: 'Asked for', cell: ({ queuedAt }) => <DateTime at={queuedAt} /> },
  { title: 'By', cell: ({ trigger }) => triggerNames[trigger] },
  { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Took', cell: ({ startedAt, endedAt }) => tookOf(startedAt, endedAt), align: 'end' },
  { title: 'Items', cell: ({ total }) => formatCount(total), align: 'end' },
  { title: 'Changed', cell: ({ changed }) => formatCount(changed), align: 'end' },
  { title: 'Removed', cell: ({ removed }) => formatCount(removed), align: 'end' },
  { title: 'Rejected', cell: ({ rejected }) => formatCount(rejected), align: 'end' },
  { title: 'Warnings', cell: ({ warnings }) => formatCount(warnings), align: 'end' },
]

const tookOf = (startedAt: string | null, endedAt: string | null) =>
  startedAt && endedAt ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt)) : '–'

function RunHistory({ feed: { id }, isRunning }: { feed: Feed; isRunning: boolean }) {
  const list = useList('/v1/panel/feeds/{id}/runs', {
    path: { id },
    pageSize: RUNS_OF_PAGE,
    refreshMs: isRunning ? RUNNING_REFRESH_MS : REFRESH_MS,
  })
  return (
    <PanelCard title="History" description="The latest 100 runs are kept">
      <DataTable
        label="Runs of the feed"
        list={list}
        columns={columns}
        rowKey={(run) => run.id}
        rowLink={(run) => `/feeds/${id}/runs/${run.id}`}
        empty={{ title: 'It has not run yet', description: 'Upload a file, or give the feed an address.' }}
      />
    </PanelCard>
  )
}

function FeedSettings({ feed }: { feed: Feed }) {
  const navigate = useNavigate()
  const form = useFeedForm({ feed })
  const params = { path: { id: feed.id } }
  const { submit, isSaving } = useSave({
    save: (values: FeedValues) => answer(client.PATCH('/v1/panel/feeds/{id}', { params, body: feedBody(values) })),
    changes: ['/v1/panel/feeds'],
    form,
    saved: 'Feed saved',
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/feeds/{id}', { params })),
    changes: runPaths,
    form,
    saved: 'Feed deleted',
    onSaved: () => navigate('/feeds'),
  })
  return (
    <PanelCard title="Settings">
      <FeedForm
        form={form}
        isNew={false}
        hasPassword={feed.hasPassword}
        isSaving={isSaving}
        onSubmit={(values) => void submit(values)}
      >
        <DeleteButton
          what="feed"
          name={feed.name}
          message="All its products go with it, and campaigns go on without them."
          onConfirm={() => removal.submit(undefined)}
        />
      </FeedForm>
    </PanelCard>
  )
}
