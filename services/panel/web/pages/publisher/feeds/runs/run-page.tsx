import { Skeleton, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import type { FeedRun } from '../../../../client/types.ts'
import { DetailList } from '../../../../components/page/detail-list.tsx'
import { ErrorState } from '../../../../components/page/error-state.tsx'
import { PageHeader } from '../../../../components/page/page-header.tsx'
import { PanelCard } from '../../../../components/page/panel-card.tsx'
import { DateTime } from '../../../../components/values/times.tsx'
import { useEntity } from '../../../../data/use-entity.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'
import { uncapitalised } from '../../../../messages/uncapitalised.ts'
import { useShop } from '../../../../session/shop-context.tsx'
import { IssuesTable } from './issues-table.tsx'
import { OutcomeBadge } from './outcome-badge.tsx'
import { RunDiagnosis } from './run-diagnosis.tsx'
import { durationOf } from './run-history.tsx'
import { RunSummary } from './run-summary.tsx'
import { isUnderWay, refreshOf, triggerNames } from './runs.ts'

/** One run of a feed, with all its rejections and warnings. */
export default function RunPage() {
  const { id = '', run: runId = '' } = useParams()
  const feed = useEntity('/v1/panel/feeds/{id}', { path: { id } })
  const {
    data: run,
    problem,
    retry,
  } = useEntity('/v1/panel/feeds/{id}/runs/{run}', {
    path: { id, run: runId },
    refreshMs: (data) => data !== undefined && refreshOf(data),
  })
  return (
    <>
      <PageHeader
        title={t('runOfFeed')}
        badge={run && <OutcomeBadge run={run} />}
        breadcrumbs={[
          { label: t('feeds'), to: '/feeds' },
          { label: feed.data?.name ?? t('feed'), to: `/feeds/${id}` },
        ]}
      />
      {problem && !run && <ErrorState problem={problem} retry={retry} />}
      {!problem && !run && <Skeleton height={640} />}
      {run && (
        <Stack gap="lg">
          {feed.data && <RunDiagnosis run={run} feed={feed.data} />}
          <RunSummary run={run} />
          <Times run={run} />
          <IssuesTable run={run} isUnderWay={isUnderWay(run)} />
        </Stack>
      )}
    </>
  )
}

function Times({ run }: { run: FeedRun }) {
  const { trigger, queuedAt, endedAt } = run
  const timeZone = useShop().shops?.find(({ id }) => id === run.shopId)?.timeZone
  return (
    <PanelCard title={t('times')}>
      <DetailList
        details={{
          [t('requested')]: (
            <>
              <DateTime at={queuedAt} timeZone={timeZone} />
              {`, ${uncapitalised(triggerNames[trigger])}`}
            </>
          ),
          [t('ended')]: endedAt && <DateTime at={endedAt} timeZone={timeZone} />,
          [t('took')]: durationOf(run),
        }}
      />
    </PanelCard>
  )
}
