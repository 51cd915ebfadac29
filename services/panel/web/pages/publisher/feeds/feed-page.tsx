import { Button, Skeleton, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Feed, FeedRun } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { FeedSettings } from './feed-settings.tsx'
import { OutcomeBadge } from './runs/outcome-badge.tsx'
import { RunDiagnosis } from './runs/run-diagnosis.tsx'
import { RunHistory } from './runs/run-history.tsx'
import { RunSummary } from './runs/run-summary.tsx'
import { acceptedBy, IDLE_REFRESH_MS, isUnderWay, refreshOf, runPaths, triggerNames } from './runs/runs.ts'
import { UploadZone } from './upload-zone.tsx'

/** One feed: its last run, its file, its history and its settings. The state shown is that of the history's first line. */
export default function FeedPage() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const { shops } = useShop()
  const {
    data: feed,
    problem,
    retry,
  } = useEntity('/v1/panel/feeds/{id}', {
    path: { id },
    refreshMs: (data) => (data?.lastRun && refreshOf(data.lastRun)) || IDLE_REFRESH_MS,
  })
  const run = feed?.lastRun ?? null
  const zone = shops?.find((each) => each.id === feed?.shopId)?.timeZone
  const rerun = useSave({
    save: () => answer(client.POST('/v1/panel/feeds/{id}/run', { params: { path: { id } } })),
    changes: runPaths,
    saved: t('started'),
  })
  return (
    <>
      <PageHeader
        title={feed?.name ?? t('feed')}
        badge={run && <OutcomeBadge run={run} />}
        description={feed && (feed.url ?? t('filledBy'))}
        breadcrumbs={[{ label: t('feeds'), to: '/feeds' }]}
        actions={
          feed?.canBeRead && (
            <Button
              variant="default"
              loading={rerun.isSaving}
              disabled={run !== null && isUnderWay(run)}
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void rerun.submit(undefined)}
            >
              {feed.url === null ? t('readAgain') : t('fetchNow')}
            </Button>
          )
        }
      />
      {problem && !feed && <ErrorState problem={problem} retry={retry} />}
      {!problem && !feed && <Skeleton height={700} />}
      {feed && (
        <Stack gap="lg">
          {run && <RunDiagnosis run={run} feed={feed} />}
          {run && <LastRun feed={feed} run={run} zone={zone} />}
          <UploadZone
            feedId={id}
            replaced={run ? acceptedBy(run) : 0}
            onStarted={(started) => navigate(`/feeds/${id}/runs/${started.id}`)}
          />
          <RunHistory feedId={id} last={run} zone={zone} />
          <FeedSettings key={feed.id} feed={feed} />
        </Stack>
      )}
    </>
  )
}

interface LastRunProps {
  feed: Feed
  run: FeedRun
  zone: string | undefined
}

function LastRun({ feed, run, zone }: LastRunProps) {
  const next = isUnderWay(run) ? t('nextRunNow') : t('nextRunByUpload')
  return (
    <PanelCard
      title={t('lastRun')}
      description={
        <>
          {triggerNames[run.trigger]}, <DateTime at={run.queuedAt} timeZone={zone} />
        </>
      }
      actions={
        <Button component={Link} to={`/feeds/${feed.id}/runs/${run.id}`} variant="default" size="xs">
          {t('issues')}
        </Button>
      }
    >
      <Stack gap="md">
        <RunSummary run={run} />
        <DetailList
          details={{
            [t('lastSuccess')]: feed.lastSuccessAt ? (
              <DateTime at={feed.lastSuccessAt} timeZone={zone} />
            ) : (
              t('noSuccess')
            ),
            [t('nextRun')]: feed.nextRunAt ? <DateTime at={feed.nextRunAt} timeZone={zone} /> : next,
          }}
        />
      </Stack>
    </PanelCard>
  )
}
