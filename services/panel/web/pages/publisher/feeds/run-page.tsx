import { Skeleton, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import type { FeedRun } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime, formatDuration } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { IssuesTable } from './issues-table.tsx'
import { RunSummary } from './run-summary.tsx'
import { isUnderWay, RUNNING_REFRESH_MS, triggerNames } from './runs.ts'

/** One run of a feed, with all its rejections and warnings. */
export default function RunPage() {
  const { id = '', run: runId = '' } = useParams()
  const feed = useEntity('/v1/panel/feeds/{id}', { path: { id } })
  const path = { id, run: runId }
  const {
    data: run,
    problem,
    retry,
  } = useEntity('/v1/panel/feeds/{id}/runs/{run}', {
    path,
    refreshMs: RUNNING_REFRESH_MS,
  })
  return (
    <>
      <PageHeader
        title="Run of the feed"
        badge={run && <StatusBadge status={run.status} />}
        breadcrumbs={[
          { label: 'Feeds', to: '/feeds' },
          { label: feed.data?.name ?? 'Feed', to: `/feeds/${id}` },
        ]}
      />
      {problem && !run && <ErrorState problem={problem} retry={retry} />}
      {!problem && !run && <Skeleton height={640} />}
      {run && (
        <Stack gap="lg">
          <RunSummary run={run} />
          <Times run={run} />
          <IssuesTable run={run} isUnderWay={isUnderWay(run)} />
        </Stack>
      )}
    </>
  )
}

function Times({ run: { trigger, queuedAt, startedAt, endedAt } }: { run: FeedRun }) {
  const took = startedAt && endedAt ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt)) : null
  return (
    <PanelCard title="Times">
      <DetailList
        details={{
          'Asked for': (
            <>
              <DateTime at={queuedAt} />
              {`, ${triggerNames[trigger].toLowerCase()}`}
            </>
          ),
          Ended: endedAt && <DateTime at={endedAt} />,
          Took: took,
        }}
      />
    </PanelCard>
  )
}
